"""Testimony has no weight: for any set of attestations, ranks, records and evidence levels are those without them."""

import ast
import json
import uuid
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attestations.models import Attestation, AttestationMark, AttestationVersion, Kind, Profile
from registry import evidence, standings
from registry.core.digest import canonical, sha256
from registry.core.ids import uuid7
from registry.models import ComparisonGroup, EvidenceLevel, GroupStanding, Record, Run, Standing
from tests.attestations.people import kept, sampled, statement
from tests.conftest import NOW
from tests.people import member, signed_in
from tests.registry.pages import publish_group

pytestmark = pytest.mark.django_db
ACCOUNTS, RUNS = 50, 50
VERDICTS = ("agrees", "slower", "faster", "incorrect", "inconclusive", "not comparable", None)
STATES = ("standing", "withdrawn", "hidden")
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def runs(db: None) -> list[Run]:
    return publish_group(RUNS)


@pytest.fixture
def actors(db: None) -> list[uuid.UUID]:
    """Fifty accounts that need no password for this."""
    first = member("first")
    users = type(first).objects.bulk_create(
        type(first)(username=f"user-{number}", email=f"{number}@example.org") for number in range(ACCOUNTS)
    )
    return [profile.actor for profile in Profile.objects.bulk_create(Profile(user=user) for user in users)]


@st.composite
def sets(draw: st.DrawFn) -> list[tuple[int, int, str, str | None, bool, str]]:
    """Who, of which run, what kind, which verdict, whether comparable, in which state: one of a kind each."""
    said = st.tuples(
        st.integers(0, ACCOUNTS - 1), st.integers(0, RUNS - 1), st.sampled_from(Kind.values),
        st.sampled_from(VERDICTS), st.booleans(), st.sampled_from(STATES),
    )  # fmt: skip
    return draw(st.lists(said, max_size=60, unique_by=lambda one: one[:3]))


def insert(runs: list[Run], actors: list[uuid.UUID], chosen: Any) -> None:
    """As rows, whatever their verdict: what no form would let in must have no weight either."""
    heads, versions, marks = [], [], []
    for number, (who, run, kind, verdict, is_comparable, state) in enumerate(chosen):
        at = NOW + timedelta(seconds=number)
        head = Attestation(
            id=uuid7(at, f"{number}"), run=runs[run], actor=actors[who], kind=kind, at=at,
            withdrawn_at=at if state == "withdrawn" else None, hidden_at=at if state == "hidden" else None,
        )  # fmt: skip
        heads.append(head)
        assessment = {
            "verdict": verdict, "value": "1.0", "unit": "ns", "n": 50, "statistic": "median", "low": None, "high": None,
            "interval_name": None, "ratio": None, "reasons": [], "not_stated": [], "policy": "verdict-v1",
        }  # fmt: skip
        versions.append(
            AttestationVersion(
                id=uuid7(at, f"v{number}"), attestation=head, number=1, at=at, digest="sha256:" + "0" * 64, text="x",
                verdict=verdict, is_comparable=is_comparable, assessment=assessment if verdict else {},
            )
        )  # fmt: skip
        if state != "standing":
            marks.append(
                AttestationMark(id=uuid7(at, f"m{number}"), attestation=head, kind=state, at=at, actor=actors[0])
            )
    for model, rows in ((Attestation, heads), (AttestationVersion, versions), (AttestationMark, marks)):
        model.objects.bulk_create(rows)


def derived() -> list[Any]:
    """Ranks, group counts, records and levels, derived from scratch."""
    standings.refresh(list(ComparisonGroup.objects.values_list("pk", flat=True)))
    evidence.refresh(list(Run.objects.values_list("pk", flat=True)))
    return [
        sorted(map(repr, model._default_manager.values_list())) for model in (Standing, GroupStanding, EvidenceLevel)
    ] + [sorted(map(repr, Record.objects.values_list("group", "run", "previous", "kind", "at")))]


