"""Every page kind, light and dark, narrow and wide: accessible, within its policy, on its own origin, in its width."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from registry import corrections
from registry.models import Operation, Run, Standing
from tests.conftest import NOW
from tests.registry.pages import incident

pytestmark = pytest.mark.browser
SOL = "sha256:7331cf583fb6e7ee800b9067515bdecb60520bfdb78282d9a614a26710a28f7c"
LIGER = "sha256:e623e9242d413ecb009420593bdc959332909ee286c0e13ed1a7f98117891b24"
ACTOR = "00000000-0000-4000-8000-000000000001"


def page_kinds() -> dict[str, str]:
    """One address of every kind of page of the bundled registry, each a different template or state."""
    run = Run.objects.select_related(
        "implementation__project", "protocol", "environment__hardware", "workload", "group"
    ).get(digest=LIGER)
    other = Run.objects.select_related("group").filter(workload=run.workload).exclude(group=run.group).first()
    assert other is not None
    found = incident()
    return {
        "home": "/",
        "search": "/search/?q=relu+squared+H100",
        "search, nothing found": "/search/?q=relu+nonsense",
        "docs": "/docs/",
        "run, alone in its group": f"/runs/{SOL}/",
        "run, one of two": f"/runs/{LIGER}/",
        "runs": "/runs/",
        "group": f"/groups/{run.group.key}/",
        "groups": "/groups/",
        "why not": f"/groups/{run.group.key}/why-not/{other.group.key}/",
        "operation": "/operations/liger-relu-squared/",
        "operation of a suite": f"/operations/{Operation.objects.exclude(slug='liger-relu-squared').get().slug}/",
        "operations": "/operations/",
        "workload": f"/workloads/{run.workload.digest}/",
        "implementation": f"/implementations/{run.implementation_id}/",
        "implementations": "/implementations/",
        "project": f"/projects/{run.implementation.project.slug}/",
        "protocol": f"/protocols/{run.protocol.digest}/",
        "environment": f"/environments/{run.environment.digest}/",
        "hardware": f"/hardware/{run.environment.hardware.slug}/",
        "hardware list": "/hardware/",
        "source": "/sources/liger-kernel-bench/",
        "sources": "/sources/",
        "incidents": "/incidents/",
        "incident": found.get_absolute_url(),
        "run under an incident": f"/runs/{found.marks.order_by('run__digest')[0].run.digest}/",
        "sign in": "/accounts/login/",
        "no accounts yet": "/accounts/signup/",
    }


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_every_page_is_accessible_and_keeps_to_itself(watch: Any, scheme: str, width: int) -> None:
    watched = watch(width, scheme)
    axe = Axe()
    faults: list[str] = []
    for kind, path in page_kinds().items():
        watched.visit(path)
        found = axe.run(watched.page)
        faults += [f"{kind}: {v['id']}: {v['nodes'][0]['target']}" for v in found.response["violations"]]
        if watched.page.evaluate("document.documentElement.scrollWidth") > width:
            faults.append(f"{kind}: scrolls sideways at {width} px")
    assert faults == []
    assert watched.complaints == []


def test_pages_of_marked_runs_are_accessible(watch: Any) -> None:
    first, second, third = Run.objects.filter(source__slug="liger-kernel-bench").order_by("digest")[:3]
    corrections.withdraw([first], reason="wrong upstream gradient", actor=ACTOR, now=NOW)
    corrections.flag([second], rule="IMPLAUSIBLE", reason="below the stated bound", actor=ACTOR, now=NOW)
    corrections.supersede(third, successor=second, reason="corrected timer", actor=ACTOR, now=NOW)
    watched = watch(360, "dark")
    faults = []
    for run in (first, second, third):
        watched.visit(f"/runs/{run.digest}/")
        faults += [violation["id"] for violation in Axe().run(watched.page).response["violations"]]
    assert faults == []
    assert watched.complaints == []
    assert Standing.objects.filter(rank=None).count() == 3


def test_a_page_that_is_not_there_says_so(watch: Any) -> None:
    watched = watch()
    watched.visit("/runs/sha256:" + "0" * 64 + "/")
    assert watched.page.locator("h1").inner_text() == "There is no page at this address"
    assert Axe().run(watched.page).response["violations"] == []
