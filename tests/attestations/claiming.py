"""What tests of claims share: a project and a source that can be claimed, their run, and claims as they stand."""

import uuid
from typing import Any

from django.contrib.auth import get_user_model

from attestations.models import Claim, ClaimState, Method
from attestations.profiles import actor_of
from registry.models import Project, Run, Source
from tests.conftest import NOW
from tests.factories import bundle, ingest_bundle, project_document

REPOSITORY = "https://github.com/Acme/kernels"
BASIS = "github.com/acme/kernels"
RAW = "https://raw.githubusercontent.com/Acme/kernels/HEAD/.well-known/kernelindex-claim.txt"


def claimed_run(repository: str | None = REPOSITORY) -> Run:
    """A run of the project "acme", whose repository is this, from a source on the same GitHub."""
    fields: dict[str, Any] = {"repository": repository} if repository else {}
    ingest_bundle(bundle(projects=[project_document(**fields)]), is_upstream=True)
    Source.objects.filter(slug="upstream").update(homepage="https://bench.example.org/board")
    return Run.objects.get()


def moved_to(repository: str) -> None:
    """The project's newest revision names another repository."""
    ingest_bundle({"projects": [project_document(repository=repository)]}, is_upstream=True)


def acme() -> Project:
    return Project.objects.get(slug="acme")


def upstream() -> Source:
    return Source.objects.get(slug="upstream")


def speakers(count: int) -> list[Claim]:
    """So many claimants of the project, of accounts without a password: hashing each would take a second."""
    users = [get_user_model().objects.create(username=f"speaker{number}") for number in range(count)]
    return [granted(user) for user in users]


def granted(user: Any, **fields: Any) -> Claim:
    """A claim that holds: on the project, by a token file, unless said otherwise."""
    thing = {"project": acme()} if "source" not in fields else {}
    stated = {"method": Method.TOKEN, "state": ClaimState.GRANTED, "basis": BASIS, "decided_at": NOW, **thing, **fields}
    return Claim.objects.create(id=uuid.uuid4(), actor=actor_of(user), at=NOW, **stated)