def page_data(runs: list[Run]) -> str:
    """Digest of what the ranking's pages say as JSON: the group's, the lists', a run's without its community."""
    client = Client()
    paths = (f"/groups/{runs[0].group.key}/", "/groups/", "/runs/", f"/operations/{runs[0].operation.slug}/", "/home/")
    said = [client.get(f"/api/v1{path}").json() for path in paths]
    for run in (runs[0], runs[7], runs[-1]):
        answer = client.get(f"/api/v1/runs/{run.digest}/").json()
        del answer["community"]
        said.append(answer)
    return sha256(canonical(json.loads(json.dumps(said))))


@pytest.fixture
def without(runs: list[Run], actors: list[uuid.UUID]) -> tuple[list[Any], str]:
    return derived(), page_data(runs)


def test_any_set_of_attestations_leaves_ranks_records_and_levels_as_they_are(
    runs: list[Run], actors: list[uuid.UUID], without: tuple[list[Any], str]
) -> None:
    @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(chosen=sets())
    def holds(chosen: Any) -> None:
        with transaction.atomic():
            insert(runs, actors, chosen)
            assert Attestation.objects.count() == len(chosen)
            assert (derived(), page_data(runs)) == without
            transaction.set_rollback(True)

    holds()


def test_fifty_accounts_with_fifty_reproductions_each_move_nothing(
    runs: list[Run], actors: list[uuid.UUID], without: tuple[list[Any], str]
) -> None:
    everyone = [
        (who, run, "reproduced" if run % 2 else "not_reproduced", "agrees" if run % 2 else "slower", True, "standing")
        for who in range(ACCOUNTS)
        for run in range(RUNS)
    ]
    insert(runs, actors, everyone)
    assert Attestation.objects.count() == 2500
    assert (derived(), page_data(runs)) == without


def test_what_is_sent_by_the_form_s_own_act_moves_nothing(runs: list[Run], without: tuple[list[Any], str]) -> None:
    digest = runs[3].digest
    for number, said in enumerate(
        (statement(value="0.0001"), statement(value="900"), sampled([1, 1.01, 1.02] * 9), statement(is_incorrect=True))
    ):
        kept(member(f"m{number}"), said, run=digest)
    assert Run.objects.get(digest=digest).attestations.count() == 4
    assert (derived(), page_data(runs)) == without


# --- what is not even looked at


def modules(*folders: str) -> Iterator[Path]:
    for folder in folders:
        path = ROOT / folder
        yield from [path] if path.suffix else sorted(path.rglob("*.py"))


FACTS = (
    "registry/core", "registry/models", "registry/queries", "registry/standings", "registry/evidence.py",
    "registry/staging", "registry/ingest", "registry/corrections.py", "registry/verifying",
)  # fmt: skip


def test_what_ranks_and_levels_are_made_by_names_no_table_of_testimony() -> None:
    """T03: no module under the pages knows the tables, so no sort key can come from them."""
    words = ("attestation", "follow__", "follows__", "reports__", "author_notes")
    told = [
        f"{path.relative_to(ROOT)}: {node.value}"
        for path in modules(*FACTS)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and any(word in node.value for word in words)
        and " " not in node.value  # prose of docstrings and sentences
    ]
    assert told == []


def test_attestations_are_ordered_by_date_and_by_nothing_else() -> None:
    allowed = {"-attestation__at", "-attestation__id", "-at", "-id", "label", "digest", "name", "-number"}
    asked = [
        argument.value
        for path in modules("attestations/queries/attestations.py", "attestations/queries/offers.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "order_by"
        for argument in node.args
        if isinstance(argument, ast.Constant)
    ]
    assert set(asked) <= allowed
    assert "-attestation__at" in asked


def test_a_reader_who_attested_sees_the_ranking_that_everybody_sees(runs: list[Run]) -> None:
    user = member("ann")
    path = f"/groups/{runs[0].group.key}/"
    before = Client().get(path).context["page"]
    kept(user, statement(kind="not_reproduced", value="900"), run=runs[0].digest)
    assert signed_in(user).get(path).context["page"] == before
