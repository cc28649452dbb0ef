"""`python -m bench` prints every figure, `python -m bench NAME` one. `--database postgres` measures on PostgreSQL."""

import argparse
import platform
import signal
import sys
from collections.abc import Callable

from bench import import_catalog, import_liger, kernelbot_200k, pages, second_import, transfer, verdict, verify
from bench.databases import VENDORS, Databases

FIGURES: dict[str, Callable[[Databases, int | None], None]] = {
    "import_catalog": import_catalog.show,
    "import_liger": import_liger.show,
    "second_import": second_import.show,
    "kernelbot_200k": kernelbot_200k.show,
    "pages": pages.show,
    "transfer": transfer.show,
    "verify": verify.show,
    "verdict": verdict.show,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("figures", nargs="*", metavar="NAME", help=f"of {', '.join(FIGURES)}; all without one")
    parser.add_argument("--database", choices=VENDORS, default="sqlite")
    parser.add_argument("--rounds", type=int, help="how often to measure; the median counts")
    asked = parser.parse_args()
    if unknown := set(asked.figures) - set(FIGURES):
        parser.error(f"no figure {', '.join(sorted(unknown))}; there are {', '.join(FIGURES)}")
    print(f"{asked.database}, Python {platform.python_version()}, {platform.machine()}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that databases are dropped then too
    with Databases(asked.database) as databases:
        for name in asked.figures or FIGURES:
            print(f"\n{name}")
            FIGURES[name](databases, asked.rounds)


if __name__ == "__main__":
    main()
