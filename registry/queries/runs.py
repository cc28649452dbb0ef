"""A run as its page shows it. At most eight queries, whatever the size of its group; testimony asks its own."""

from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from registry.core import evidence, flags, measurement, ranking
from registry.core.axes import Axis, zoomed
from registry.core.citation import Citation, text
from registry.core.source_metrics import Quoted
from registry.models import Redaction, Run
from registry.models.marks import MarkKind
from registry.queries import addresses, citations, downloads, groups, notes, rows, variants
from registry.queries.citations import Cite
from registry.queries.companions import Companion, companions
from registry.queries.elsewhere import Elsewhere, elsewhere, parts_of_run
from registry.queries.found_runs import FILES, MARKS, SIGHTINGS, Loaded, find
from registry.queries.groups import CoverageNote, Undigested
from registry.queries.history import History, beside, history
from registry.queries.notes import ProtocolNotes
from registry.queries.parts import Correctness, DocumentLink, Measurement, WorkloadPart, run_parts
from registry.queries.seen import last_at
from registry.queries.shapes import Fact, Quantity, Range, Reason, Ref, Warned, quantity
from registry.queries.strips import GroupStrip, strip

__all__ = ["RunPage", "Tombstone", "citation_of", "citation_text", "find", "run_page"]


@dataclass(frozen=True, slots=True)
class Notice:
    """A mark on a run, in words: what, when, by whom, why, and the other run or the incident that it concerns."""

    state: str
    word: str
    code: str | None
    at: datetime
    by: str
    reason: str
    is_cleared: bool
    is_blocking: bool
    other: Ref | None
    incident: Ref | None


@dataclass(frozen=True, slots=True)
class Requirement:
    """One requirement of an evidence level, and whether the recorded facts meet it."""

    level: str
    text: str
    holds: bool


@dataclass(frozen=True, slots=True)
class Evidence:
    """The level, its sentence, and what it follows from."""

    level: str
    sentence: str
    policy: str
    requirements: tuple[Requirement, ...]


@dataclass(frozen=True, slots=True)
class RunStanding:
    """A run's place among the runs of its group. `sentence` is None where the run has no rank; `reasons` say why.

    `withheld` says why a divided group ranks nothing at all.
    """

    rank: int | None
    sentence: str | None
    place_text: str
    reasons: tuple[Reason, ...]
    profile: str
    policy: str
    ranked_count: int
    run_count: int
    tied: int
    ratio_to_best: float | None
    lead_text: str | None
    withheld: str | None
    separability: str | None
    best_url: str | None


@dataclass(frozen=True, slots=True)
class ArtifactLine:
    role: str
    digest: str
    file_name: str | None
    media_type: str | None
    size_bytes: int | None
    url: str | None
    absent: str | None


@dataclass(frozen=True, slots=True)
class Seen:
    """A snapshot that the run stood in. `available_at`: here where terms allow it, else at its source.

    `read_at`: when the same bytes were last read, which may be long after the run was first seen in them.
    """

    file_name: str
    sha256: str
    source: str
    upstream_key: str | None
    locator: str
    seen_at: datetime
    read_at: datetime
    available_at: str | None


@dataclass(frozen=True, slots=True)
class Tombstone:
    """What stays of a redacted run: when and why, and how it was cited."""

    at: datetime
    reason_class: str
    citation: str

    @property
    def text(self) -> str:
        """The citation with its state: what is gone must not read as if it stood."""
        return f"[redacted {self.at:%Y-%m-%d}: {self.reason_class}] {self.citation}"


@dataclass(frozen=True, slots=True)
class RunPage:
    """Everything on a run's page; its JSON twin is this object."""

    id: str
    digest: str
    handle: str
    title: str
    permalink: str
    implementation: Ref
    project: Ref
    operation: Ref
    workload: Ref
    protocol: Ref
    environment: Ref
    hardware: Ref
    runner: str | None
    source: Ref
    group: Ref
    source_licence: str | None
    is_baseline: bool
    is_demonstration: bool
    timed_pass: str | None
    dtypes: str | None
    revision: str | None
    labels: tuple[Fact, ...]
    external_id: str | None
    run_title: str | None
    status: str
    status_word: str
    observed_at: datetime
    observed_text: str
    published_at: datetime
    evidence: Evidence
    notices: tuple[Notice, ...]
    warnings: tuple[Warned, ...]
    primary: Quantity | None
    metric: str | None
    statistic: str | None
    statistic_in_full: str | None
    spread: Range | None
    interval: Range | None
    sample_count: int | None
    standing: RunStanding
    strip: GroupStrip
    companions: tuple[Companion, ...]
    history: History | None
    coverage: CoverageNote | None
    coverage_text: str
    undigested: tuple[Undigested, ...]
    elsewhere: tuple[Elsewhere, ...]
    source_metrics: tuple[Quoted, ...]
    correctness: Correctness
    workload_part: WorkloadPart
    measurements: tuple[Measurement, ...]
    range_axis: Axis | None
    protocol_facts: tuple[Fact, ...]
    protocol_notes: ProtocolNotes
    comparability_notes: str | None
    environment_facts: tuple[Fact, ...]
    artifacts: tuple[ArtifactLine, ...]
    seen: tuple[Seen, ...]
    last_seen_at: datetime | None
    documents: tuple[DocumentLink, ...]
    manifest: str
    cite: Cite
    tombstone: Tombstone | None


