"""Web and worker live and die together."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SLEEPS = "import os, sys, time; open(sys.argv[1], 'w').write(str(os.getpid())); time.sleep(600)"
STARTS_ANOTHER = (
    "import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', sys.argv[2], sys.argv[1]]); time.sleep(600)"
)
DEAF = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); " + SLEEPS
ENDS = "import sys; sys.exit(int(sys.argv[1]))"
RUNS = (
    "import json, sys; from registry.management.commands import serve; serve.GRACE_SECONDS = 1; "
    "sys.exit(serve.until_one_ends(json.loads(sys.argv[1])))"
)


def beside(*scripts: list[str]) -> "subprocess.Popen[bytes]":
    """The supervisor in a process of its own, running these."""
    commands = json.dumps([[sys.executable, "-c", *script] for script in scripts])
    return subprocess.Popen([sys.executable, "-c", RUNS, commands], cwd=ROOT)


def pid_in(path: Path) -> int:
    deadline = time.monotonic() + 30
    while not (path.exists() and path.read_text()):
        assert time.monotonic() < deadline, f"{path.name} was not started"
        time.sleep(0.05)
    return int(path.read_text())


def is_alive(pid: int) -> bool:
    """Whether it still runs: one that ended and that nobody waits for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_both_and_all_that_they_started(tmp_path: Path, number: int) -> None:
    supervisor = beside([SLEEPS, str(tmp_path / "web")], [STARTS_ANOTHER, str(tmp_path / "worker"), SLEEPS])
    pids = [pid_in(tmp_path / name) for name in ("web", "worker")]
    supervisor.send_signal(number)
    assert supervisor.wait(30) == 0
    assert [is_alive(pid) for pid in pids] == [False, False]


@pytest.mark.parametrize(("code", "told"), [(0, 1), (3, 3)])
def test_where_one_ends_the_other_is_ended_and_the_exit_code_says_so(tmp_path: Path, code: int, told: int) -> None:
    supervisor = beside([SLEEPS, str(tmp_path / "web")], [ENDS, str(code)])
    assert supervisor.wait(30) == told
    path = tmp_path / "web"
    assert not path.exists() or not is_alive(int(path.read_text() or 0))


def test_what_does_not_stop_in_time_is_killed(tmp_path: Path) -> None:
    supervisor = beside([DEAF, str(tmp_path / "web")], [SLEEPS, str(tmp_path / "worker")])
    pids = [pid_in(tmp_path / name) for name in ("web", "worker")]
    os.kill(supervisor.pid, signal.SIGTERM)
    assert supervisor.wait(30) == 0
    assert [is_alive(pid) for pid in pids] == [False, False]
