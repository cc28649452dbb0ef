"""What readers say about one run, as its page shows it: newest first, whatever it says."""

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery

from attestations.core import acm, contest, statistics, verdict
from attestations.models import (
    Attestation,
    AttestationMark,
    AttestationMarkKind,
    AttestationVersion,
    Kind,
    Relation,
    Setup,
)
from attestations.queries.claims import claimed_by
from attestations.queries.names import DELETED, UNNAMED, names
from attestations.queries.redactions import removals
from registry.core import measurement
from registry.core.axes import Axis, logarithmic, zoomed
from registry.queries import addresses, keyset
from registry.queries.shapes import Page, Quantity, Range, Ref, quantity

SHOWN = 20  # on the run's page; the list has all
DRAWN = 5  # of those that go against the claim
# Kind -> the mark that it is shown with; the word is the kind's own.
MARKS = {
    Kind.REPRODUCED: "reproduced",
    Kind.NOT_REPRODUCED: "disagrees",
    Kind.ENVIRONMENT_NOTE: "note",
    Kind.REGRESSION: "disagrees",
}
WITHDRAWN = "Withdrawn by its author. The kind and dates stay on record."
WIDE = 20  # past this ratio between two values of one drawing its axis is logarithmic
NEWEST = ("-at", "-id")


@dataclass(frozen=True, slots=True)
class Attestor:
    """Who said it, by the public name of today. Without a page: the account or its name is gone."""

    name: str
    url: str | None


@dataclass(frozen=True, slots=True)
class AcmClass:
    """The class of a reproduction by ACM's terms (version 1.1), its definition, and why it is this one."""

    word: str
    definition: str
    why: str


@dataclass(frozen=True, slots=True)
class Claimed:
    """The run's primary value and the band that a verdict goes by; None where the run has no value."""

    value: Quantity | None
    statistic: str | None
    band: Range | None

    @property
    def axis_title(self) -> str:
        return f"measured, claim and band, {self.value.display_unit if self.value else ''}"


