"""Every page kind, light and dark, narrow and wide: accessible, within its policy, on its own origin, in its width."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from registry import corrections
from registry.models import Run, Standing
from tests.browser.kinds import page_kinds
from tests.conftest import NOW

pytestmark = pytest.mark.browser
ACTOR = "00000000-0000-4000-8000-000000000001"


OPEN_ALL = "document.querySelectorAll('details').forEach(element => element.open = true)"
WIDTHS = (360, 1280)
ANSWERED_451 = "the server responded with a status of 451"  # the browser's own line on the page that says why


# What a scheme can change; structure is looked at once, and colours are most of what axe takes.
RULES: dict[str, dict[str, Any]] = {"light": {}, "dark": {"runOnly": ["color-contrast", "link-in-text-block"]}}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_is_accessible_and_keeps_to_itself(watch: Any, scheme: str) -> None:
    """Each page is loaded once; what it looks like at a width is its stylesheet's doing alone."""
    watched = watch(scheme=scheme)
    axe = Axe()
    faults: list[str] = []
    for kind, path in page_kinds().items():
        watched.visit(path)
        for width in WIDTHS:
            watched.page.set_viewport_size({"width": width, "height": 900})
            found = axe.run(watched.page, options={"resultTypes": ["violations"], **RULES[scheme]})
            faults += [
                f"{kind}, {width} px: {v['id']}: {v['nodes'][0]['target']}" for v in found.response["violations"]
            ]
        watched.page.evaluate(OPEN_ALL)
        faults += [f"{kind}: scrolls sideways at {width} px" for width in WIDTHS if watched.scrolls_sideways(width)]
    assert faults == []
    assert [complaint for complaint in watched.complaints if ANSWERED_451 not in complaint] == []


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