def run_page(run: Loaded, *, site_url: str, today: date) -> RunPage | Tombstone:
    """The page of a run that was found; the tombstone of one that was redacted."""
    if not run.name:
        return _tombstone(run)
    return _Building(run, site_url, today).page()


def _tombstone(run: Loaded) -> Tombstone:
    redaction = Redaction.objects.select_related("request").get(target_table=Run._meta.db_table, target_id=run.id)
    return Tombstone(redaction.at, redaction.request.get_reason_class_display(), redaction.citation)


class _Building:
    """Builds one page; holds the parsed documents that its parts share."""

    def __init__(self, run: Loaded, site_url: str, today: date) -> None:
        self.run, self.site_url, self.today = run, site_url, today
        self.parts = run_parts(run)
        self.unit = run.group.unit or ""

    def page(self) -> RunPage:
        run = self.run
        standing = self.standing()
        facts = self.facts()
        notices = self.notices()
        seen = self.seen()
        found = beside(run)
        coverage = groups.coverage_note(run.group_id)
        level = evidence.level(facts)
        return RunPage(
            id=str(run.id),
            digest=run.digest,
            handle=rows.short(run.digest),
            title=f"Run {str(run.id)[:8]}",
            permalink=f"{self.site_url}{addresses.run(run.digest)}",
            implementation=Ref(
                str(run.implementation_id), run.implementation.display_name,
                addresses.implementation(run.implementation_id),
            ),
            project=_ref(run.implementation.project.slug, run.implementation.project.name, addresses.project),
            operation=_ref(run.operation.slug, run.operation.display_name, addresses.operation),
            workload=_ref(run.workload.digest, self.parts.workload_label, addresses.workload),
            protocol=_ref(run.protocol.digest, run.protocol.label, addresses.protocol),
            environment=_ref(run.environment.digest, run.environment.label, addresses.environment),
            hardware=_ref(run.environment.hardware.slug, run.environment.hardware.name, addresses.hardware),
            runner=run.environment.runner,
            source=_ref(run.source.slug, run.source.name, addresses.source),
            group=_ref(run.group.key, rows.short(run.group.key, 16), addresses.group),
            source_licence=run.source.licence or None,
            is_baseline=run.implementation.is_baseline,
            is_demonstration=run.source.slug == rows.DEMONSTRATION,
            timed_pass=run.protocol.timed_pass,
            dtypes=self.parts.dtypes,
            revision=run.implementation.revision,
            labels=self.parts.labels,
            external_id=next((s.upstream_key for s in seen if s.upstream_key), run.external_id),
            run_title=run.title,
            status=run.status,
            status_word=run.status.replace("_", " "),
            observed_at=run.observed_at,
            observed_text=self.parts.observed_text,
            published_at=run.published_at,
            evidence=Evidence(
                str(level), evidence.sentence(facts), evidence.POLICY,
                tuple(Requirement(str(r.level), r.text, r.holds) for r in evidence.explain(facts)),
            ),
            notices=notices,
            warnings=rows.warned(code for code in run.standing.warnings if code not in flags.OF_INCIDENTS),
            primary=self.primary(),
            metric=run.group.metric,
            statistic=run.group.statistic,
            statistic_in_full=self.parts.statistic_in_full,
            spread=self.range("spread"),
            interval=self.range("interval"),
            sample_count=run.sample_count,
            standing=standing,
            strip=strip(run),
            companions=companions(run, found),
            history=history(run, found),
            coverage=coverage,
            coverage_text=groups.coverage_text(run.group.standing, coverage),
            undigested=groups.undigested(run.group.standing),
            elsewhere=elsewhere(parts_of_run(run)) if run.group.metric else (),
            source_metrics=self.parts.source_metrics,
            correctness=self.parts.correctness,
            workload_part=self.parts.workload_part,
            measurements=self.parts.measurements,
            range_axis=self.range_axis(),
            protocol_facts=self.parts.protocol_facts,
            protocol_notes=notes.of_protocol(run.protocol.digest, self.parts.protocol_family, run),
            comparability_notes=self.parts.comparability_notes,
            environment_facts=self.parts.environment_facts,
            artifacts=self.artifacts(),
            seen=seen,
            last_seen_at=max((snapshot.read_at for snapshot in seen), default=None),
            documents=self.parts.documents,
            manifest=self.parts.manifest,
            cite=citations.cite(self.citation(standing, facts, notices, coverage)),
            tombstone=None,
        )  # fmt: skip

    # --- names and figures

    def primary(self) -> Quantity | None:
        return None if self.run.value is None else quantity(self.run.value, self.unit)

    def range(self, kind: str) -> Range | None:
        low, high = getattr(self.run, f"{kind}_low"), getattr(self.run, f"{kind}_high")
        if low is None or self.run.value is None:
            return None
        unit = measurement.figure(self.run.value, self.unit).unit
        is_interval = kind == "interval"
        derived = self.run.interval_kind == measurement.IntervalKind.DERIVED
        name = f"95 % interval{', derived' * derived}" if is_interval else self.run.spread_name or ""
        return Range(quantity(low, self.unit, unit), quantity(high, self.unit, unit), name, is_interval)

    def range_axis(self) -> Axis | None:
        """The axis of the run's own range, which may start anywhere: the page says so."""
        shown = self.range("interval") or self.range("spread")
        if shown is None or self.run.value is None:
            return None
        ends = [shown.low.value, shown.high.value, self.run.value]
        return zoomed(min(ends), max(ends), measurement.scale(self.unit, shown.low.display_unit))

    # --- standing

    def standing(self) -> RunStanding:
        run, standing, group = self.run, self.run.standing, self.run.group.standing
        profile = self.parts.profile
        sentence = f"Rank {standing.rank} in its comparison group" if standing.rank else None
        return RunStanding(
            rank=standing.rank,
            sentence=sentence,
            place_text=_place_text(standing, group.ranked_count, group.run_count),
            reasons=rows.reasons(standing.reasons),
            profile=str(profile),
            policy=standing.policy,
            ranked_count=group.ranked_count,
            run_count=group.run_count,
            tied=standing.tied,
            ratio_to_best=standing.ratio,
            lead_text=_lead_text(standing, group),
            withheld=variants.why(group.variants),
            separability=standing.separability,
            best_url=addresses.run(group.best.digest) if group.best_id and group.best_id != run.id else None,
        )

    # --- evidence and marks

    def facts(self) -> evidence.Facts:
        """What the level follows from, as recorded."""
        made = self.run.implementation
        return evidence.Facts(
            source_named=True,
            source_reachable=evidence.is_reachable(made.repository, made.revision, made.source_digest),
            raw_stored=bool(self.run.raw_stored),
            documents_held=True,
        )

    def notices(self) -> tuple[Notice, ...]:
        """Marks on this run, and the runs that it supersedes. One query."""
        marks = sorted(MARKS.rows(run=self.run.id), key=lambda mark: (mark["at"], mark["id"]))
        cleared = {mark["clears_id"] for mark in marks if mark["kind"] == MarkKind.CLEARED}
        return tuple(
            _notice(self.run, mark, mark["id"] in cleared)
            for mark in marks
            if mark["kind"] != MarkKind.CLEARED and (mark["incident__slug"] or not _is_warning(mark["rule"]))
        )

    # --- parts

    def artifacts(self) -> tuple[ArtifactLine, ...]:
        """Files that the manifest names: held here, linked, or neither, and then why. No query for a run without."""
        if not self.parts.artifacts:
            return ()
        return tuple(_artifact(row) for row in FILES.rows(run=self.run.id))

    def seen(self) -> tuple[Seen, ...]:
        return tuple(
            Seen(
                sighting["snapshot__file_name"],
                sighting["snapshot__sha256"],
                sighting["snapshot__source__name"],
                sighting["upstream_key"],
                sighting["locator"],
                sighting["seen_at"],
                last_at([sighting]),
                downloads.available_at(
                    sighting["snapshot__sha256"],
                    is_held=sighting["is_held"],
                    may_store=sighting["snapshot__source__may_store"],
                    upstream_url=sighting["snapshot__url"],
                ),
            )
            for sighting in SIGHTINGS.rows(run=self.run.id)
        )

    def citation(
        self, standing: RunStanding, facts: evidence.Facts, notices: tuple[Notice, ...], coverage: CoverageNote | None
    ) -> Citation:
        run, primary = self.run, self.primary()
        timed = f", {run.protocol.timed_pass} pass" if run.protocol.timed_pass else ""
        runner = f", runner {run.environment.runner}" if run.environment.runner else ""
        codes = ", ".join(reason.code for reason in standing.reasons)
        return Citation(
            creators=citations.measured_by(run.source, self.parts.authors),
            source=run.source.name,
            implementation=run.implementation.display_name or "redacted",
            operation=f"{run.operation.display_name or 'redacted'}{timed}",
            workload=self.parts.workload_label or "redacted",
            metric=run.group.metric,
            value=primary.number if primary else None,
            unit=primary.display_unit if primary else None,
            statistic=self.parts.statistic_in_full,
            n=run.sample_count,
            gpu=f"{run.environment.hardware.name}{runner}",
            protocol=run.protocol.label or "redacted",
            protocol_digest=run.protocol.digest,
            group=run.group.key,
            rank=standing.sentence or f"Not ranked ({codes}) in its comparison group",
            place=standing.place_text,
            policy=standing.policy,
            coverage=groups.coverage_text(run.group.standing, coverage),
            level=evidence.level(facts),
            evidence=evidence.sentence(facts),
            rerun_count=len(facts.reruns),
            states=citations.states(notices),
            digest=run.digest,
            permalink=f"{self.site_url}{addresses.run(run.digest)}",
            published=run.published_at.astimezone(UTC).date(),
            as_of=max(run.group.standing.changed_at, coverage.at) if coverage else run.group.standing.changed_at,
            accessed=self.today,
        )


