"""Protocol notes on pages: in full on the protocol's page, as chips on its runs and groups, with what continues it."""

import re
import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from registry import corrections, notes
from registry.core.protocol_notes import NOT_STATED, TOPICS
from registry.models import Protocol, Run
from tests.conftest import NOW
from tests.factories import protocol_document
from tests.registry.pages import (
    LIGER,
    LIGER_KEY,
    NOTHING_SAID,
    PROTOCOL,
    SOL,
    STAFF,
    lacks,
    publish,
    queries_of,
    shown,
    timed,
)

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(days=1)
URL = "https://github.com/acme/bench/blob/" + "a" * 40 + "/bench.py"


def sentences(**told: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"topic": topic, "text": NOT_STATED} | told.get(topic, {}) for topic in TOPICS]


FLUSHED = sentences(l2={"text": "The L2 cache is flushed.", "url": URL, "chip": "L2 flushed"})
WARM = sentences(l2={"text": "The L2 cache stays warm.", "url": URL, "chip": "L2 warm"})


def write(subject: str, told: list[dict[str, Any]], **fields: Any) -> None:
    notes.write(subject=subject, sentences=told, **{"reason": "read the code", "actor": STAFF, "now": NOW} | fields)


@pytest.fixture
def run(db: None) -> Run:
    protocol = protocol_document("acme-bench", comparability={"family": "acme"})
    return publish(timed(100, protocol=protocol))[0]


# The protocol's page


@pytest.mark.usefixtures("demo")
def test_a_bundled_note_stands_in_full_with_its_links(client: Client) -> None:
    page = client.get(f"/protocols/{PROTOCOL}/")
    assert lacks(
        page,
        "Protocol note Version 1, 2026-09-01 . For all protocols of the family liger_kernel_bench.",
        "what is timed One call of the benchmarked function between two CUDA events",
        "linkedin/Liger-Kernel benchmark/scripts/utils.py at 07b79b1bd62c",
        "clocks – not stated",
        "Bundled with the site: Read from the upstreams' code at the commits that the sentences link. No earlier",
    ) == []  # fmt: skip
    assert 'id="note-l2"' in page.content.decode()


def test_a_protocol_without_a_note_says_so(client: Client, run: Run) -> None:
    assert (
        lacks(client.get(run.protocol.get_absolute_url()), "Nobody has written down yet how this protocol measures.")
        == []
    )
    assert lacks(client.get(run.get_absolute_url()), "protocol note – nobody has written one") == []


def test_earlier_versions_stay_listed_with_their_sentences(client: Client, run: Run) -> None:
    write(run.protocol.digest, FLUSHED)
    write(run.protocol.digest, WARM, reason="the flush came later", now=LATER)
    page = client.get(run.protocol.get_absolute_url())
    assert lacks(
        page,
        "Version 2, 2026-09-02 . Outside the digest: nothing is ranked by it.",
        "L2 cache The L2 cache stays warm. acme/bench bench.py at aaaaaaaaaaaa",
        "Written by KernelIndex staff: the flush came later.",
        "Version 1, 2026-09-01 : read the code",
        "The L2 cache is flushed.",
    ) == []  # fmt: skip
    ids = re.findall(r'id="([^"]+)"', page.content.decode())
    assert len(ids) == len(set(ids))
    assert queries_of(client, run.protocol.get_absolute_url()) <= 8


def test_a_protocol_s_own_note_goes_before_its_family_s(client: Client, run: Run) -> None:
    write("family:acme", WARM)
    assert lacks(client.get(run.protocol.get_absolute_url()), "stays warm", "of the family acme") == []
    write(run.protocol.digest, FLUSHED, now=LATER)
    text = shown(client.get(run.protocol.get_absolute_url()))
    assert [words for words in ("is flushed", "stays warm", "of the family") if words in text] == ["is flushed"]


# Chips


@pytest.mark.usefixtures("demo")
@pytest.mark.parametrize("path", [f"/runs/{LIGER}/", f"/groups/{LIGER_KEY}/"])
def test_three_chips_stand_by_the_protocol_and_lead_to_their_sentences(client: Client, path: str) -> None:
    page = client.get(path)
    assert lacks(page, "protocol note L2 flushed clocks not stated n not stated") == []
    anchors = re.findall(r'<a class="tag" href="([^"]+)">', page.content.decode())
    assert anchors == [f"/protocols/{PROTOCOL}/#note-{topic}" for topic in ("l2", "clocks", "samples")]
    target = client.get(f"/protocols/{PROTOCOL}/").content.decode()
    assert all(f'id="{anchor.partition("#")[2]}"' in target for anchor in anchors)


