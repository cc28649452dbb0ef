"""The pages that curators work on: within their policy, without a complaint, in the width of the screen."""

import uuid
from typing import Any

import pytest

from registry import notes
from registry.models import ProtocolNote, Source, UnmappedName
from registry.models.syncs import SyncState
from tests.conftest import NOW
from tests.people import member
from tests.registry.pages import OPERATION, incident, recorded_sync

pytestmark = pytest.mark.browser
LONG_NAME = "NVIDIA " + "B300-" * 40


def page_kinds() -> dict[str, str]:
    """The address of each, with something on it that waits for a person."""
    sync = recorded_sync(state=SyncState.WAITING, waits_because="the first sync of this source")
    source = Source.objects.get(slug="liger-kernel-bench")
    UnmappedName.objects.create(
        id=uuid.uuid4(), source=source, kind="gpu", name=LONG_NAME, first_seen_at=NOW, row_count=3, example="relu,…"
    )
    notes.load_bundled(now=NOW)
    note = ProtocolNote.objects.order_by("subject")[0]
    registry = "/admin/registry"
    return {
        "desk": "/admin/",
        "sources": f"{registry}/source/",
        "source": f"{registry}/source/{source.pk}/change/",
        "a new source": f"{registry}/source/add/",
        "upload": f"{registry}/source/{source.pk}/upload/",
        "dry run": f"{registry}/source/{source.pk}/dry-run/",
        "syncs": f"{registry}/sync/",
        "sync": f"{registry}/sync/{sync.pk}/change/",
        "approve": f"{registry}/sync/{sync.pk}/approve/",
        "names": f"{registry}/unmappedname/",
        "incident": f"{registry}/incident/{incident().pk}/change/",
        "note": f"{registry}/protocolnote/{note.pk}/change/",
        "next note": f"{registry}/protocolnote/write/{note.subject}/",
    }


@pytest.fixture
def signed_in(watch: Any) -> Any:
    """Staff at the admin's front page; what curators may do is looked at where groups outlive a test."""
    watched = watch(of=member("c", is_superuser=True))
    watched.visit("/admin/")
    return watched


def test_curators_pages_keep_to_themselves_and_to_their_width(signed_in: Any) -> None:
    faults = []
    for kind, path in page_kinds().items():
        signed_in.visit(path)
        assert signed_in.page.locator("#content h1").is_visible(), kind
        faults += [f"{kind}: sideways at {width} px" for width in (360, 1280) if signed_in.scrolls_sideways(width)]
    assert faults == []
    assert signed_in.complaints == []


def test_an_incident_is_previewed_and_published_on_a_phone(signed_in: Any) -> None:
    page = signed_in.page
    page.set_viewport_size({"width": 360, "height": 900})
    signed_in.visit("/admin/registry/incident/publish/")
    stated = {"title": "Timers of March", "text": "The timer stood still.", "operations": OPERATION, "reason": "Seen."}
    for name, value in stated.items():
        page.locator(f"[name={name}]").fill(value)
    page.get_by_role("button", name="Preview").click()
    page.get_by_text("48 runs in 24 groups").wait_for()
    assert not signed_in.scrolls_sideways(360)
    page.get_by_role("button", name="Publish it").click()
    page.get_by_text("Published: Timers of March.").wait_for()
    assert signed_in.complaints == []