def citation_of(run: Loaded, *, site_url: str, today: date) -> Citation | Tombstone:
    """The citation of a run alone, for its download; a redacted run's tombstone, which holds how it was cited."""
    if not run.name:
        return _tombstone(run)
    building = _Building(run, site_url, today)
    coverage = groups.coverage_note(run.group_id)
    return building.citation(building.standing(), building.facts(), building.notices(), coverage)


def citation_text(run: Loaded, *, site_url: str, today: date) -> str:
    """The plain citation: what a redaction freezes."""
    cited = citation_of(run, site_url=site_url, today=today)
    return cited.citation if isinstance(cited, Tombstone) else text(cited)


def _ref(key: str, name: str, address: Any) -> Ref:
    return Ref(key, name, address(key))


def _place_text(standing: Any, ranked: int, runs: int) -> str:
    """What stands under the rank: of how many, and with whom it is shared."""
    if not standing.rank:
        return f"{ranked:,} of {runs:,} run{'s' * (runs != 1)} of its group {'is' if ranked == 1 else 'are'} ranked"
    if runs == 1:
        return "1 of 1 runs: only entry so far"
    of = (
        f"{standing.position:,} of {ranked:,} ranked runs"
        if ranked != runs
        else f"{standing.position:,} of {runs:,} runs"
    )
    if standing.tied:
        of += f" · shared with {standing.tied:,} other{'s' * (standing.tied != 1)}"
    return of


