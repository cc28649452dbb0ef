import json
from pathlib import Path

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from registry.core.digest import canonical, document_text, is_digest, sha256
from registry.core.kinds import NotIndexed, parse

SHARED = Path(__file__).resolve().parents[4] / "shared"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1, "a": [True, None, "x"]}, '{"a":[true,null,"x"],"b":1}'),
        (1.0, "1"),
        (-0.0, "0"),
        ([1.0, -0.0, 14150.0], "[1,0,14150]"),
        ({"a": 14150.0}, '{"a":14150}'),
        (1e-05, "0.00001"),
        ({"value": 1.0048658277929109e-05}, '{"value":0.000010048658277929109}'),
        ({"eps": 1e-06}, '{"eps":0.000001}'),  # Liger's rms_norm
        ([1e-07], "[1e-7]"),
        ([0.1, 2.5, -3.25, 100.01], "[0.1,2.5,-3.25,100.01]"),
        (9007199254740991, "9007199254740991"),
        ("\x00\x01\b\t\n\x0b\f\r\x1f\x7f", '"\\u0000\\u0001\\b\\t\\n\\u000b\\f\\r\\u001f\x7f"'),
        ('"\\/', '"\\"\\\\/"'),
        ("é", '"é"'),  # no escapes, no Unicode normalisation
        ("e\u0301", '"e\u0301"'),
        ({"\U0001f600": 1, "\ufb33": 2}, '{"\U0001f600":1,"\ufb33":2}'),  # UTF-16 order, not code point order
        ({"sha256:46e1": "1.0", "a": "[1.0,-0"}, '{"a":"[1.0,-0","sha256:46e1":"1.0"}'),
    ],
)
def test_canonical_text_is_that_of_rfc_8785(value: object, text: str) -> None:
    assert canonical(value) == text


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 2**53, -(2**53), {"a": "\ud800"}, object()])
def test_what_json_cannot_say_has_no_canonical_text(value: object) -> None:
    with pytest.raises(rfc8785.CanonicalizationError):
        canonical(value)


numbers = st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(allow_nan=False, allow_infinity=False)
texts = st.text(st.characters(exclude_categories=["Cs"]))
values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
)


@given(values)
def test_the_fast_path_is_byte_equal_to_rfc8785(value: object) -> None:
    assert canonical(value).encode() == rfc8785.dumps(value)  # type: ignore[arg-type]


@given(st.dictionaries(texts, numbers, max_size=6), st.randoms())
def test_a_digest_is_stable_under_key_order(members: dict[str, object], random: object) -> None:
    keys = list(members)
    random.shuffle(keys)  # type: ignore[attr-defined]
    assert sha256(canonical({key: members[key] for key in keys})) == sha256(canonical(members))


def test_the_digest_of_text_is_that_of_its_utf8_bytes() -> None:
    assert sha256("") == "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert sha256("µ") == sha256(b"\xc2\xb5")


def test_the_drift_vector_holds() -> None:
    spec = {"name": "Vector Project", "repository": "https://example.invalid/vector/project"}
    assert document_text("SoftwareProject", spec) == (
        '{"apiVersion":"kernelindex.dev/v1alpha1","kind":"SoftwareProject",'
        '"spec":{"name":"Vector Project","repository":"https://example.invalid/vector/project"}}'
    )
    assert (
        sha256(document_text("SoftwareProject", spec))
        == "sha256:bea60af06f12216679b113d6624c5293d59bef2104ccc27cd33c992d124e039d"
    )


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("sha256:" + "0af9" * 16, True),
        ("sha256:" + "0AF9" * 16, False),
        ("sha256:" + "0af9" * 16 + "\n", False),
        ("sha256:" + "0" * 63, False),
        ("sha512:" + "0" * 64, False),
        ("0" * 64, False),
        ("", False),
    ],
)
def test_a_digest_is_whole_and_lower_case(text: str, answer: bool) -> None:
    assert is_digest(text) is answer


@pytest.mark.shared
@pytest.mark.parametrize("seed", ["seed_000_liger", "seed_002_sol"])
def test_the_seed_documents_have_their_digests(seed: str) -> None:
    documents = json.loads((SHARED / "seeds/seed-documents.json").read_text())[seed]
    checked = 0
    for name, entry in documents.items():
        if "document" in entry:
            manifest = parse(entry["document"])
            assert sha256(document_text(manifest.kind, manifest.spec)) == entry["digest"], name
            checked += 1
    assert checked >= 6


DIGEST_COLUMNS = ("semanticDigest", "workloadDigest", "implementationDigest", "runDigest")


@pytest.mark.shared
def test_one_exported_document_of_each_kind_has_its_digest() -> None:
    checked: set[str] = set()
    skipped: set[str] = set()
    for line in (SHARED / "data/samples/export_one_of_each.jsonl").read_text().splitlines():
        row = json.loads(line)["row"] if line else {}
        stated = row.get("manifest") or {}
        run = {
            "run": row.get("runDigest"),
            "protocol": row.get("protocolKey"),
            "environment": row.get("environmentKey"),
        }
        documents = [(stated[part], run[part]) for part in run] if "run" in stated else [(stated, None)]
        for document, digest in documents:
            if not document:
                continue
            try:
                manifest = parse(document)
            except NotIndexed:
                skipped.add(document["kind"])
                continue
            wanted = digest or next((row[column] for column in DIGEST_COLUMNS if column in row), None)
            assert wanted in (None, sha256(document_text(manifest.kind, manifest.spec)))
            checked.add(manifest.kind)
    assert len(checked) == 8
    assert len(skipped) == 5
