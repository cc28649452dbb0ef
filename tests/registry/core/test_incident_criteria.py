"""Criteria of incidents: what can't be meant is refused, each fault by its own words."""

from datetime import UTC, datetime

import pytest

from registry.core.incident_criteria import Criteria, CriteriaError, parse

DIGEST = "sha256:" + "a" * 64


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ({"everything": True}, Criteria()),
        ({"sources": ["b", "a", "b"]}, Criteria(sources=("a", "b"))),
        ({"protocols": [DIGEST]}, Criteria(protocols=(DIGEST,))),
        ({"labels": {"worker": ["w2", "w1"]}}, Criteria(labels={"worker": ("w1", "w2")})),
        (
            {"observed_from": "2026-07-01", "observed_to": "2026-08-01T02:00:00+02:00"},
            Criteria(
                observed_from=datetime(2026, 7, 1, tzinfo=UTC), observed_to=datetime(2026, 8, 1, tzinfo=UTC)
            ),
        ),
    ],
)  # fmt: skip
def test_criteria_are_read_and_written_back_alike(written: dict[str, object], read: Criteria) -> None:
    assert parse(written) == read
    assert parse(read.as_json()) == read


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        (None, "Criteria are an object."),
        ([], "Criteria are an object."),
        ({}, "Nothing is selected by. State a criterion, or everything: true to cover every run."),
        ({"everything": False}, "everything is true, or is left out."),
        ({"everything": True, "sources": ["a"]}, "everything stands alone"),
        ({"hardware": ["h100"]}, "Unknown criterion 'hardware'; known are everything, sources, protocols,"),
        ({"sources": []}, "sources is a list of one name or more."),
        ({"sources": "liger"}, "sources is a list of one name or more."),
        ({"sources": [""]}, "sources is a list of one name or more."),
        ({"operations": [7]}, "operations is a list of one name or more."),
        ({"protocols": ["sha256:12"]}, "protocols: 'sha256:12' is no digest."),
        ({"environments": ["h100"]}, "environments: 'h100' is no digest."),
        ({"labels": {}}, "labels is an object of 1 to 8 names"),
        ({"labels": {"worker": []}}, "labels.worker is a list of one name or more."),
        ({"labels": {str(n): ["x"] for n in range(9)}}, "labels is an object of 1 to 8 names"),
        ({"observed_from": "yesterday"}, "observed_from: 'yesterday' is no date and no instant."),
        ({"observed_from": 20260701}, "observed_from: 20260701 is no date and no instant."),
        ({"observed_from": "2026-07-01T00:00:00"}, "'2026-07-01T00:00:00' has no time zone."),
        ({"observed_from": "2026-13-01"}, "is no date and no instant."),
        ({"observed_from": "2026-07-02", "observed_to": "2026-07-02"}, "observed_to is not after observed_from"),
    ],
)  # fmt: skip
def test_criteria_that_cant_be_meant_are_refused(written: object, fault: str) -> None:
    with pytest.raises(CriteriaError) as refused:
        parse(written)
    assert fault in str(refused.value)


def test_every_fault_is_told_at_once() -> None:
    with pytest.raises(CriteriaError) as refused:
        parse({"hardware": ["h100"], "sources": [], "observed_to": "soon"})
    assert len(refused.value.faults) == 3