def _lead_text(standing: Any, group: Any) -> str | None:
    """Of the leader, whether its lead is known to be real."""
    if standing.rank != 1 or standing.lead is None or group.next_separability is None:
        return None
    following = group.best_value * group.next_ratio if group.next_ratio else 0.0
    return ranking.lead(group.best_value, following, ranking.Separability[group.next_separability]).text


def _notice(run: Loaded, mark: dict[str, Any], is_cleared: bool) -> Notice:
    at, by, reason = mark["at"], mark["by"], mark["reason"]
    if mark["successor_id"] == run.id:
        other = _ref(mark["run__digest"], rows.short(mark["run__digest"]), addresses.run)
        return Notice("note", "supersedes", None, at, by, reason, is_cleared, False, other, None)
    code = f"FLAGGED_{mark['rule']}" if mark["rule"] else None
    successor = mark["successor__digest"]
    other = _ref(successor, rows.short(successor), addresses.run) if successor else None
    slug, is_note = mark["incident__slug"], bool(mark["rule"]) and flags.RULES[mark["rule"]].kind is flags.Kind.NOTE
    incident = Ref(slug, mark["incident__title"], addresses.incident(slug)) if slug else None
    state, word = ("note", "noted") if is_note else (mark["kind"], mark["kind"])
    return Notice(state, word, code, at, by, reason, is_cleared, mark["is_blocking"], other, incident)


def _is_warning(rule: str | None) -> bool:
    """A warning stands beside the rank, with its text; its mark would only say it again."""
    return rule is not None and flags.RULES[rule].kind is flags.Kind.WARNING


def _artifact(row: dict[str, Any]) -> ArtifactLine:
    is_held, uri = bool(row["is_held"]), row["uri"] or ""
    is_linked = uri.startswith("https://")
    return ArtifactLine(
        row["role"],
        row["digest"],
        row["file_name"],
        row["media_type"],
        row["size_bytes"],
        addresses.artifact(row["digest"]) if is_held else uri if is_linked else None,
        None if is_held or is_linked else "named by digest; its bytes are not held here",
    )
