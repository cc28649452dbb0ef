"""The columns of a row as they follow from its document: used when a row is made, and again when it is verified."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from registry.core import comparability, measurement, naming

Columns = dict[str, Any]
Spec = Mapping[str, Any]


def operation_columns(spec: Spec, metadata: Spec) -> Columns:
    title = metadata.get("title") or metadata["name"]
    return {
        "family": spec["family"],
        "name": metadata["name"],
        "display_name": naming.operation_name(title)[:200],
    }


def workload_columns(kind: str, spec: Spec, metadata: Spec, operation_spec: Spec) -> Columns:
    is_suite = kind == "WorkloadSuite"
    return {
        "is_suite": is_suite,
        "case_count": len(spec["cases"]) if is_suite else None,
        "name": metadata["name"],
        "label": naming.workload_title(kind, spec, operation_spec)[:400],
        "axes": None if is_suite else spec["axes"],
    }


def protocol_columns(spec: Spec, metadata: Spec) -> Columns:
    harness = spec["harness"]
    return {
        "name": metadata["name"],
        "label": (metadata.get("title") or metadata["name"])[:240],
        "timed_pass": naming.timed_pass(metadata, spec),
        "harness": " ".join(filter(None, (harness["name"], harness.get("version"))))[:240],
        "statistic": spec["measurement"]["primaryStatistic"][:60],
    }


def hardware_columns(spec: Spec) -> Columns:
    hardware = spec["hardware"]
    form = hardware.get("formFactor")
    return {
        "name": naming.hardware_name(hardware),
        "slug": naming.slugify(naming.hardware_name(hardware)),
        "vendor": hardware["vendor"],
        "product": hardware["product"],
        "form_factor": None if naming.runner_label(hardware) else form,
        "count": hardware.get("count"),
    }


def environment_columns(spec: Spec, metadata: Spec) -> Columns:
    return {
        "name": metadata["name"],
        "label": (metadata.get("title") or metadata["name"])[:240],
        "architecture": spec["hardware"]["architecture"][:60],
        "runner": naming.runner_label(spec["hardware"]),
    }


def project_columns(spec: Spec) -> Columns:
    return {
        "name": spec["name"],
        "kind": spec.get("kind"),
        "repository": spec.get("repository"),
        "homepage": spec.get("homepage"),
    }


def implementation_columns(spec: Spec, metadata: Spec, operation_metadata: Spec, project_name: str) -> Columns:
    revision, licensing = spec["projectRevision"], spec["licensing"]
    titles = [operation_metadata.get("title", ""), operation_metadata["name"]]
    names = [author["name"] for author in metadata.get("authors", []) if author.get("name")]
    return {
        "name": metadata["name"],
        "display_name": naming.implementation_name(
            metadata.get("title") or metadata["name"], [t for t in titles if t], metadata["name"]
        )[:300],
        "author": (", ".join(names) or project_name)[:300],
        "is_baseline": metadata.get("labels", {}).get("role") == "baseline",
        "language": spec["callable"]["language"][:100],
        "revision": revision.get("commit") or revision.get("version"),
        "repository": revision.get("repository"),
        "licence": licensing.get("concluded") or licensing.get("declared"),
        "source_digest": spec.get("source", {}).get("contentDigest"),
    }


def run_columns(spec: Spec, metadata: Spec) -> Columns:
    primary, spread, interval = measurement.ranked_figures(spec)
    native = spec.get("sourceNative", {})
    return {
        "status": spec["status"],
        "observed_at": instant(spec["observedAt"]),
        "value": float(primary.value) if primary else None,
        "sample_count": primary.n if primary else None,
        "interval_low": float(interval.low) if interval else None,
        "interval_high": float(interval.high) if interval else None,
        "interval_kind": str(interval.kind) if interval else None,
        "spread_low": float(spread.low) if spread else None,
        "spread_high": float(spread.high) if spread else None,
        "spread_name": spread.name if spread else None,
        "is_source_native": "sourceNative" in spec,
        "benchmark": native.get("benchmark"),
        "external_id": native.get("externalId"),
        "name": metadata["name"],
        "title": metadata.get("title"),
    }


def run_artifacts(spec: Spec) -> dict[str, tuple[str, str]]:
    """Role -> (digest, uri) of the files that a run's manifest names."""
    evidence = spec.get("evidence", {})
    found = {
        "raw samples": evidence.get("rawSamples") or spec.get("timing", {}).get("rawSamples"),
        "log": evidence.get("logs"),
    }
    return {role: (artifact["digest"], artifact["uri"]) for role, artifact in found.items() if artifact}


@dataclass(frozen=True, slots=True)
class GroupIdentity:
    """A comparison key, and the parts of it that no reference carries."""

    key: str
    correctness: str
    metric: str | None
    statistic: str | None
    unit: str | None


def group_identity(run_spec: Spec, workload_spec: Spec, correctness: str | None = None) -> GroupIdentity:
    """The comparison group of a run. `correctness` saves re-hashing it for each run of one workload."""
    primary = measurement.primary(run_spec)
    correctness = correctness or comparability.correctness_digest(workload_spec)
    key = comparability.comparison_key(
        operation=workload_spec["operationSpecDigest"],
        workload=run_spec["workloadDigest"],
        protocol=run_spec["protocolDigest"],
        environment=run_spec["environmentDigest"],
        correctness=correctness,
        metric=comparability.metric_key(primary),
    )
    if primary is None:
        return GroupIdentity(key, correctness, None, None, None)
    return GroupIdentity(key, correctness, primary.metric, primary.statistic, primary.unit)


def instant(written: str) -> datetime:
    """The instant that an RFC 3339 text in UTC names; finer than microseconds is cut, the text keeps it."""
    return datetime.fromisoformat(written.removesuffix("Z")).replace(tzinfo=UTC)
