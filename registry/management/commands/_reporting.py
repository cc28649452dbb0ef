"""What the import commands share: progress on a terminal, the report, and the exit code."""

import json
import sys
import time
from typing import NoReturn, TextIO

from registry.ingest import IngestReport

UNREADABLE_OR_REFUSED, USAGE, WAITS = 1, 2, 3


class Progress:
    """A line that counts with a rate, on a terminal only, at most ten times a second."""

    def __init__(self, stream: TextIO, word: str) -> None:
        self.stream, self.word = stream, word
        self.began = self.shown = time.monotonic()
        self.is_on = stream.isatty()

    def read(self, count: int) -> None:
        self._show(f"reading {count:,} {self.word}", count)

    def write(self, done: int, total: int) -> None:
        self._show(f"writing {done:,} of {total:,} rows", done)
        if done == total and self.is_on:
            self.stream.write("\r\x1b[K")

    def _show(self, text: str, count: int) -> None:
        now = time.monotonic()
        if self.is_on and now - self.shown > 0.1:
            rate = count / max(now - self.began, 1e-3)
            self.stream.write(f"\r\x1b[K{text} ({rate:,.0f}/s)")
            self.stream.flush()
            self.shown = now


def print_report(report: IngestReport, stream: TextIO, *, as_json: bool) -> None:
    if as_json:
        stream.write(json.dumps(report.as_json(), indent=2, ensure_ascii=False) + "\n")
    else:
        stream.write("\n".join(report.lines()) + "\n")


def fail(message: str, code: int) -> NoReturn:
    sys.stderr.write(f"{message}\n")
    raise SystemExit(code)