def test_a_new_version_shows_on_a_page_that_was_kept(client: Client, run: Run) -> None:
    path, group = run.get_absolute_url(), run.group.get_absolute_url()
    write(run.protocol.digest, FLUSHED)
    for page in (path, group):
        assert lacks(client.get(page), "protocol note L2 flushed") == []
    write(run.protocol.digest, WARM, now=LATER)
    for page in (path, group):
        assert lacks(client.get(page), "protocol note L2 warm") == []


@pytest.mark.usefixtures("demo")
def test_notes_take_no_query_of_their_own_on_a_run_or_group(client: Client) -> None:
    before = {path: queries_of(client, path) for path in (f"/runs/{LIGER}/", f"/runs/{SOL}/", f"/groups/{LIGER_KEY}/")}
    protocol = Protocol.objects.get(digest=PROTOCOL)
    other = Run.objects.select_related("protocol").get(digest=SOL).protocol
    write(PROTOCOL, FLUSHED, now=LATER)
    notes.succeed(protocol, successor=other, reason="continued", actor=STAFF, now=LATER)
    assert {path: queries_of(client, path) for path in before} == before
    assert max(before.values()) <= 8 + NOTHING_SAID


def test_a_redacted_protocol_has_no_family_left_and_its_pages_still_answer(client: Client, run: Run) -> None:
    write("family:acme", WARM)
    request = corrections.request_redaction(run.protocol, reason_class="legal", reason="a court", actor=STAFF, now=NOW)
    corrections.approve_redaction(request, citation="as cited", actor=uuid.UUID(int=2), now=NOW)
    for path in (run.get_absolute_url(), run.group.get_absolute_url()):
        assert lacks(client.get(path), "nobody has written one") == []


# Succession


def test_groups_and_runs_of_an_older_protocol_link_the_newer_one(client: Client, run: Run) -> None:
    newer = publish(timed(90, protocol=protocol_document("newer", harness__name="newer")))[0]
    before = run.standing.rank
    notes.succeed(run.protocol, successor=newer.protocol, reason="version 2 of it", actor=STAFF, now=NOW)
    for path in (run.get_absolute_url(), run.group.get_absolute_url(), run.protocol.get_absolute_url()):
        page = client.get(path)
        said = "said 2026-09-01 : version 2 of it. Ranks are not affected."
        assert lacks(page, "A newer protocol continues this one:", said) == []
        assert f'href="{newer.protocol.get_absolute_url()}"' in page.content.decode()
    for path in (newer.get_absolute_url(), newer.group.get_absolute_url(), newer.protocol.get_absolute_url()):
        assert "continues this one" not in shown(client.get(path))
    assert Run.objects.get(pk=run.pk).standing.rank == before == 1
    notes.succeed(run.protocol, successor=None, reason="a mistake", actor=STAFF, now=LATER)
    for path in (run.get_absolute_url(), run.group.get_absolute_url(), run.protocol.get_absolute_url()):
        assert "continues this one" not in shown(client.get(path))


# The same as JSON


@pytest.mark.usefixtures("demo")
def test_the_twins_of_protocol_run_and_group_carry_the_note(client: Client) -> None:
    protocol = client.get(f"/api/v1/protocols/{PROTOCOL}/").json()
    assert (protocol["note"]["newest"]["version"], protocol["note"]["of_family"], protocol["succession"]) == (
        1, "liger_kernel_bench", None,
    )  # fmt: skip
    assert [topic["key"] for topic in protocol["note"]["newest"]["topics"]] == list(TOPICS)
    for path in (f"/api/v1/runs/{LIGER}/", f"/api/v1/groups/{LIGER_KEY}/"):
        told = client.get(path).json()["protocol_notes"]
        assert [chip["text"] for chip in told["chips"]] == ["L2 flushed", "clocks not stated", "n not stated"]
        assert (told["version"], told["url"], told["succession"]) == (1, f"/protocols/{PROTOCOL}/#note", None)
    assert client.get(f"/api/v1/protocols/{PROTOCOL}/").json()["note"]["earlier"] == []
