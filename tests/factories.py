"""Documents and bundles to start from, each field of which a test may replace, and the way to bring them in."""

import copy
import hashlib
import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django.apps import apps

from registry.core.digest import API_VERSION, document_text, sha256
from registry.core.kinds import parse
from registry.core.reading import BUNDLE_LIMIT_SHELL, Syntax, read
from registry.importers import bundle as bundles
from registry.importers.base import DocumentEntry, Entry, Place, RunEntry, SourceEntry, in_line
from registry.ingest import IngestReport, SnapshotFile, ingest
from tests.conftest import NOW

Spec = dict[str, Any]
UPSTREAM = SourceEntry("upstream", "An upstream", "benchmark")
COMMIT = "0123456789abcdef0123456789abcdef01234567"
LOG = "sha256:" + "5" * 64


def changed(value: Spec, **changes: object) -> Spec:
    """A copy with fields replaced; `a__b__0` stands for a place within, None removes."""
    made = copy.deepcopy(value)
    for path, new in changes.items():
        place: Any = made
        *steps, last = [int(step) if step.isdigit() else step for step in path.split("__")]
        for step in steps:
            place = place[step]
        if new is None:
            del place[last]
        else:
            place[last] = new
    return made


def document(kind: str, name: str, spec: Spec, metadata: Mapping[str, object] | None = None) -> Spec:
    return {"apiVersion": API_VERSION, "kind": kind, "metadata": {"name": name, **(metadata or {})}, "spec": spec}


def digest_of(value: Spec) -> str:
    """The digest that the door gives a document."""
    manifest = parse(value)
    return sha256(document_text(manifest.kind, manifest.spec))


def project_document(name: str = "acme", /, *, metadata: Spec | None = None, **spec: object) -> Spec:
    return document("SoftwareProject", name, changed({"name": "Acme Kernels", "kind": "library"}, **spec), metadata)


def operation_document(name: str = "scale", /, *, metadata: Spec | None = None, **spec: object) -> Spec:
    """y = factor · x over `rows` by a constant `hidden`."""
    base: Spec = {
        "family": "elementwise",
        "axes": {
            "rows": {"role": "variable", "type": "integer"},
            "hidden": {"role": "constant", "type": "integer", "value": 64},
        },
        "inputs": [{"name": "x", "tensor": {"shape": ["rows", "hidden"], "dtype": "float"}}],
        "outputs": [{"name": "y", "tensor": {"shape": ["rows", "hidden"], "dtype": "float"}}],
        "semantics": {"mutation": "none", "determinism": "unspecified"},
    }
    return document("OperationSpec", name, changed(base, **spec), metadata)


def workload_document(
    name: str = "scale-8", /, *, operation: Spec | None = None, metadata: Spec | None = None, **spec: object
) -> Spec:
    base: Spec = {
        "operationSpecDigest": digest_of(operation or operation_document()),
        "axes": {"rows": 8},
        "tensors": {"x": {"shape": [8, 64], "dtype": "bf16"}},
        "correctness": {"comparator": "allclose", "maxAbsoluteError": 0.5},
    }
    return document("WorkloadCase", name, changed(base, **spec), metadata)


def suite_document(
    name: str = "scale-suite", /, *, operation: Spec | None = None, metadata: Spec | None = None, **spec: object
) -> Spec:
    base: Spec = {
        "operationSpecDigest": digest_of(operation or operation_document()),
        "cases": [{"externalId": "one", "axes": {"rows": 8}}, {"externalId": "two", "axes": {"rows": 16}}],
        "correctness": {"comparator": "allclose"},
        "aggregation": {"metric": "latency", "statistic": "mean"},
    }
    return document("WorkloadSuite", name, changed(base, **spec), metadata)


def implementation_document(
    name: str = "acme-scale", /, *, operation: Spec | None = None, metadata: Spec | None = None, **spec: object
) -> Spec:
    base: Spec = {
        "projectRevision": {"repository": "https://example.org/acme", "commit": COMMIT},
        "operation": {"specDigest": digest_of(operation or operation_document())},
        "callable": {"language": "triton"},
        "support": {"hardwareArchitectures": ["sm_90"], "dtypes": ["bf16"]},
        "licensing": {"declared": "MIT"},
    }
    return document("ImplementationRevision", name, changed(base, **spec), metadata)


def protocol_document(name: str = "acme-bench", /, *, metadata: Spec | None = None, **spec: object) -> Spec:
    base: Spec = {
        "harness": {"name": "acme-bench"},
        "measurement": {"timer": "cuda_events", "primaryStatistic": "median"},
    }
    return document("BenchmarkProtocol", name, changed(base, **spec), metadata)


def environment_document(name: str = "acme-host", /, *, metadata: Spec | None = None, **spec: object) -> Spec:
    base: Spec = {
        "hardware": {"vendor": "nvidia", "product": "NVIDIA H100", "architecture": "sm_90", "formFactor": "PCIe"},
        "software": {},
    }
    return document("ExecutionEnvironment", name, changed(base, **spec), metadata)