@dataclass(frozen=True, slots=True)
class MeasuredResult:
    """What was measured. `value` is in the claim's unit; None where it is not of that dimension: then as `written`."""

    value: Quantity | None
    written: str | None
    statistic: str | None
    n: int | None
    interval: Range | None
    verdict: str
    verdict_text: str
    is_comparable: bool
    ratio: float | None
    reasons: tuple[str, ...]
    not_stated: tuple[str, ...]
    policy: str
    samples_from: str | None
    samples_url: str | None


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where it was measured, as far as stated: a known environment, or words."""

    text: str
    environment: Ref | None
    hardware: Ref | None
    setup: str | None
    relation: str | None


@dataclass(frozen=True, slots=True)
class Entry:
    """One attestation in one wording. Withdrawn or hidden, it has no words and no figures left to show."""

    id: str
    url: str
    kind: str
    word: str
    mark: str
    state: str
    state_text: str | None
    author: Attestor
    is_own_run: bool
    at: datetime
    version: int
    edited_at: datetime | None
    digest: str | None
    text: str | None
    result: MeasuredResult | None
    surroundings: Surroundings | None
    evidence_url: str | None
    acm: AcmClass | None

    @property
    def is_shown(self) -> bool:
        return self.state == "standing"


@dataclass(frozen=True, slots=True)
class Contest:
    """Comparable results that go against the claim, in words beside the number: both values, and whose the newest is.

    `competing` are the values of the newest few of them, that one's first; they are drawn beside the claim.
    """

    text: str
    by: str
    attestation_url: str
    reasons: tuple[str, ...]
    competing: tuple[Quantity, ...]
    claim: Claimed
    axis: Axis | None

    @property
    def axis_note(self) -> str:
        """What has to be said of an axis that does not start at 0."""
        return "logarithmic" if self.axis and self.axis.is_log else "not from 0" if self.axis and self.axis.low else ""


@dataclass(frozen=True, slots=True)
class Testimony:
    """The attestations of a run: a summary of what stands, then the newest of them."""

    total: int
    summary: str | None
    contest: Contest | None
    claim: Claimed
    entries: tuple[Entry, ...]
    more: int
    all_url: str
    axis: Axis | None


@dataclass(frozen=True, slots=True)
class AttestationList:
    """All attestations of one run, newest first, a page at a time."""

    run: Ref
    summary: str | None
    claim: Claimed
    entries: tuple[Entry, ...]
    page: Page
    axis: Axis | None


@dataclass(frozen=True, slots=True)
class AttestationStep:
    """A dated act on an attestation."""

    what: str
    at: datetime
    reason: str


@dataclass(frozen=True, slots=True)
class Distribution:
    """How the samples lie: counts in equal steps from the least to the greatest."""

    axis: Axis | None
    counts: tuple[int, ...]
    minimum: Quantity
    median: Quantity
    mean: Quantity
    maximum: Quantity


@dataclass(frozen=True, slots=True)
class AttestationPage:
    """One attestation: what it says now, each earlier wording, and what happened to it."""

    entry: Entry
    run: Ref
    claim: Claimed
    wordings: tuple[Entry, ...]
    history: tuple[AttestationStep, ...]
    distribution: Distribution | None
    axis: Axis | None


def testimony(run: Any) -> Testimony:
    """What stands beside the facts of a run that registry.queries.runs.find gave.

    One query where nothing was said; else at most five, however many attestations there are.
    """
    counts = _counts(run.id)
    total = sum(counts.values())
    claim = claimed(run)
    if not total:
        return Testimony(0, None, None, claim, (), 0, _all_url(run), None)
    rows = list(_current(run.id).order_by("-attestation__at", "-attestation__id")[:SHOWN])
    against = _against(run.id, counts)
    called = names({row.attestation.actor for row in (*rows, *against)})
    own, gone = claimants(run), removals(rows)
    entries = tuple(entry(row, run=run, called=called, own=own, gone=gone) for row in rows)
    against_claim = _contest(run, claim, against, called, counts)
    more = max(total - SHOWN, 0)
    return Testimony(
        total, _summary(counts), against_claim, claim, entries, more, _all_url(run), axis_of(claim, entries)
    )


def attestation_list(run: Any, *, cursor: str | None) -> AttestationList:
    """Raises Attestation.DoesNotExist where the run was redacted."""
    if not run.name:
        raise Attestation.DoesNotExist
    counts = _counts(run.id)
    heads, following = keyset.page(
        Attestation.objects.filter(run_id=run.id), order=NEWEST, scope=f"attestations {run.digest}", cursor=cursor
    )
    found = {row.attestation_id: row for row in _current(run.id).filter(attestation__in=[head.pk for head in heads])}
    rows = [found[head.pk] for head in heads]
    called, own, claim = names({head.actor for head in heads}), claimants(run), claimed(run)
    gone = removals(rows)
    entries = tuple(entry(row, run=run, called=called, own=own, gone=gone) for row in rows)
    page = Page(following, sum(counts.values()))
    return AttestationList(_run_ref(run), _summary(counts), claim, entries, page, axis_of(claim, entries))


def attestation_page(attestation_id: uuid.UUID) -> AttestationPage:
    """Raises Attestation.DoesNotExist, also where the run was redacted: then nothing of it is shown."""
    head = (
        Attestation.objects.exclude(run__name="")
        .select_related(
            "run__group", "run__source", "run__environment__hardware", "run__implementation__project", "run__operation"
        )
        .get(pk=attestation_id)
    )
    run = head.run
    versions = list(
        _with_hidden_reason(head.versions.select_related("attestation", "environment", "hardware")).order_by("-number")
    )
    called, own, claim = names({head.actor}), claimants(run), claimed(run)
    gone = removals(versions)
    wordings = tuple(entry(row, run=run, called=called, own=own, gone=gone) for row in versions)
    now = wordings[0]
    samples = versions[0].samples if now.is_shown else None
    return AttestationPage(
        now, _run_ref(run), claim, wordings[1:] if now.is_shown else (), _history(head, versions),
        _distribution(versions[0], run) if samples else None, axis_of(claim, [now]),
    )  # fmt: skip


def previewed(attestation: Attestation, version: AttestationVersion, run: Any) -> tuple[Entry, Claimed, Axis | None]:
    """What an unsaved attestation would look like."""
    version.hidden_reason = None
    made = entry(version, run=run, called=names({attestation.actor}), own=claimants(run), is_kept=False)
    claim = claimed(run)
    return made, claim, axis_of(claim, [made])


def claimants(run: Any) -> frozenset[uuid.UUID]:
    """Who speaks for the project or for the source of a run: what they measure of it is their own work."""
    return frozenset(actor for _, actor in claimed_by([run.implementation.project_id], [run.source_id]))


# --- rows


def _current(run_id: uuid.UUID) -> QuerySet[AttestationVersion]:
    """The newest wording of each attestation of a run, with why it is hidden where it is."""
    found = AttestationVersion.objects.filter(attestation__run=run_id, number=F("attestation__version"))
    return _with_hidden_reason(found.select_related("attestation", "environment", "hardware").defer("samples"))


def _with_hidden_reason(found: QuerySet[AttestationVersion]) -> QuerySet[AttestationVersion]:
    hidden = AttestationMark.objects.filter(
        attestation=OuterRef("attestation"), kind=AttestationMarkKind.HIDDEN
    ).order_by("-at", "-id")
    return found.annotate(hidden_reason=Subquery(hidden.values("reason")[:1]))


def _counts(run_id: uuid.UUID) -> dict[tuple[str | None, bool], int]:
    """How many attestations of a run there are by (state or verdict, whether comparable). One row a kind of answer."""
    found = (
        AttestationVersion.objects.filter(attestation__run=run_id, number=F("attestation__version"))
        .order_by()
        .values(
            "verdict",
            "is_comparable",
            is_withdrawn=Q(attestation__withdrawn_at__isnull=False),
            is_hidden=Q(attestation__hidden_at__isnull=False),
        )
        .annotate(n=Count("pk"))
    )
    counts: dict[tuple[str | None, bool], int] = {}
    for row in found:
        state = "withdrawn" if row["is_withdrawn"] else "hidden" if row["is_hidden"] else row["verdict"]
        key = (state, bool(row["is_comparable"]) and state == row["verdict"])
        counts[key] = counts.get(key, 0) + row["n"]
    return counts


def _against(run_id: uuid.UUID, counts: Mapping[tuple[str | None, bool], int]) -> list[AttestationVersion]:
    """The newest comparable results that go against the claim; not asked for where there are none."""
    if not _reasons(counts):
        return []
    found = _current(run_id).filter(
        verdict__in=contest.AGAINST, is_comparable=True, attestation__withdrawn_at=None, attestation__hidden_at=None
    )
    return list(found.order_by("-attestation__at", "-attestation__id")[:DRAWN])


# --- one entry


def entry(
    row: AttestationVersion, *, run: Any, called: Mapping[uuid.UUID, str], own: frozenset[uuid.UUID],
    is_kept: bool = True, gone: Mapping[uuid.UUID, str] = MappingProxyType({}),
) -> Entry:  # fmt: skip
    """One wording of an attestation; nothing of it but kind, author and dates where it was withdrawn or hidden.

    `gone` tells what stands in the place of words that were removed; the verdict stays.
    """
    head = row.attestation
    state = "withdrawn" if head.withdrawn_at else "hidden" if head.hidden_at else "standing"
    is_shown = state == "standing"
    url = attestation_url(head.pk)
    is_claimant = head.actor in own
    kind = Kind(head.kind)
    hidden_text = head.hidden_at and f"Hidden by a moderator on {head.hidden_at:%Y-%m-%d}: {row.hidden_reason}"
    return Entry(
        id=str(head.pk),
        url=url,
        kind=kind.value,
        word=kind.label,
        mark="withdrawn" if state == "withdrawn" else MARKS[kind],
        state=state,
        state_text={"withdrawn": WITHDRAWN, "hidden": hidden_text, "standing": None}[state],
        author=author(called[head.actor]),
        is_own_run=is_claimant or (is_shown and row.relation == Relation.OWN),
        at=head.at,
        version=row.number,
        edited_at=row.at if row.number > 1 else None,
        digest=row.digest if is_shown else None,
        text=gone.get(row.pk, row.text) if is_shown else None,
        result=_result(row, run, url, is_kept and row.pk not in gone) if is_shown and row.verdict else None,
        surroundings=_surroundings(row) if is_shown else None,
        evidence_url=row.evidence_url or None if is_shown else None,
        acm=_acm(row, own) if is_shown and row.verdict else None,
    )


def attestation_url(attestation_id: uuid.UUID) -> str:
    return f"/attestations/{attestation_id}/"


def author(name: str) -> Attestor:
    return Attestor(name, None if name in (DELETED, UNNAMED) else f"/people/{quote(name)}/")


def _result(row: AttestationVersion, run: Any, url: str, is_kept: bool) -> MeasuredResult:
    made = row.assessment
    unit = made["unit"]
    value = _quantity(made["value"], unit)
    interval = None
    if made["low"] is not None and value:
        low, high = (quantity(float(made[end]), unit, value.display_unit) for end in ("low", "high"))
        interval = Range(low, high, made["interval_name"], True)
    written = f"{row.value} {measurement.unit_word(row.unit or '')}".strip() if row.value else None
    return MeasuredResult(
        value=value,
        written=written if value is None else None,
        statistic=made["statistic"] or None,
        n=made["n"],
        interval=interval,
        verdict=row.verdict or "",
        verdict_text=verdict.word(row.verdict, run.group.metric or ""),
        is_comparable=row.is_comparable,
        ratio=None if made["ratio"] is None else float(made["ratio"]),
        reasons=tuple(reason.replace(" %", "\u00a0%") for reason in made["reasons"]),
        not_stated=tuple(made["not_stated"]),
        policy=made["policy"],
        samples_from=row.samples_from,
        samples_url=f"{url}samples.csv" if row.samples_from and is_kept else None,
    )


def _surroundings(row: AttestationVersion) -> Surroundings | None:
    environment, hardware = row.environment, row.hardware
    software = [] if environment else [f"{name} {version}" for name, version in row.software.items()]
    unstated = [] if hardware or row.environment_text or not row.verdict else ["GPU not stated"]
    words = [*unstated, *software, row.environment_text or ""]
    at = environment and Ref(environment.digest, environment.label, addresses.environment(environment.digest))
    on = hardware and Ref(hardware.slug, hardware.name, addresses.hardware(hardware.slug))
    text = " · ".join(filter(None, words))
    if not (at or on or text):
        return None
    return Surroundings(
        text,
        at,
        on,
        Setup(row.setup).label if row.setup else None,
        Relation(row.relation).label if row.relation else None,
    )


def _acm(row: AttestationVersion, own: frozenset[uuid.UUID]) -> AcmClass:
    found = acm.classify(
        relation=row.relation,
        is_claimant=row.attestation.actor in own,
        project_is_claimed=bool(own),
        setup=row.setup,
        is_comparable=row.is_comparable,
        is_measured=row.verdict is not None,
    )
    return AcmClass(found.word, found.definition, found.why)


# --- the claim, the summary, the sentence beside the number


def claimed(run: Any) -> Claimed:
    unit = run.group.unit or ""
    if run.value is None:
        return Claimed(None, run.group.statistic, None)
    value = quantity(run.value, unit)
    band = verdict.band(run.value)
    if band is None:
        return Claimed(value, run.group.statistic, None)
    low, high = (quantity(float(end), unit, value.display_unit) for end in band)
    return Claimed(value, run.group.statistic, Range(low, high, f"claim ± {verdict.BAND_PERCENT} %", False))


def axis_of(claim: Claimed, entries: Iterable[Entry]) -> Axis | None:
    """One axis for every drawing of a list; None where there is nothing to draw."""
    values = []
    for found in (entry.result for entry in entries):
        if found and found.is_comparable and found.value:
            ends = (found.interval.low, found.interval.high) if found.interval else ()
            values += [quantity.value for quantity in (found.value, *ends)]
    return _axis(claim, values)


def _axis(claim: Claimed, measured: list[float]) -> Axis | None:
    if not measured or claim.value is None or claim.band is None:
        return None
    values = [claim.band.low.value, claim.band.high.value, *measured]
    scale = measurement.scale(claim.value.unit, claim.value.display_unit)
    if min(values) > 0 and max(values) / min(values) > WIDE:
        return logarithmic(values, scale)
    return zoomed(min(values), max(values), scale)


VERDICT_COUNTS = (
    (verdict.Verdict.AGREES, "agrees", "agree"),
    (verdict.Verdict.SLOWER, "slower", "slower"),
    (verdict.Verdict.FASTER, "faster", "faster"),
    (verdict.Verdict.INCORRECT, "incorrect", "incorrect"),
    (verdict.Verdict.INCONCLUSIVE, "inconclusive", "inconclusive"),
)


def _summary(counts: Mapping[tuple[str | None, bool], int]) -> str | None:
    """ "3 comparable: 2 agree, 1 slower; 1 under other setups". None where nobody said anything."""
    if not counts:
        return None
    comparable = sum(n for (_, is_comparable), n in counts.items() if is_comparable)
    words = [f"{n} {one if n == 1 else many}" for word, one, many in VERDICT_COUNTS if (n := counts.get((word, True)))]
    parts = [f"{comparable} comparable: {', '.join(words)}" if comparable else "none comparable"]
    rest = (
        (counts.get((verdict.Verdict.NOT_COMPARABLE, False)), "under other setups"),
        (counts.get((None, False)), "without a measurement"),
        (counts.get(("withdrawn", False)), "withdrawn"),
        (counts.get(("hidden", False)), "hidden"),
    )
    return "; ".join([*parts, *(f"{n} {word}" for n, word in rest if n)])


def _contest(
    run: Any, claim: Claimed, against: list[AttestationVersion], called: Mapping[uuid.UUID, str],
    counts: Mapping[tuple[str | None, bool], int],
) -> Contest | None:  # fmt: skip
    """The newest comparable result that goes against the claim, in a sentence with both values."""
    if not against:
        return None
    row, made = against[0], against[0].assessment
    value = _quantity(made["value"], made["unit"])
    who = called[row.attestation.actor]
    n = f", {made['statistic']} of {made['n']}" if made["n"] else ", no samples"
    stated = f"{value.text}{n}" if value else "no time"
    said = (
        f"{who} got wrong outputs ({stated})"
        if row.verdict == verdict.Verdict.INCORRECT
        else f"{who} measured {stated}"
    )
    where = "in the same environment" if row.environment_id == run.environment_id else "on the same hardware"
    claims = f"the claim is {claim.value.text}" if claim.value else "the claim has no value"
    reasons = _reasons(counts)
    is_one = reasons == contest.contested(0, [row.verdict or ""])
    newest = "" if is_one else f" The newest of {' and '.join(reasons)}."
    told = f"{said}, {where}; {claims}.{newest}"
    found = (_quantity(other.assessment["value"], other.assessment["unit"]) for other in against)
    competing = tuple(quantity for quantity in found if quantity)
    axis = _axis(claim, [value.value for value in competing])
    return Contest(told, who, attestation_url(row.attestation_id), reasons, competing, claim, axis)


def _reasons(counts: Mapping[tuple[str | None, bool], int]) -> tuple[str, ...]:
    """Why the run is contested by what was measured; empty where it is not."""
    comparable = [word for (word, is_comparable), n in counts.items() if is_comparable and word for _ in range(n)]
    return contest.contested(0, comparable)


def _quantity(value: str | None, unit: str) -> Quantity | None:
    return None if value is None else quantity(float(Decimal(value)), unit)


def _all_url(run: Any) -> str:
    return f"{addresses.run(run.digest)}attestations/"


def _run_ref(run: Any) -> Ref:
    return Ref(
        run.digest, f"{run.implementation.display_name}: {run.operation.display_name}", addresses.run(run.digest)
    )


# --- one attestation's page


def _history(head: Attestation, versions: list[AttestationVersion]) -> tuple[AttestationStep, ...]:
    """Everything that happened, in order: sent, edited, withdrawn, hidden and shown again with the reasons given."""
    told = [
        AttestationStep("sent" if row.number == 1 else f"edited: wording {row.number}", row.at, "") for row in versions
    ]
    told += [AttestationStep(mark.get_kind_display(), mark.at, mark.reason) for mark in head.marks.all()]
    return tuple(sorted(told, key=lambda happened: happened.at))


BINS = 40


def _distribution(row: AttestationVersion, run: Any) -> Distribution | None:
    unit = row.unit or run.group.unit or ""
    samples = [Decimal(line) for line in (row.samples or "").splitlines()]
    found = statistics.summary(samples)
    values = [float(sample) for sample in samples]
    low, high = min(values), max(values)
    shown = quantity(float(found.median), unit).display_unit
    counts = [0] * BINS
    for value in values:
        counts[min(int((value - low) / (high - low) * BINS), BINS - 1) if high > low else BINS // 2] += 1
    told = (quantity(float(value), unit, shown) for value in (found.minimum, found.median, found.mean, found.maximum))
    axis = zoomed(low, high, measurement.scale(unit, shown)) if high > low else None
    return Distribution(axis, tuple(counts), *told)
