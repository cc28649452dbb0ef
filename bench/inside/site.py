"""The whole site asked in-process: through WSGI and every middleware, as a server would ask it."""

import io
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from wsgiref.util import setup_testing_defaults

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.db import connection
from django.test.utils import CaptureQueriesContext

from registry.models import ComparisonGroup, Run, RunArtifact, Source

TEMPLATES = Path(__file__).resolve().parent.parent / "templates"
TRIVIAL = "/bench/trivial/"
SOL_SEED = "submission/16893"


@dataclass(frozen=True, slots=True)
class Answer:
    status: str
    headers: dict[str, str]
    body: bytes


class Site:
    """The site with the trivial page beside it. One to a process: it changes the settings before they are used."""

    def __init__(self) -> None:
        settings.ROOT_URLCONF = "bench.urls"
        settings.TEMPLATES[0]["DIRS"].append(TEMPLATES)
        self.application: Callable[..., Any] = get_wsgi_application()

    def ask(self, path: str, **headers: str) -> Answer:
        """Answer one GET. Raises RuntimeError for anything but 200."""
        address, _, query = path.partition("?")
        environ: dict[str, Any] = {"PATH_INFO": address, "QUERY_STRING": query, "HTTP_HOST": "localhost"} | headers
        setup_testing_defaults(environ)
        environ |= {"wsgi.input": io.BytesIO(), "wsgi.errors": sys.stderr}
        told: list[Any] = []
        response = self.application(environ, lambda status, given, exc_info=None: told.extend((status, given)))
        body = b"".join(response)
        response.close()
        if not told[0].startswith("200"):
            raise RuntimeError(f"{path} answered {told[0]}")
        return Answer(told[0], dict(told[1]), body)

    def queries(self, path: str) -> int:
        """How many queries one GET makes, once the process is warm."""
        self.ask(path)
        with CaptureQueriesContext(connection) as captured:
            self.ask(path)
        return len(captured)


def run_pages() -> dict[str, str]:
    """The three run pages that the figures are about."""
    seed = Run.objects.get(sightings__upstream_key=SOL_SEED)
    largest = ComparisonGroup.objects.order_by("-standing__run_count").first()
    assert largest is not None
    of_largest = largest.standings.get(position=largest.standing.run_count // 2).run
    with_log = RunArtifact.objects.filter(role="log", run__source__slug="flashinfer-bench").order_by("digest").first()
    assert with_log is not None
    return {
        "run, SOL seed": seed.get_absolute_url(),
        "run, GPU MODE, amid the largest group": of_largest.get_absolute_url(),
        "run, FlashInfer, with a log": with_log.run.get_absolute_url(),
    }


def pages() -> dict[str, str]:
    """Every page that is measured, by what it is called in the figures."""
    group = ComparisonGroup.objects.order_by("-standing__run_count").first()
    assert group is not None
    of_run = run_pages()
    first = next(iter(of_run.values()))
    return of_run | {
        "group of 260 runs": group.get_absolute_url(),
        "operation with 1,764 runs": "/operations/gpumode-amd-fp8-mm/",
        "home": "/",
        "search": "/search/?q=rmsnorm",
        "API run": f"/api/v1{first}",
        "API list of runs": "/api/v1/runs/",
    }


def synthetic_pages() -> dict[str, str]:
    """The same pages where the registry holds nothing but the synthetic group."""
    source = Source.objects.get(slug="synthetic")
    group = ComparisonGroup.objects.get()
    run = group.standings.get(position=5).run
    return {
        "run": run.get_absolute_url(),
        "group": group.get_absolute_url(),
        "operation": run.operation.get_absolute_url(),
        "workload": run.workload.get_absolute_url(),
        "implementation": run.implementation.get_absolute_url(),
        "source": f"/sources/{source.slug}/",
        "home": "/",
        "search": "/search/?q=scale",
        "API run": f"/api/v1{run.get_absolute_url()}",
        "API list of runs": "/api/v1/runs/",
    }
