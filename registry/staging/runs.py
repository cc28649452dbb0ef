"""Runs become rows: their implementation chosen, their group found, their flags raised, their sightings recorded."""

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from registry import bulk
from registry.core import coherence, comparability, flags, measurement, ranking
from registry.core import columns as columns_from
from registry.core.ids import uuid7
from registry.guards import REDACTED
from registry.importers.base import Rejected, RunEntry, SourceEntry
from registry.models import (
    ComparisonGroup,
    Coverage,
    Mark,
    Operation,
    Run,
    RunArtifact,
    Sighting,
    Workload,
)
from registry.models.marks import MarkKind
from registry.staging.documents import Documents
from registry.staging.held import named
from registry.staging.plan import (
    LARGEST_COUNT,
    LONGEST_TOKEN,
    MARKED_AT_THE_DOOR,
    MARKED_BY_SOURCE,
    Document,
    ImplementationRow,
    KnownRun,
    Plan,
    Refused,
    Row,
    StagedRun,
    sighting_id,
)


class Runs:
    """Rows of runs and of what belongs to each, on top of the resolved documents. It lasts for a whole import."""

    def __init__(self, documents: Documents, *, source: SourceEntry) -> None:
        self.documents, self.default_source = documents, source
        self.reader, self.held, self.account = documents.reader, documents.held, documents.account
        self.snapshots, self.now, self.is_own_data = self.held.snapshots, documents.now, documents.is_own_data
        self.reader.sources.setdefault(source.slug, source)
        self.plan = Plan()
        self.group_ids: dict[str, UUID] = {}
        self.correctness: dict[str, str] = {}  # by workload
        self.identities: dict[tuple[str, str, str, str], columns_from.GroupIdentity] = {}
        self.group_of_key: dict[str, UUID] = {}  # by the upstream's key of a run
        self.moved: dict[UUID, UUID] = {}  # runs that stand here under another id than the input's own
        self.superseded: dict[UUID, UUID] = {}  # as the input states it

    def resolve(self, plan: Plan) -> None:
        self.plan = plan
        self._look_up_groups()
        for staged in self.reader.runs:
            try:
                self._run(staged)
            except Refused as refused:
                self.account.reject(*refused.rejections)
            staged.run.stated = None  # its text is kept: half the memory of a window

    def forget(self) -> None:
        self.group_ids.clear()
        self.correctness.clear()
        self.identities.clear()

    def _look_up_groups(self) -> None:
        keys = set()
        for staged in self.reader.runs:
            workload = None if staged.run.digest in self.held.known_runs else self._workload_of(staged)
            if workload:
                keys.add(self._identity(staged, workload).key)
        found = bulk.existing(ComparisonGroup, "key", keys - self.group_ids.keys(), "id")
        self.group_ids |= {key: row[0] for key, row in found.items()}

    def _workload_of(self, staged: StagedRun) -> Document | None:
        digest = staged.run.spec["workloadDigest"]
        held = self.held.known.get(digest)
        return held if held and digest in self.held.ids[Workload] else None

    def _identity(self, staged: StagedRun, workload: Document) -> columns_from.GroupIdentity:
        """The run's comparison group, worked out once for all runs that share it."""
        if staged.identity is None:
            spec = staged.run.spec
            metric = comparability.metric_key(measurement.primary(spec))
            parts = (workload.digest, staged.protocol.digest, staged.environment.digest, metric)
            if parts not in self.identities:
                known = self.correctness.get(workload.digest)
                self.identities[parts] = columns_from.group_identity(spec, workload.spec, known)
            staged.identity = self.identities[parts]
            self.correctness[workload.digest] = staged.identity.correctness
        return staged.identity

    def _run(self, staged: StagedRun) -> None:
        entry, run = staged.entry, staged.run
        for beside in (staged.protocol, staged.environment):
            self.documents.note_beside(beside)
        known = self.held.known_runs.get(run.digest)
        if known:  # also where what it refers to was redacted since
            self._see_again(known, run, entry)
        else:
            self._admit(staged)

    def _admit(self, staged: StagedRun) -> None:
        entry, run = staged.entry, staged.run
        spec = run.spec
        workload = self._workload_of(staged)
        candidates = self.held.rows_of(spec["implementationDigest"])
        lacking = [
            f"{word} {spec[f'{word}Digest']}"
            for word, found in (("workload", workload), ("implementation", candidates))
            if not found
        ]
        if lacking or workload is None:
            raise run.refuse("MISSING_DOCUMENT", f"not in this input or the registry: {', '.join(lacking)}", "spec")
        implementation = self._choose(run, entry, candidates)
        identity = self._identity(staged, workload)
        self._check_key(run, entry, identity.key)
        operation = self.held.known.get(workload.spec["operationSpecDigest"])
        if operation is None:
            digest = workload.spec["operationSpecDigest"]
            raise run.refuse("MISSING_DOCUMENT", f"the operation {digest} of its workload is redacted", "spec")
        flags_raised = self._door_flags(staged, workload, operation, implementation, identity)
        columns = columns_from.run_columns(spec, run.metadata)
        self._require_room(staged, identity, columns["sample_count"])
        operation_id = self.held.ids[Operation][operation.digest]
        source_id = self._source_id(run, entry.source or self.default_source.slug)
        published_at = entry.published_at or self.now
        run_id = self.documents.own_or(Run, entry.id, run.digest, published_at)
        group_id = self._group(identity, staged, workload, operation_id)
        known = KnownRun(
            run_id, implementation.id, run.metadata_sha256, group_id, run.metadata["name"], identity.key,
            implementation.project, implementation.name,
        )  # fmt: skip
        self.held.known_runs[run.digest] = known
        self.plan.runs.append(
            self.documents.document_row(run, run_id)
            | columns
            | {
                "implementation_id": implementation.id,
                "operation_id": operation_id,
                "workload_id": self.held.ids[Workload][workload.digest],
                "protocol_id": self.documents.protocol(staged.protocol),
                "environment_id": self.documents.environment(staged.environment),
                "group_id": group_id,
                "source_id": source_id,
                "published_at": published_at,
            }
        )
        self.account.new[run.kind] += 1
        self._sight(known, run, entry)
        for role, (digest, uri) in columns_from.run_artifacts(spec).items():
            row = {"id": uuid7(self.now, f"{run_id}:{role}"), "run_id": run_id, "role": role, "digest": digest}
            self.plan.beside_runs[run_id].append((RunArtifact, row | {"uri": uri[:2000]}))
        self._flag(run_id, flags_raised)
        self._said_by_source(run_id, entry)

    def _choose(self, run: Document, entry: RunEntry, candidates: list[ImplementationRow]) -> ImplementationRow:
        """The implementation row that a run means, where its digest has several."""
        if entry.implementation:
            project, name = entry.implementation
            if row := named(candidates, project, name):
                return row
            raise run.refuse("MISSING_DOCUMENT", f"no implementation {name} of project {project} has the run's digest")
        if len(candidates) > 1:
            rows = "; ".join(f"{row.name} of {row.project}" for row in candidates)
            raise run.refuse(
                "AMBIGUOUS_IMPLEMENTATION",
                f"the implementation digest has several rows; name one by implementation: {{project, name}}: {rows}",
                "spec",
                "implementationDigest",
            )
        return candidates[0]

    def _door_flags(
        self,
        staged: StagedRun,
        workload: Document,
        operation: Document,
        implementation: ImplementationRow,
        identity: columns_from.GroupIdentity,
    ) -> list[tuple[str, str]]:
        """The flags that a run of an upstream enters with. Raises Refused for what no upstream may publish here."""
        run = staged.run
        of_workload = self.documents.breaches_of(workload, operation)
        implementation_spec = {"operation": {"specDigest": implementation.operation_digest}}
        breaches = [
            *run.breaches,
            *coherence.run_breaches(run.spec, implementation_spec, workload.manifest, staged.protocol.spec),
        ]
        refused = [
            *((b, b.path) for b in breaches if self.documents.is_refused(b)),
            *((b, ("spec", "workloadDigest")) for b in of_workload if self.documents.is_refused(b)),
        ]
        if refused:
            raise Refused(*(Rejected(b.rule, run.locate(path), b.message) for b, path in refused))
        found = {b.rule: b.message for b in (*breaches, *of_workload)}
        if identity.metric and ranking.direction(identity.metric, identity.unit or "") is None:
            found["UNKNOWN_DIRECTION"] = flags.RULES["UNKNOWN_DIRECTION"].text
        return [*found.items(), *staged.entry.flags]

    def _require_room(self, staged: StagedRun, identity: columns_from.GroupIdentity, samples: int | None) -> None:
        """Refuse what no column holds: tokens and counts have no cap of their own in the documents."""
        run, environment = staged.run, staged.environment
        hardware = environment.spec["hardware"]
        texts = (
            (run, "metric", identity.metric, ("spec",)),
            (run, "statistic", identity.statistic, ("spec",)),
            (run, "unit", identity.unit, ("spec",)),
            (environment, "vendor", hardware["vendor"], ("spec", "hardware", "vendor")),
        )
        counts = (
            (run, "sample count", samples, ("spec",)),
            (environment, "count", hardware.get("count"), ("spec", "hardware", "count")),
        )
        faults = [
            *((document, path, f"{word} has {len(text)} characters; the registry holds {LONGEST_TOKEN}")
              for document, word, text, path in texts if text and len(text) > LONGEST_TOKEN),
            *((document, path, f"{word} {count} is more than the registry holds, {LARGEST_COUNT}")
              for document, word, count, path in counts if count and count > LARGEST_COUNT),
        ]  # fmt: skip
        if faults:
            raise Refused(*(Rejected("TOO_LARGE", doc.locate(path), message) for doc, path, message in faults))

    def _check_key(self, run: Document, entry: RunEntry, key: str) -> None:
        claimed = entry.claims.get("comparisonKey")
        if claimed not in (None, key):
            raise run.refuse("DIGEST_MISMATCH", f"comparisonKey states {claimed}, the documents give {key}")

    def _see_again(self, known: KnownRun, run: Document, entry: RunEntry) -> None:
        """A run that is held already: the same implementation row, or a conflict; perhaps in another snapshot."""
        self._check_key(run, entry, known.group_key)
        if entry.implementation not in (None, (known.project, known.implementation)):
            chosen = self._choose(run, entry, self.held.rows_of(run.spec["implementationDigest"])).id
            if chosen != known.implementation_id:
                raise run.refuse(
                    "CONFLICTING_IMPLEMENTATION",
                    f"the run is held under implementation row {known.implementation_id}, this input names {chosen}",
                    "spec",
                    "implementationDigest",
                )
        self.documents.note_metadata(run, known.metadata_sha256)
        self.account.known[run.kind] += 1
        self.account.changes["flagged"] += self._flag(known.id, entry.flags)
        self._said_by_source(known.id, entry)
        self._sight(known, run, entry)

    def _flag(self, run_id: UUID, raised: Iterable[tuple[str, str]]) -> bool:
        """Raise the flags that the run does not have yet, each once: what staff cleared does not come back."""
        lacking = {rule: why for rule, why in raised if (run_id, MarkKind.FLAGGED, rule) not in self.held.marked}
        for rule, reason in lacking.items():
            by = MARKED_BY_SOURCE if rule == "DISQUALIFIED_UPSTREAM" else MARKED_AT_THE_DOOR
            self._mark(run_id, MarkKind.FLAGGED, reason, by=by, rule=rule)
            self.account.flagged[rule] += 1
        return bool(lacking)

    def _said_by_source(self, run_id: UUID, entry: RunEntry) -> None:
        """What the source says of its own run now, once: a mark that staff cleared does not come back."""
        if entry.id and entry.id != run_id:
            self.moved[entry.id] = run_id
        if entry.withdrawn and (run_id, MarkKind.WITHDRAWN, None) not in self.held.marked:
            at, reason = entry.withdrawn
            self._mark(run_id, MarkKind.WITHDRAWN, reason, by=MARKED_BY_SOURCE, at=at)
        if entry.supersedes:
            self.superseded.setdefault(entry.supersedes, run_id)

    def _sight(self, known: KnownRun, run: Document, entry: RunEntry) -> None:
        key = entry.upstream_key or run.spec.get("sourceNative", {}).get("externalId")
        if key:
            self.group_of_key[key] = known.group_id
        place = run.locate(())
        snapshot_id = self.snapshots.of(place.file)
        if (known.id, snapshot_id) in self.held.seen_runs:
            return
        self.held.seen_runs.add((known.id, snapshot_id))
        is_redacted = known.name == REDACTED
        key = None if is_redacted else key
        lasting_key = None if is_redacted else entry.lasting_key
        row = {
            "id": sighting_id(self.now, known.id, snapshot_id, key, lasting_key),
            "run_id": known.id,
            "snapshot_id": snapshot_id,
            "upstream_key": key,
            "lasting_key": lasting_key,
            "release": entry.release,
            "locator": str(place)[:200],
            "seen_at": self.now,
        }
        self.plan.beside_runs[known.id].append((Sighting, row))

    def _mark(
        self, run_id: UUID, kind: MarkKind, reason: str, *, by: str, rule: str | None = None, at: datetime | None = None
    ) -> None:
        self.held.marked.add((run_id, kind, rule))
        row = self._mark_row(run_id, kind, reason, by=by, rule=rule, at=at)
        self.plan.beside_runs[run_id].append((Mark, row))

    def _mark_row(
        self, run_id: UUID, kind: MarkKind, reason: str, *, by: str, rule: str | None = None,
        at: datetime | None = None, successor_id: UUID | None = None,
    ) -> Row:  # fmt: skip
        rule_kind = flags.RULES[rule].kind if rule else None
        return {
            "id": uuid7(self.now, f"mark:{run_id}:{kind}:{rule}"),
            "run_id": run_id,
            "kind": str(kind),
            "at": at or self.now,
            "rule": rule,
            "is_blocking": rule_kind is flags.Kind.BLOCKING,
            "successor_id": successor_id,
            "clears_id": None,
            "incident_id": None,
            "reason": reason,
            "by": by,
            "actor": None,
            "audit_id": None,
        }

    def _source_id(self, run: Document, slug: str) -> UUID:
        if slug not in self.held.source_ids:
            if slug not in self.reader.sources:
                raise run.refuse("UNKNOWN_SOURCE", f"no source {slug!r} in this input or the registry")
            self.held.source_ids[slug] = uuid7(self.now, f"source:{slug}")
        return self.held.source_ids[slug]

    def _group(
        self, identity: columns_from.GroupIdentity, staged: StagedRun, workload: Document, operation_id: UUID
    ) -> UUID:
        if identity.key not in self.group_ids:
            group_id = self.group_ids[identity.key] = uuid7(self.now, f"group:{identity.key}")
            self.plan.groups[group_id] = {
                "id": group_id,
                "key": identity.key,
                "operation_id": operation_id,
                "workload_id": self.held.ids[Workload][workload.digest],
                "protocol_id": self.documents.protocol(staged.protocol),
                "environment_id": self.documents.environment(staged.environment),
                "correctness": identity.correctness,
                "metric": identity.metric,
                "statistic": identity.statistic,
                "unit": identity.unit,
                "created_at": self.now,
            }
        return self.group_ids[identity.key]

    def conclude(self, plan: Plan) -> None:
        """What the input says of several runs at once, when each of them was resolved."""
        self._supersede(plan)
        self._coverage(plan)

    def _supersede(self, plan: Plan) -> None:
        reason = "The source published a corrected run."
        own = {stated: self.moved.get(stated, stated) for stated in self.superseded}
        standing = {run.id for run in self.held.known_runs.values()} if self.superseded else set()
        standing |= bulk.existing(Run, "pk", set(own.values()) - standing).keys()
        self.held.look_up_marks(list(own.values()))
        for stated, successor in self.superseded.items():
            run_id = own[stated]
            mark = (run_id, MarkKind.SUPERSEDED, None)
            if run_id in standing and run_id != successor and mark not in self.held.marked:
                self.held.marked.add(mark)
                plan.supersessions.append(
                    self._mark_row(run_id, MarkKind.SUPERSEDED, reason, by=MARKED_BY_SOURCE, successor_id=successor)
                )

    def _coverage(self, plan: Plan) -> None:
        held = set(Coverage.objects.filter(snapshot_id=self.snapshots.only).values_list("group_id", flat=True))
        for entry in self.reader.coverage:
            taken = [self.group_of_key.get(key) for key in entry.run_external_ids]
            group_id = next(filter(None, taken), None)
            if group_id and group_id not in held:
                held.add(group_id)
                plan.coverage.append(
                    {
                        "id": uuid7(self.now, f"coverage:{group_id}:{self.snapshots.only}"),
                        "group_id": group_id,
                        "snapshot_id": self.snapshots.only,
                        "offered": entry.offered,
                        "taken": taken.count(group_id),
                        "rule": entry.rule[:300],
                        "at": self.now,
                    }
                )
