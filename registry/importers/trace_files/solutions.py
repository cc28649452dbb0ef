"""Solutions as SOL-ExecBench and FlashInfer-Bench write them, made into implementations of their authors."""

from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import quote

from registry.core.digest import canonical, sha256
from registry.core.located import shown
from registry.importers import gpus
from registry.importers.base import BytesEntry, Known
from registry.importers.documents import TITLE_CHARACTERS, Spec, digest_of, document
from registry.importers.figures import cut, slug
from registry.importers.json_files import Item
from registry.importers.trace_files.definitions import Definition, token

BASELINE = "baseline"  # the author that upstream's own baselines have
LISTING = "sources.json"


@dataclass(frozen=True, slots=True)
class Dialect:
    """Where the two upstreams of this format differ.

    `licence` is that of solutions and definitions; None: their code and descriptions are not kept here.
    """

    source: str
    harness: Spec
    title: str
    family: str
    comparator: str
    author_slug: str
    author_id: str
    url: str
    files_url: str | None = None
    licence: str | None = None

    def url_of(self, file: str) -> str:
        """Where a file of the published tree is seen; of other files, where the tree is."""
        if self.files_url and file.partition("/")[0] in ("definitions", "solutions", "traces", "workloads"):
            return self.files_url + quote(file)
        return self.url


@dataclass(frozen=True, slots=True)
class Solution:
    """A solution as upstream names it, its author's project, and the implementation that it is here."""

    upstream: str
    name: str
    project: str
    owner: Spec
    implementation: Spec
    digest: str
    source: BytesEntry | None


def read_solution(item: Item, definition: Definition, dialect: Dialect, known: Known) -> Solution:
    """Make the implementation of a solution. Raises Refusal."""
    upstream, author, build = item.text("name"), item.text("author"), item.item("spec")
    source = _source(item)
    callable_: Spec = {"language": _language(build)}
    if entry_point := build.text_or_none("entry_point"):
        path, _, symbol = entry_point.partition("::")
        callable_ |= {"path": cut(path, 500)} | ({"symbol": cut(symbol, 200)} if symbol else {})
    spec: Spec = {
        "projectRevision": {},
        "operation": {"specDigest": definition.digest},
        "callable": callable_,
        "support": {"hardwareArchitectures": _architectures(build, known), "dtypes": definition.dtypes},
        "licensing": {"declared": dialect.licence} if dialect.licence else {},
    }
    if source:
        spec["source"] = {
            "contentDigest": source.digest,
            "fileName": cut(source.file_name or LISTING, 200),
            "sizeBytes": len(source.data),
        }
    metadata: Spec = {
        "name": slug(upstream),
        "title": cut(upstream, TITLE_CHARACTERS),
        "authors": [{"name": cut(author, 200)}],
        "sourceRefs": [{"url": dialect.url_of(item.file)}],
    }
    if author == BASELINE:
        metadata["labels"] = {"role": BASELINE}
    if dialect.licence and (description := item.text_or_none("description")):
        metadata["description"] = cut(description, 2000)
    implementation = document("ImplementationRevision", spec, metadata)
    project = f"{dialect.author_slug}{slug(author)}"
    owner = author_project(project, author, f"{dialect.author_id}{author}")
    return Solution(upstream, slug(upstream), project, owner, implementation, digest_of(implementation), source)


def author_project(project: str, author: str, host_id: str, **kind: str) -> Spec:
    """The project of one who is known by a name at an upstream only."""
    spec: Spec = {"name": cut(author, 200), "host": {"kind": "other", "id": cut(host_id, 200)}, **kind}
    return document("SoftwareProject", spec, {"name": project})


def _language(build: Item) -> str:
    """SOL-ExecBench lists languages, FlashInfer-Bench names one; several are all named."""
    if not build.has("languages"):
        return token(build.text("language"))
    languages = build.value["languages"]
    if not isinstance(languages, list) or not languages or not all(isinstance(name, str) for name in languages):
        raise build.refusal("SHAPE", "must be a list of languages", "languages")
    return "_and_".join(dict.fromkeys(token(name) for name in languages))


def _architectures(build: Item, known: Known) -> list[str]:
    """Of the hardware that a solution is meant for, what is known: upstream also lists CPU and LOCAL."""
    names = build.value.get("target_hardware") or []
    if not isinstance(names, list):
        raise build.refusal("SHAPE", "must be a list of hardware", "target_hardware")
    found = [gpus.hardware(name, known) for name in names if isinstance(name, str)]
    return sorted({facts["architecture"] for facts in found if facts})


def _source(item: Item) -> BytesEntry | None:
    """The code of a solution under one digest: a lone file's own, else that of a listing of all files by path."""
    files: dict[str, str] = {}
    for file in item.items("sources"):
        path = file.text("path")
        if path in files:
            raise file.refusal("DUPLICATE_NAME", f"{shown(path)} is listed twice", "path")
        content = file.value.get("content")
        if not isinstance(content, str):
            raise file.refusal("SHAPE", "must be text", "content")
        files[path] = content
    place = item.place("sources")
    if len(files) == 1:
        [(path, content)] = files.items()
        name = PurePosixPath(path).name[:200]
        media_type = "text/x-python" if name.endswith(".py") else "text/plain"
        data = content.encode()
        return BytesEntry(sha256(data), data, "source", media_type, name, place) if data else None
    if not files:
        return None
    data = canonical([{"path": path, "content": files[path]} for path in sorted(files)]).encode()
    return BytesEntry(sha256(data), data, "source", "application/json", LISTING, place)