def run_document(
    name: str = "acme-run",
    /,
    *,
    implementation: Spec | None = None,
    workload: Spec | None = None,
    protocol: Spec | None = None,
    environment: Spec | None = None,
    metadata: Spec | None = None,
    **spec: object,
) -> Spec:
    """A passed run of 1,000 ns, not source-native."""
    base: Spec = {
        "implementationDigest": digest_of(implementation or implementation_document()),
        "workloadDigest": digest_of(workload or workload_document()),
        "protocolDigest": digest_of(protocol or protocol_document()),
        "environmentDigest": digest_of(environment or environment_document()),
        "observedAt": "2026-07-01T00:00:00Z",
        "status": "passed",
        "timing": {"primaryStatistic": "median", "latencyNs": {"median": 1000}},
    }
    return document("BenchmarkRun", name, changed(base, **spec), metadata)


def run_entry(
    *, protocol: Spec | None = None, environment: Spec | None = None, row: Spec | None = None, **run: Any
) -> Spec:
    """An item of a bundle's `runs`. `row` is its `implementation: {project, name}`."""
    protocol, environment = protocol or protocol_document(), environment or environment_document()
    entry = {
        "run": run_document(protocol=protocol, environment=environment, **run),
        "protocol": protocol,
        "environment": environment,
    }
    return entry | ({"implementation": row} if row else {})


def bundle(**lists: object) -> Spec:
    """A whole bundle of one run; a list given replaces that list."""
    base: Spec = {
        "projects": [project_document()],
        "operations": [operation_document()],
        "workloads": [workload_document()],
        "implementations": [{"projectSlug": "acme", "manifest": implementation_document()}],
        "runs": [run_entry()],
    }
    return base | lists


def bundle_of(*entries: Spec, **lists: object) -> Spec:
    """A whole bundle of these runs."""
    return bundle(runs=list(entries), **lists)


def ingest_bytes(
    data: bytes,
    *,
    file: str = "bundle.json",
    now: datetime = NOW,
    source: SourceEntry = bundles.SOURCE,
    is_dry_run: bool = False,
    is_upstream: bool = False,
) -> IngestReport:
    """Bring a bundle's text in by the real door. With `is_upstream` it counts as an upstream's own publication."""
    syntax: Syntax = "json" if file.endswith(".json") else "yaml"
    reading = read(data, syntax=syntax, limit=BUNDLE_LIMIT_SHELL)
    return ingest(
        bundles.translate(reading, file=file),
        source=UPSTREAM if is_upstream else source,
        snapshot=SnapshotFile(file, f"sha256:{hashlib.sha256(data).hexdigest()}", len(data)),
        now=now,
        is_all_or_nothing=not is_upstream,
        is_dry_run=is_dry_run,
    )


def ingest_bundle(content: object, **options: Any) -> IngestReport:
    """Bring a bundle in by the real door. Its text has one value a line, so that lines can be asserted."""
    return ingest_bytes(json.dumps(content, indent=1).encode(), **options)


def ingest_entries(
    entries: Iterable[Entry],
    *,
    snapshot: str = "1",
    file: str = "rows",
    source: SourceEntry = UPSTREAM,
    now: datetime = NOW,
    **options: Any,
) -> IngestReport:
    """Bring an upstream's entries in, as an importer would yield them."""
    read = SnapshotFile(file, "sha256:" + snapshot * 64, 1)
    return ingest(entries, source=source, snapshot=read, now=now, **options)


def entries_of(content: Spec, **run_fields: Any) -> list[Entry]:
    """A bundle's content as an importer's entries; `run_fields` are those of each RunEntry."""
    kinds = ("projects", "operations", "workloads")
    made: list[Entry] = [
        DocumentEntry(value["kind"], value, in_line("rows", 1)) for kind in kinds for value in content[kind]
    ]
    made += [
        DocumentEntry("ImplementationRevision", item["manifest"], in_line("rows", 1), project=item["projectSlug"])
        for item in content["implementations"]
    ]
    return made + [
        RunEntry(item["run"], item["protocol"], item["environment"], in_line("rows", 2), **run_fields)
        for item in content["runs"]
    ]


def told(report: IngestReport) -> list[str]:
    """Each rejection as `REASON file: line 3: path: message`."""
    return [f"{rejected.reason} {rejected.place}: {rejected.message}" for rejected in report.rejected]


def place_of(file: str, line: int, path: str) -> Place:
    return Place(file, line, path)


def everything() -> dict[str, list[tuple[Any, ...]]]:
    """All rows of all tables of the registry, for "nothing has changed"."""
    return {
        model._meta.label: sorted(map(repr, model._default_manager.values_list()))
        for model in apps.get_app_config("registry").get_models()
    }


def counts() -> dict[str, int]:
    """How many rows each table of the registry has; empty tables are left out."""
    found = {model.__name__: model._default_manager.count() for model in apps.get_app_config("registry").get_models()}
    return {name: count for name, count in found.items() if count}
