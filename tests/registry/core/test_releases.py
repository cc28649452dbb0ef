"""The release of a run: the upstream's word first, then a label that names a version; never one of several."""

import pytest

from registry.core.releases import release


@pytest.mark.parametrize(
    ("sighted", "labels", "expected"),
    [
        ("0.7.0", {}, "0.7.0"),
        ("0.7.0", {"liger_version": "0.6.9"}, "0.7.0"),
        (None, {"liger_version": "0.6.9", "worker": "7"}, "0.6.9"),
        ("", {"liger_version": "0.6.9"}, "0.6.9"),
        (None, {"torch_version": "2.9", "cuda_version": "13"}, None),
        (None, {"version": "1", "versions": "2"}, None),
        (None, {}, None),
    ],
)
def test_a_release_is_what_upstream_calls_it(sighted: str | None, labels: dict[str, str], expected: str | None) -> None:
    assert release(sighted, labels) == expected
