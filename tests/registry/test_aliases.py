"""What names stand for: settled by a person with a reason, in force by source, newest first, revocable."""

from typing import Any

import pytest

from registry import aliases
from registry.aliases import AliasError
from registry.core.ids import uuid7
from registry.importers import gpus
from registry.models import AuditEvent, NameAlias, Source, UnmappedName
from tests.conftest import NOW
from tests.registry.syncs.reading import CURATOR, DAY, MINUTE, another_source, liger_source

FACTS = {"vendor": "nvidia", "product": "NVIDIA X9", "architecture": "sm_200"}


@pytest.fixture
def source(db: None) -> Source:
    return liger_source()


def settled(source: Source | None, name: str = "X9", target: str = "NVIDIA B200", **options: Any) -> NameAlias:
    given = {"kind": "gpu", "reason": "So says its maker.", "actor": CURATOR, "now": NOW, **options}
    return aliases.settle(source=source, name=name, target=target, **given)


def waiting(source: Source, name: str = "X9") -> UnmappedName:
    return UnmappedName.objects.create(
        id=uuid7(NOW, f"{source.slug}:{name}"), source=source, kind="gpu", name=name, first_seen_at=NOW, row_count=3,
        example="row",
    )  # fmt: skip


def test_a_settled_name_is_known_to_its_source_alone(source: Source) -> None:
    settled(source)
    assert aliases.known(source).names == {("gpu", "X9"): "NVIDIA B200"}
    assert aliases.known(another_source()).names == {}
    assert aliases.known(None).names == {}


def test_a_name_settled_for_all_is_known_to_all(source: Source) -> None:
    settled(None)
    assert aliases.known(source).names == aliases.known(None).names == {("gpu", "X9"): "NVIDIA B200"}


@pytest.mark.parametrize("own_first", [True, False])
def test_a_source_s_own_name_goes_before_everybody_s(source: Source, own_first: bool) -> None:
    settled(source if own_first else None, target="NVIDIA B200" if own_first else "NVIDIA H100")
    settled(None if own_first else source, target="NVIDIA H100" if own_first else "NVIDIA B200", now=NOW + MINUTE)
    assert aliases.known(source).names == {("gpu", "X9"): "NVIDIA B200"}
    assert aliases.known(None).names == {("gpu", "X9"): "NVIDIA H100"}


def test_the_newest_of_a_name_holds(source: Source) -> None:
    for minute, target in enumerate(("NVIDIA B200", "NVIDIA H100", "NVIDIA A10")):
        settled(source, target=target, now=NOW + minute * MINUTE)
    assert aliases.known(source).names == {("gpu", "X9"): "NVIDIA A10"}
    assert NameAlias.objects.count() == 3


def test_a_revoked_name_is_unknown_again_and_can_be_settled_anew(source: Source) -> None:
    aliases.revoke(settled(source), reason="A mistake.", actor=CURATOR, now=NOW + MINUTE)
    assert aliases.known(source).names == {}
    settled(source, target="NVIDIA H100", now=NOW + DAY)
    assert aliases.known(source).names == {("gpu", "X9"): "NVIDIA H100"}


def test_revoking_a_source_s_own_name_leaves_everybody_s(source: Source) -> None:
    settled(None, target="NVIDIA H100")
    aliases.revoke(settled(source), reason="A mistake.", actor=CURATOR, now=NOW + MINUTE)
    assert aliases.known(source).names == {("gpu", "X9"): "NVIDIA H100"}


def test_only_what_holds_is_revoked(source: Source) -> None:
    first = settled(source)
    second = settled(source, target="NVIDIA H100", now=NOW + MINUTE)
    with pytest.raises(AliasError, match="Only the alias that holds now can be revoked"):
        aliases.revoke(first, reason="So.", actor=CURATOR, now=NOW + DAY)
    revocation = aliases.revoke(second, reason="So.", actor=CURATOR, now=NOW + DAY)
    for alias in (second, revocation):
        with pytest.raises(AliasError, match="Only the alias that holds now"):
            aliases.revoke(alias, reason="So.", actor=CURATOR, now=NOW + 2 * DAY)


def test_answers_are_handed_on(source: Source) -> None:
    assert aliases.known(source, {"unit": "us"}).answers == {"unit": "us"}


