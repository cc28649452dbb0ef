import pytest

from registry.core import flags
from registry.core.flags import Kind


def timed(samples=None, **latency):
    counted = {} if samples is None else {"samples": samples}
    return {"timing": {"primaryStatistic": "median", "latencyNs": latency} | counted}


@pytest.mark.parametrize(
    ("spec", "codes"),
    [
        (timed(median=100), ()),
        (timed(1, median=100), ("SINGLE_SAMPLE",)),
        (timed(2, median=100), ()),
        (timed(median=100, p05=90, p95=115), ()),
        (timed(median=100, p05=90, p95=116), ("WIDE_SPREAD",)),
        (timed(1, median=100, minimum=1, maximum=200), ("SINGLE_SAMPLE", "WIDE_SPREAD")),
        (
            {"measurements": [{"metric": "score", "statistic": "unspecified", "unit": "s", "value": 1e-5}]},
            ("STATISTIC_UNSPECIFIED",),
        ),
        ({}, ()),
    ],
    ids=["plain", "one sample", "two samples", "25 %", "over 25 %", "two warnings", "statistic", "no figure"],
)
def test_a_run_is_warned_about_by_its_own_figures(spec, codes):
    assert flags.warnings(spec) == codes


@pytest.mark.parametrize(
    ("kind", "codes"),
    [
        (
            Kind.BLOCKING,
            "IMPLAUSIBLE OPERATION_MISMATCH DISQUALIFIED_UPSTREAM INCIDENT UNDECLARED_AXIS CONSTANT_AXIS MISSING_AXIS "
            "STATISTIC_MISMATCH STATISTIC_ORDER DERIVED_AXIS AXIS_BOUNDS TENSOR_MISMATCH MISSING_TENSOR "
            "COMPARATOR_MISMATCH MEASURED_ERROR INTERVAL DUPLICATE_MEASUREMENT UNIT_OF_METRIC UNKNOWN_DIRECTION",
        ),
        (Kind.WARNING, "SINGLE_SAMPLE WIDE_SPREAD TIME_ZONE_NOT_STATED STATISTIC_UNSPECIFIED INCIDENT_FLAG"),
        (Kind.NOTE, "INCIDENT_NOTE"),
    ],
)
def test_the_rules_are_the_documented_ones(kind, codes):
    assert [code for code, rule in flags.RULES.items() if rule.kind is kind] == codes.split()


def test_staff_flag_by_every_rule_but_those_that_an_incident_sets():
    assert set(flags.RULES) - set(flags.BY_HAND) == {"INCIDENT", "INCIDENT_FLAG", "INCIDENT_NOTE"}


def test_every_rule_is_filed_under_its_code_and_says_a_sentence():
    assert all(rule.code == code and rule.text.endswith(".") and rule.title for code, rule in flags.RULES.items())
