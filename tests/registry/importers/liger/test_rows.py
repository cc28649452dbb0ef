"""What a file of rows may hold that is wrong: each case ends in a reason with its place, none in a wrong number."""

from pathlib import Path

import pytest

from registry.importers import liger
from registry.importers.base import Pending, Rejected, RunEntry, Unreadable
from tests.registry.importers.liger.writing import GOLDEN, HEADER, KEY, MEMORY, Write, line, of, quoted, untaken
from tests.registry.importers.reading import translated

CONFIG = "extra_benchmark_config_str"
LOSS = {"kernel_name": "distill_jsd_loss", "x_name": "BT"}
LOSS_CONFIG = '{"H": 64, "V": 100, "dtype": "torch.bfloat16", "bias": false, "weight_hard_loss": 0.5%s}'


def swapped(one: str, other: str) -> dict[str, str]:
    return {one: GOLDEN[other], other: GOLDEN[one]}


WHOLE = f"SIZE {CONFIG}: M must be a positive whole number, got "


def sized(m: str) -> dict[str, str]:
    return {CONFIG: quoted(f'{{"M": {m}, "dtype": "torch.bfloat16"}}')}


ROWS: list[tuple[dict[str, str], str]] = [
    # numbers
    ({"y_value_50": "nan"}, "VALUE y_value_50: must be finite and above 0, got 'nan'"),
    ({"y_value_50": "NaN"}, "VALUE y_value_50: must be finite and above 0, got 'NaN'"),
    ({"y_value_50": "inf"}, "VALUE y_value_50: must be finite and above 0, got 'inf'"),
    ({"y_value_50": "Infinity"}, "VALUE y_value_50: must be finite and above 0, got 'Infinity'"),
    ({"y_value_20": "-inf"}, "VALUE y_value_20: must be finite and above 0, got '-inf'"),
    ({"y_value_50": "-1"}, "VALUE y_value_50: must be finite and above 0, got '-1'"),
    ({"y_value_50": "0"}, "VALUE y_value_50: must be finite and above 0, got '0'"),
    ({"y_value_50": "-0.0"}, "VALUE y_value_50: must be finite and above 0, got '-0.0'"),
    ({"y_value_80": "-0.1"}, "VALUE y_value_80: must be finite and above 0, got '-0.1'"),
    ({"y_value_80": "0.0"}, "VALUE y_value_80: must be finite and above 0, got '0.0'"),
    ({"y_value_50": "1e400"}, "VALUE y_value_50: must be finite and above 0, got '1e400'"),
    ({"y_value_50": "None"}, "VALUE y_value_50: not a number: 'None'"),
    ({"y_value_50": ""}, "VALUE y_value_50: not a number: ''"),
    ({"y_value_20": ""}, "VALUE y_value_20: not a number: ''"),
    ({"y_value_50": "0.0%"}, "VALUE y_value_50: not a number: '0.0%'"),
    ({"y_value_50": "0.126 ms"}, "VALUE y_value_50: not a number: '0.126 ms'"),
    ({"y_value_50": '"0,126"'}, "VALUE y_value_50: not a number: '0,126'"),
    ({"y_value_50": "1_000"}, "VALUE y_value_50: not a number: '1_000'"),
    ({"y_value_50": "0x1p-3"}, "VALUE y_value_50: not a number: '0x1p-3'"),
    ({"y_value_50": "\u0661"}, "VALUE y_value_50: not a number: '\u0661'"),
    ({"y_value_50": "."}, "VALUE y_value_50: not a number: '.'"),
    ({"y_value_50": "x" * 1000}, f"VALUE y_value_50: not a number: '{'x' * 60}'"),
    (
        {"y_value_20": "1", "y_value_50": "1e300", "y_value_80": "1e301"},
        "VALUE y_value_50: out of range: '1e300'",
    ),
    ({"y_value_20": "1e-9", "y_value_50": "1e-8", "y_value_80": "1"}, "VALUE y_value_50: out of range: '1e-8'"),
    ({"y_value_20": "1e-9"}, "VALUE y_value_20: out of range: '1e-9'"),
    (MEMORY | {"y_value_80": "1e300"}, "VALUE y_value_80: out of range: '1e300'"),
    (swapped("y_value_20", "y_value_80"), "QUANTILES y_value_50: must lie between y_value_20 and y_value_80"),
    (swapped("y_value_50", "y_value_80"), "QUANTILES y_value_50: must lie between y_value_20 and y_value_80"),
    ({"y_value_50": "126.3"}, "QUANTILES y_value_50: must lie between y_value_20 and y_value_80"),  # ns among ms
    # units and metrics
    ({"metric_unit": "us"}, "UNIT metric_unit: speed is stated in ms, got 'us'"),
    ({"metric_unit": "s"}, "UNIT metric_unit: speed is stated in ms, got 's'"),
    ({"metric_unit": ""}, "UNIT metric_unit: speed is stated in ms, got ''"),
    ({"metric_unit": "MB"}, "UNIT metric_unit: speed is stated in ms, got 'MB'"),
    (MEMORY | {"metric_unit": "GB"}, "UNIT metric_unit: memory is stated in MB, got 'GB'"),
    (MEMORY | {"metric_unit": "ms"}, "UNIT metric_unit: memory is stated in MB, got 'ms'"),
    (MEMORY | {"y_value_50": "0"}, "VALUE y_value_50: must be finite and above 0, got '0'"),
    ({"metric_name": "energy"}, "UNKNOWN_METRIC metric_name: is speed or memory, got 'energy'"),
    (swapped("metric_name", "metric_unit"), "UNKNOWN_METRIC metric_name: is speed or memory, got 'ms'"),
    # passes, times and releases
    (
        {"kernel_operation_mode": "sideways"},
        "UNKNOWN_PASS kernel_operation_mode: is one of forward, backward, full, no-grad-forward, got 'sideways'",
    ),
    (
        {"kernel_operation_mode": ""},
        "UNKNOWN_PASS kernel_operation_mode: is one of forward, backward, full, no-grad-forward, got ''",
    ),
    ({"timestamp": "2026-03-27"}, "TIMESTAMP timestamp: must be YYYY-MM-DD HH:MM:SS, got '2026-03-27'"),
    (
        {"timestamp": "2026-02-30 00:00:00"},
        "TIMESTAMP timestamp: must be YYYY-MM-DD HH:MM:SS, got '2026-02-30 00:00:00'",
    ),
    (
        {"timestamp": "03/27/2026 06:09:46"},
        "TIMESTAMP timestamp: must be YYYY-MM-DD HH:MM:SS, got '03/27/2026 06:09:46'",
    ),
    (
        {"timestamp": "2026-03-27T06:09:46Z"},
        "TIMESTAMP timestamp: must be YYYY-MM-DD HH:MM:SS, got '2026-03-27T06:09:46Z'",
    ),
    (
        swapped("gpu_name", "timestamp"),
        "TIMESTAMP timestamp: must be YYYY-MM-DD HH:MM:SS, got 'NVIDIA H100 80GB HBM3'",
    ),
    ({"liger_version": ""}, "LIGER_VERSION liger_version: must be a release such as 0.7.0, got ''"),
    (
        swapped("timestamp", "liger_version"),
        "TIMESTAMP timestamp: must be YYYY-MM-DD HH:MM:SS, got '0.7.0'",
    ),
    # sizes
    ({"x_value": "0"}, "SIZE x_value: must be a positive whole number, got '0'"),
    ({"x_value": "-4"}, "SIZE x_value: must be a positive whole number, got '-4'"),
    ({"x_value": "4096.0"}, "SIZE x_value: must be a positive whole number, got '4096.0'"),
    ({"x_value": "4_096"}, "SIZE x_value: must be a positive whole number, got '4_096'"),
    ({"x_value": ""}, "NAME x_value: must be of 1 to 200 characters, got 0"),
    ({"gpu_name": ""}, "NAME gpu_name: must be of 1 to 200 characters, got 0"),
    ({"kernel_provider": ""}, "NAME kernel_provider: must be of 1 to 200 characters, got 0"),
    ({"kernel_name": "k" * 1000}, "NAME kernel_name: must be of 1 to 200 characters, got 1,000"),
    ({"x_value": "9" * 16}, f"SIZE x_value: must be a positive whole number, got '{'9' * 16}'"),
    (swapped("x_value", "y_value_50"), "QUANTILES y_value_50: must lie between y_value_20 and y_value_80"),
    (swapped("x_value", "x_label"), "SIZE x_value: must be a positive whole number, got 'hidden size'"),
    # configurations
    ({CONFIG: "[]"}, f"CONFIG {CONFIG}: must be a JSON object"),
    ({CONFIG: ""}, f"CONFIG {CONFIG}: line 1: is empty"),
    ({CONFIG: "None"}, f'CONFIG {CONFIG}: line 1: is not JSON: expected a value, found "None"'),
    ({CONFIG: "{M: 1}"}, f'CONFIG {CONFIG}: line 1: is not JSON: expected a key in double quotes, found "M: 1}}"'),
    ({CONFIG: quoted('{"M": 1, "M": 2}')}, f"CONFIG {CONFIG}: line 1: M: is written twice in one object"),
    (
        {CONFIG: quoted('{"M": NaN, "dtype": "torch.bfloat16"}')},
        f"CONFIG {CONFIG}: line 1: M: NaN is not a finite number",
    ),
    (sized('true'), WHOLE + "True"),
    (sized('8.0'), WHOLE + "8.0"),
    (sized('"8"'), WHOLE + "'8'"),
    (sized('0'), WHOLE + "0"),
    (
        LOSS | {CONFIG: quoted(LOSS_CONFIG % ', "weight_soft_loss": "half"')},
        f"CONFIG {CONFIG}: weight_soft_loss must be a number, got 'half'",
    ),
    (LOSS | {CONFIG: quoted(LOSS_CONFIG % "")}, f"CONFIG {CONFIG}: weight_soft_loss must be a number, got None"),
    (
        LOSS | {CONFIG: quoted((LOSS_CONFIG % ', "weight_soft_loss": 0.5').replace("64", "65"))},
        f"SIZE {CONFIG}: student_hidden is hidden // 2, which leaves a rest",
    ),
    (
        {"kernel_name": "kl_div", "x_name": "V", CONFIG: quoted('{"B": 999999999, "T": 999999999}')},
        f"SIZE {CONFIG}: axis tokens is over 999,999,999,999,999",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("columns", "fault"), ROWS)
def test_a_row_that_is_not_taken_says_why_and_harms_no_other(csv: Write, columns: dict[str, str], fault: str) -> None:
    reason, rest = fault.split(" ", 1)
    path = csv(line(**columns), line())
    assert untaken(path) == [f"{reason} rows.csv: line 2: {rest}"]
    assert [run.upstream_key for run in of(RunEntry, path)] == [KEY]


@pytest.mark.parametrize(
    ("columns", "kind", "name"),
    [
        ({"gpu_name": "NVIDIA Z9"}, "gpu", "NVIDIA Z9"),
        ({"kernel_provider": "someone"}, "provider", "someone"),
        ({"kernel_name": "dyt"}, "kernel", "dyt"),
        (swapped("kernel_name", "kernel_provider"), "kernel", "torch"),
        ({"kernel_name": "k" * 200}, "kernel", "k" * 200),
        ({"x_name": "V"}, "configuration", "relu_squared by V: M, dtype"),
        ({CONFIG: quoted('{"dtype": "torch.bfloat16"}')}, "configuration", "relu_squared by N: dtype"),
        ({CONFIG: quoted('{"M": null, "dtype": "torch.bfloat16"}')}, "configuration", "relu_squared by N: dtype"),
        ({CONFIG: quoted('{"M": 8, "dtype": "torch.int4"}')}, "configuration", "torch.int4"),
        ({CONFIG: quoted('{"M": 8}')}, "configuration", "relu_squared with dtype None"),
        ({CONFIG: quoted('{"M": 8, "dtype": 16}')}, "configuration", "relu_squared with dtype 16"),
        (
            {"kernel_name": "megatron_cross_entropy", "x_name": "V", CONFIG: quoted('{"S": 8, "B": 2, "TP": 2}')},
            "configuration", "megatron_cross_entropy with TP 2",
        ),
        (
            {"kernel_name": "megatron_cross_entropy", "x_name": "V", CONFIG: quoted('{"S": 8, "B": 2, "TP": true}')},
            "configuration", "megatron_cross_entropy with TP True",
        ),
    ],
)  # fmt: skip
def test_a_row_of_an_unknown_name_waits_with_its_text(
    csv: Write, columns: dict[str, str], kind: str, name: str
) -> None:
    path = csv(line(**columns), line())
    [waiting] = of(Pending, path)
    assert (waiting.kind, waiting.name, waiting.place.line, waiting.row) == (kind, name, 2, line(**columns))
    assert [run.upstream_key for run in of(RunEntry, path)] == [KEY]


def test_the_same_row_twice_is_taken_once(csv: Write) -> None:
    path = csv(line(), line())
    assert untaken(path) == [f"DUPLICATE rows.csv: line 3: timestamp: {KEY} stands in rows.csv: line 2 already"]
    assert len(of(RunEntry, path)) == 1


def test_a_row_of_the_same_id_and_another_value_is_not_taken_either(csv: Write) -> None:
    path = csv(line(), line(y_value_50="0.1264"))
    assert [entry.reason for entry in of(Rejected, path)] == ["DUPLICATE"]
    [run] = of(RunEntry, path)
    assert run.run["spec"]["timing"]["latencyNs"]["median"] == 126336


@pytest.mark.parametrize("text", ["", "a,b", line() + ",more", line(y_value_50="0,126")])
def test_a_ragged_row_is_not_taken(csv: Write, text: str) -> None:
    assert untaken(csv(text)) == ["COLUMN_COUNT rows.csv: line 2: a record has as many cells as the header has columns"]


@pytest.mark.parametrize("cut", [1, 3, 6])
def test_a_file_cut_in_its_last_cell_loses_that_row_only(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "rows.csv"
    text = "\n".join((HEADER, line(), line(timestamp="2026-03-28 00:00:00")))
    path.write_text(text[:-cut] if cut < 6 else text)
    assert len(of(RunEntry, path)) == 1
    assert [fault.split(":")[0] for fault in untaken(path)] == ["TRUNCATED rows.csv"]


def test_a_file_cut_between_cells_loses_that_row_only(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("\n".join((HEADER, line(), line().rsplit(",", 3)[0])))
    assert len(of(RunEntry, path)) == 1
    assert untaken(path) == ["COLUMN_COUNT rows.csv: line 3: a record has as many cells as the header has columns"]


def test_lines_may_end_as_on_windows(csv: Write) -> None:
    windows = [entry.run for entry in of(RunEntry, csv(line(), end="\r\n"))]
    assert windows == [entry.run for entry in of(RunEntry, csv(line()))]


def test_a_record_of_several_lines_is_named_by_its_last_and_kept_whole(csv: Write) -> None:
    text = line(x_label='"hidden\nsize"', metric_unit="us")
    [rejected] = of(Rejected, csv(text, line()))
    assert (rejected.place.line, rejected.row) == (3, text)


def test_what_waits_keeps_no_more_of_a_row_than_a_page_shows(csv: Write) -> None:
    [rejected] = of(Rejected, csv(line(x_label="x" * 10_000, metric_unit="us")))
    assert rejected.row == line(x_label="x" * 10_000, metric_unit="us")[: liger.LONGEST_ROW]


FILES: list[tuple[str, bytes, str]] = [
    ("empty", b"", "rows.csv: line 1: the header lacks kernel_name, kernel_provider, "),
    ("blank header", b"\n" + line().encode() + b"\n", "rows.csv: line 1: the header lacks kernel_name, "),
    ("no header", line().encode() + b"\n", "rows.csv: line 1: the header lacks kernel_name, "),
    (
        "a column renamed",
        HEADER.replace("gpu_name", "gpu").encode() + b"\n",
        "rows.csv: line 1: the header lacks gpu_name",
    ),
    (
        "columns dropped",
        HEADER.replace(",y_value_20,y_value_80", "").encode() + b"\n",
        "rows.csv: line 1: the header lacks y_value_20, y_value_80",
    ),
    (
        "a column twice",
        (HEADER + ",gpu_name\n").encode(),
        "rows.csv: line 1: the header names gpu_name more than once",
    ),
    (
        "semicolons",
        HEADER.replace(",", ";").encode() + b"\n",
        "rows.csv: line 1: the header lacks kernel_name, ",
    ),
    (
        "byte order mark",
        b"\xef\xbb\xbf" + HEADER.encode() + b"\n",
        "rows.csv: line 1: starts with a byte order mark; upstream writes plain UTF-8",
    ),
    ("UTF-16", (HEADER + "\n").encode("utf-16"), "rows.csv: is not UTF-8: line 1: byte 0xff"),
    ("UTF-16 without a mark", (HEADER + "\n").encode("utf-16-le"), "rows.csv: line 1: holds a NUL character"),
    (
        "Latin-1",
        f"{HEADER}\n{line()}\n{line(x_label='größe')}\n".encode("latin-1"),
        "rows.csv: is not UTF-8: line 3: byte 0xf6",
    ),
    (
        "a NUL",
        f"{HEADER}\n{line()}\n{line(gpu_name='a' + chr(0))}\n".encode(),
        "rows.csv: line 2: holds a NUL character",
    ),
    (
        "cut inside a quoted cell",
        f"{HEADER}\n{line()}\n{line()[:150]}".encode(),
        "rows.csv: line 3: unexpected end of data",
    ),
    ("a quote left open", f'{HEADER}\n{line(x_label=chr(34) + "size")}\n'.encode(), "rows.csv: line 2: "),
    ("a stray quote", f'{HEADER}\n{line(x_label=chr(34) + "a" + chr(34) + "b")}\n'.encode(), "rows.csv: line 2: "),
    (
        "a huge cell",
        f"{HEADER}\n{line(x_label='x' * 200_000)}\n".encode(),
        "rows.csv: line 2: field larger than field limit (131072)",
    ),
    ("compressed", b"\x1f\x8b\x08\x00" + bytes(range(256)), "rows.csv: is not UTF-8: line 1: byte 0x8b"),
    ("JSON", b'{"rows": []}\n', "rows.csv: line 1: the header lacks kernel_name, "),
]  # fmt: skip


@pytest.mark.parametrize(("data", "words"), [case[1:] for case in FILES], ids=[case[0] for case in FILES])
def test_a_file_that_is_not_what_it_should_be_is_refused_whole(tmp_path: Path, data: bytes, words: str) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(data)
    with pytest.raises(Unreadable) as unreadable:
        list(translated(liger, path))
    assert str(unreadable.value).startswith(words)


def test_a_file_that_is_not_there_is_unreadable(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match=r"absent\.csv: .*No such file"):
        list(translated(liger, tmp_path / "absent.csv"))