def test_a_gpu_can_be_given_by_its_facts_and_importers_take_them(source: Source) -> None:
    alias = settled(source, target="", facts={**FACTS, "formFactor": "SXM7"})
    assert (alias.target, alias.facts) == ("NVIDIA X9 SXM7", {**FACTS, "formFactor": "SXM7"})
    known = aliases.known(source)
    assert gpus.hardware("X9", known) == {**FACTS, "formFactor": "SXM7"}


@pytest.mark.parametrize(
    ("spelling", "name"),
    [("b200", "NVIDIA B200"), ("H100 SXM", "NVIDIA H100 80GB HBM3"), ("  NVIDIA_H100_PCIe ", "NVIDIA H100 PCIe")],
)
def test_a_gpu_is_kept_by_the_name_that_its_hardware_has_here(source: Source, spelling: str, name: str) -> None:
    settled(source, target=spelling)
    assert aliases.known(source).names == {("gpu", "X9"): name}
    assert gpus.hardware("X9", aliases.known(source)) == gpus.hardware(spelling, aliases.known(None))


def test_a_name_is_kept_as_upstream_spells_it(source: Source) -> None:
    settled(source, name=" X9 \t")
    assert aliases.known(source).names == {("gpu", " X9 \t"): "NVIDIA B200"}


def test_other_kinds_stand_for_any_name(source: Source) -> None:
    settled(source, kind="provider", name="liger2", target="liger")
    assert aliases.known(source).names == {("provider", "liger2"): "liger"}


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"kind": "planet"}, "Names are of one of: gpu, provider, kernel, configuration."),
        ({"name": " "}, "A name has 1 to 300 characters."),
        ({"name": "x" * 301}, "A name has 1 to 300 characters."),
        ({"target": ""}, "Give either the name that it stands for, or its facts."),
        ({"target": " "}, "Give either the name that it stands for, or its facts."),
        ({"facts": FACTS}, "Give either the name that it stands for, or its facts."),
        ({"target": "X9"}, "No importer knows a GPU 'X9'; give its facts: vendor, product, architecture."),
        ({"name": "NVIDIA B200"}, "A name can't stand for itself."),
        ({"target": "", "facts": {"vendor": "nvidia"}}, "The facts of a GPU lack product, architecture."),
        ({"target": "", "facts": {**FACTS, "product": " "}}, "The facts of a GPU lack product."),
        (
            {"target": "", "facts": {**FACTS, "clock": "9 GHz"}},
            "A GPU's facts are vendor, product, architecture, formFactor; not clock.",
        ),
        (
            {"kind": "kernel", "target": "", "facts": FACTS},
            "Only a GPU is given by its facts; say which name this one stands for.",
        ),
        ({"kind": "kernel", "target": "x" * 301}, "The name that it stands for has at most 300 characters."),
        ({"kind": "kernel", "target": "X9"}, "A name can't stand for itself."),
        ({"reason": " "}, "State a reason: it is kept with the alias."),
    ],
)
def test_what_settles_nothing_is_refused(source: Source, options: dict[str, Any], text: str) -> None:
    with pytest.raises(AliasError) as refused:
        settled(source, **options)
    assert (str(refused.value), NameAlias.objects.count(), AuditEvent.objects.count()) == (text, 0, 0)


def test_both_acts_are_audited(source: Source) -> None:
    alias = settled(source)
    revocation = aliases.revoke(alias, reason="A mistake.", actor=CURATOR, now=NOW + MINUTE)
    assert [(event.action, event.target, event.reason, event.actor) for event in (alias.audit, revocation.audit)] == [
        ("name settled", "X9", "So says its maker.", CURATOR), ("name unsettled", "X9", "A mistake.", CURATOR),
    ]  # fmt: skip
    assert alias.audit.detail == {"source": source.slug, "kind": "gpu", "target": "NVIDIA B200", "facts": None}


def test_the_queue_of_unmapped_names_follows(source: Source) -> None:
    mine, others = waiting(source), waiting(another_source())
    alias = settled(source)
    for name, is_settled in ((mine, True), (others, False)):
        name.refresh_from_db()
        assert name.is_settled is is_settled
    aliases.revoke(alias, reason="A mistake.", actor=CURATOR, now=NOW + MINUTE)
    mine.refresh_from_db()
    assert mine.is_settled is False


def test_a_name_settled_for_all_settles_it_for_each(source: Source) -> None:
    names = [waiting(source), waiting(another_source()), waiting(source, "X10")]
    settled(None)
    for name in names:
        name.refresh_from_db()
    assert [name.is_settled for name in names] == [True, True, False]
