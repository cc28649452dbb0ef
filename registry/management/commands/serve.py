"""Serve the site on this machine: web and worker together, until one of them ends or somebody presses Ctrl-C.

A production site runs the two as services of their own (docs/operating.md).
"""

import os
import signal
import subprocess
import sys
import time
from argparse import ArgumentParser
from contextlib import suppress
from types import FrameType
from typing import Any

from django.core.management.base import BaseCommand

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
GRACE_SECONDS = 10  # to finish what is under way; a sync that is cut off goes on where it was


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--bind", default="127.0.0.1:8000", metavar="ADDRESS", help="where the web listens")

    def handle(self, *args: Any, **options: Any) -> None:
        python = sys.executable
        web = [python, "-m", "gunicorn", "kernelindex.wsgi", "--bind", options["bind"], "--workers", "2",
               "--threads", "2", "--no-control-socket"]  # fmt: skip
        worker = [python, "manage.py", "qcluster"]
        raise SystemExit(until_one_ends([web, worker]))


def until_one_ends(commands: list[list[str]]) -> int:
    """Run commands side by side. When one ends, or we are told to stop, the others are ended with all they started."""
    asked: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:
        asked.append(number)

    for number in STOPPING:
        signal.signal(number, stop)
    running = [subprocess.Popen(command, start_new_session=True) for command in commands]  # noqa: S603  our own
    while not asked and all(process.poll() is None for process in running):
        time.sleep(0.1)
    codes = [process.poll() for process in running]
    _end(running)
    return 0 if asked else max(1, *(abs(code) for code in codes if code is not None))


def _end(running: list[subprocess.Popen[bytes]]) -> None:
    """Ask each to stop, and end what has not by the end of the grace: each leads a group of all that it started."""
    for process in running:
        _tell(process, signal.SIGTERM)
    deadline = time.monotonic() + GRACE_SECONDS
    for process in running:
        with suppress(subprocess.TimeoutExpired):
            process.wait(max(0.0, deadline - time.monotonic()))
        _tell_group(process, signal.SIGKILL)
        process.wait()


def _tell(process: subprocess.Popen[bytes], number: int) -> None:
    if process.poll() is None:
        process.send_signal(number)


def _tell_group(process: subprocess.Popen[bytes], number: int) -> None:
    with suppress(ProcessLookupError):  # nothing of it is left
        os.killpg(process.pid, number)
