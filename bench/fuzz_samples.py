"""Samples of every kind of damage against the reader: `python -m bench.fuzz_samples`, or `make fuzz-samples`.

Takes the files of tests/data/samples and texts that are read, and breaks them: bytes turned, pieces cut, doubled, moved
between files, numbers exchanged. Anything but samples or a SamplesError that can be printed ends it, with what made it.
Each execution follows from the seed and its number alone.
"""

import argparse
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random

from attestations.core.samples import SamplesError, read_samples

DATA = Path(__file__).resolve().parents[1] / "tests" / "data" / "samples"
TEXTS = (
    b"1.5\n1.6\n1.7\n",
    b"latency_us\n12.5\n12.6\n# cold\n\n12.7\n",
    b"12.5 us\r\n12.6 us\r\n",
    b"name,ms,GB/s\na,1.5,10\nb,1.6,11\n",
    b'"name";"time [us]"\n"a; b";"1.5"\n',
    b"[1.5, 1.6, 2e-3]",
    b'{"unit": "ms", "samples": [1.5, 1.6]}',
    "µs\n1.5\n".encode(),
)
PIECES = (
    *(bytes([one]) for one in b"0123456789.,;:+-eE#\"'[]{}\n\r\t \\\0\xff\xfe\xed\xa0"),
    *(b"nan", b"inf", b"1e999", b"-0", b"1e-999", b"us", b" ms", b"GB/s", b"null", b"true", b'"a"', b"[[[[[[[["),
    *(b"\xef\xbb\xbf", "\u2028".encode(), "\u202e".encode(), "٣".encode(), "½".encode(), b"\\ud800", b"\\u0000"),
    *(b'"values":', b'"data":', b'"stats":', b'"states":', b'"runs":', b'"benchmarks":', b"9" * 40, b"a," * 60),
)
NAMES = (None, "ms", "softmax", "copy Device=0 Elements=1024", "\u202e")


def corpus() -> list[bytes]:
    return [*TEXTS, *(path.read_bytes() for path in sorted(DATA.glob("*.json")))]


def damaged(texts: list[bytes], random: Random) -> bytes:
    data = bytearray(random.choice(texts))
    for _ in range(random.randint(0, 6)):
        at = random.randrange(len(data) + 1)
        end = min(len(data), at + random.randint(0, 12))
        kind = random.randrange(5)
        if kind == 0:
            data[at:end] = random.choice(PIECES)
        elif kind == 1:
            data[at:at] = random.choice(PIECES)
        elif kind == 2:
            del data[at:end]
        elif kind == 3:
            data[at:at] = data[at:end] * random.randint(1, 4)
        else:
            other = random.choice(texts)
            start = random.randrange(len(other))
            data[at:end] = other[start : start + random.randint(1, 40)]
    return bytes(data)


def execute(texts: list[bytes], seed: int, number: int) -> str:
    """Read one damaged input; its outcome in a word. Raises what the reader should not."""
    random = Random(f"{seed} {number}")
    data: bytes | str = damaged(texts, random)
    if isinstance(data, bytes) and random.random() < 0.3:  # pasted text may hold lone surrogates
        data = data.decode(errors="surrogateescape" if number % 2 else "replace")
    try:
        found = read_samples(data, file_name=random.choice((None, "file")), named=random.choice(NAMES))
    except SamplesError as error:
        refused = error
    else:
        assert found.values
        assert all(value.is_finite() and value > 0 for value in found.values), found
        return f"read: {found.read_from.split(',')[0].split(':')[0]}"
    assert str(refused).isprintable(), ascii(str(refused))
    return "refused with its place" if refused.place else "refused as a whole"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.fuzz_samples", description=__doc__)
    parser.add_argument("--executions", type=int, default=2_000_000)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    texts, outcomes, began, slowest = corpus(), Counter[str](), time.perf_counter(), (0.0, 0)
    for number in range(asked.executions):
        started = time.process_time()
        try:
            outcomes[execute(texts, asked.seed, number)] += 1
        except Exception as error:  # anything at all is what this looks for
            sys.exit(f"seed {asked.seed}, execution {number}: {type(error).__name__}: {error}")
        slowest = max(slowest, (time.process_time() - started, number))
        if time.perf_counter() - began > asked.seconds:
            break
    seconds = time.perf_counter() - began
    print(f"seed {asked.seed}: {outcomes.total():,} executions in {seconds:.0f} s")
    print(f"  the slowest, {slowest[1]:,}, took {slowest[0] * 1000:.0f} ms of the processor")
    for outcome, count in outcomes.most_common():
        print(f"  {count:>9,} {outcome}")


if __name__ == "__main__":
    main()
