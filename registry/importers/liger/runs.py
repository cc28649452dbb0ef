"""The BenchmarkRun of a row, and the flags that it enters with."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from registry.core.digest import API_VERSION
from registry.importers.liger.cases import Case
from registry.importers.liger.documents import Made, Spec, kebab
from registry.importers.liger.rows import Row

SOURCE_SLUG = "liger-kernel-bench"
ONE_SAMPLE_MS = 5  # from here on, equal quantiles are no coincidence: upstream's timing loop ran once
TIME_ZONE = ("TIME_ZONE_NOT_STATED", "The CSV states the host's local time without a zone; shown as if UTC.")
SINGLE_SAMPLE = (
    "SINGLE_SAMPLE",
    f"p20, median and p80 are equal at {ONE_SAMPLE_MS} ms or more, as they are where the timing loop ran once.",
)


@dataclass(frozen=True, slots=True)
class Parts:
    """The documents that a run names."""

    implementation: Made
    workload: Made
    protocol: Made
    environment: Made


@dataclass(frozen=True, slots=True)
class Keys:
    """Upstream gives no id, so the row's names are one. `lasting` is the same without the time."""

    lasting: str
    whole: str


def keys(row: Row, case: Case) -> Keys:
    """The id of a row; a memory row's can't be that of the speed row beside it."""
    metric = ("memory",) if row.metric == "memory" else ()
    lasting = "/".join((row.kernel, row.timed_pass, *metric, row.provider, kebab(row.gpu), case.key))
    return Keys(lasting, f"{lasting}/{kebab(row.timestamp)}")


def run(row: Row, case: Case, parts: Parts, key: str) -> Spec:
    """The document."""
    is_memory = row.metric == "memory"
    spec: Spec = {
        "implementationDigest": parts.implementation.digest,
        "workloadDigest": parts.workload.digest,
        "protocolDigest": parts.protocol.digest,
        "environmentDigest": parts.environment.digest,
        "observedAt": f"{row.timestamp[:10]}T{row.timestamp[11:]}.000Z",
        "status": "passed",
        "sourceNative": {
            "source": SOURCE_SLUG,
            "benchmark": f"{row.kernel}/{row.timed_pass}{'/memory' * is_memory}",
            "externalId": key,
            "metrics": {f"{'mib' if is_memory else 'ms'}_{q}": value for q, value in row.values.items()},
        },
    }
    spec |= _memory(row.values) if is_memory else _speed(row.values)
    metric = "-memory" * is_memory
    labels = {"liger_version": row.release}
    if case.kernel.is_variant:
        labels["variant"] = case.kernel_name
    metadata: Spec = {
        "name": kebab(
            f"liger-{row.kernel}-{row.timed_pass}{metric}-{row.provider}-{row.gpu}-{case.key}-{row.timestamp}"
        ),
        "title": f"{case.kernel.title} · {row.provider} · {row.timed_pass}{' · peak memory' * is_memory}",
        "labels": labels,
    }
    return {"apiVersion": API_VERSION, "kind": "BenchmarkRun", "metadata": metadata, "spec": spec}


def flags(row: Row) -> tuple[tuple[str, str], ...]:
    """What a reader must know of the row that its figures alone do not say."""
    values = row.values
    is_one_sample = (
        row.metric == "speed" and values["50"] >= ONE_SAMPLE_MS and values["50"] == values.get("20") == values.get("80")
    )
    return (TIME_ZONE, SINGLE_SAMPLE) if is_one_sample else (TIME_ZONE,)


def _speed(values: Mapping[str, float]) -> Spec:
    timing = {"primaryStatistic": "median", "latencyNs": {"median": nanoseconds(values["50"])}}
    if len(values) < 3:
        return {"timing": timing}
    spread = [
        {"metric": "latency", "statistic": f"p{q}", "unit": "ns", "value": nanoseconds(values[q])} for q in ("20", "80")
    ]
    return {"timing": timing, "measurements": spread}


def _memory(values: Mapping[str, float]) -> Spec:
    """Upstream's "MB" are bytes by 2**20. p20 and p80 are told only where they differ from the median."""
    told = [("median", values["50"]), *((f"p{q}", values[q]) for q in ("20", "80") if q in values)]
    if len({value for _, value in told}) == 1:
        told = told[:1]
    return {
        "measurements": [
            {"metric": "memory", "statistic": statistic, "unit": "mib", "value": value} for statistic, value in told
        ]
    }


def nanoseconds(milliseconds: float) -> int:
    """Round as the published runs do: the double times 1e6 in double arithmetic, then half up."""
    return int(Decimal(milliseconds * 1e6).quantize(Decimal(1), rounding=ROUND_HALF_UP))
