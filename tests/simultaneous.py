"""One thing done in several threads at the same moment, each with a database connection of its own."""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from django.db import connection, connections


def at_once(act: Callable[[int], Any], times: int, folder: Path) -> list[Any]:
    """What act(0), act(1) … returned, or the exception that each raised. For tests with `transaction=True`.

    SQLite's database of the tests lies in memory, where threads meet another kind of lock than in a site's file: it is
    copied into a file in `folder` for the while, and back.
    """
    results: list[Any] = [None] * times
    start = threading.Barrier(times)

    def run(number: int) -> None:
        start.wait()
        try:
            results[number] = act(number)
        except Exception as error:
            results[number] = error
        finally:
            connections.close_all()

    with _in_a_file(folder) if connection.vendor == "sqlite" else closing(connection):
        threads = [threading.Thread(target=run, args=(number,)) for number in range(times)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return results


@contextmanager
def _in_a_file(folder: Path) -> Iterator[None]:
    """New threads' connections go to a file with the tests' database, which is this thread's again afterwards."""
    connection.ensure_connection()
    path = folder / "simultaneous.sqlite3"
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as file:
        connection.connection.backup(file)
        file.execute(
            "PRAGMA journal_mode=WAL"
        )  # as a site's file is: threads that all switch it at once are locked out
    known = connections.settings["default"]
    name, known["NAME"] = known["NAME"], str(path)
    try:
        yield
    finally:
        known["NAME"] = name
    with closing(sqlite3.connect(path)) as file:
        file.backup(connection.connection)
