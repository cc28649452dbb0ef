from pathlib import Path

import pytest

from tests.registry.importers.liger.writing import HEADER, Write


@pytest.fixture
def csv(tmp_path: Path) -> Write:
    def write(*lines: str, header: str = HEADER, end: str = "\n", name: str = "rows.csv") -> Path:
        path = tmp_path / name
        path.write_bytes("".join(text + end for text in (header, *lines)).encode())
        return path

    return write
