"""A run's citation as files, on its page, and by content negotiation on its address."""

import html
import json
import re
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from registry import corrections
from registry.core.citation import FORMATS
from registry.queries import runs as run_queries
from registry.views.citations import BadDayError, accessed_on
from tests.conftest import NOW
from tests.registry.citing import READERS
from tests.registry.pages import OTHER_STAFF, SOL, STAFF, lacks, publish, shown, timed

pytestmark = pytest.mark.django_db
KEY = "nvidiasolexecbench_2026_7331cf583fb6"
BIBTEX = "application/x-bibtex"
CSL = "application/vnd.citationstyles.csl+json"
RIS = "application/x-research-info-systems"


def get(client: Client, path: str, accept: str | None = None) -> Any:
    return client.get(path, headers={"accept": accept} if accept is not None else {})


def redacted() -> tuple[Any, str]:
    [run] = publish(timed(1000))
    frozen = run_queries.citation_text(run_queries.find(run.digest), site_url="https://ki.test", today=NOW.date())
    request = corrections.request_redaction(run, reason_class="legal", reason="a court", actor=STAFF, now=NOW)
    corrections.approve_redaction(request, citation=frozen, actor=OTHER_STAFF, now=NOW)
    return run, f"[redacted 2026-09-01: legal removal] {frozen}"


# --- files


@pytest.mark.usefixtures("demo")
@pytest.mark.parametrize("name", FORMATS)
def test_each_format_is_a_file_of_its_media_type_named_by_the_key(client: Client, name: str) -> None:
    form = FORMATS[name]
    response = client.get(f"/runs/{SOL}/cite.{form.ending}")
    assert response.status_code == 200
    assert response["Content-Type"] == f"{form.media_type}; charset=utf-8"
    assert response["Content-Disposition"] == f'attachment; filename="{KEY}.{form.ending}"'
    written = response.content.decode()
    assert written.endswith("ER  - \r\n" if name == "ris" else "\n")
    [shown_form] = [cited for cited in client.get(f"/runs/{SOL}/").context["page"].cite.formats if cited.name == name]
    assert written.rstrip("\r\n") == shown_form.text.rstrip("\r\n")
    for reader in READERS.get(name, ()):
        assert reader(shown_form.text)["url"] == f"http://localhost:8000/runs/{SOL}/"


@pytest.mark.usefixtures("demo")
@pytest.mark.parametrize("ending", ["cff", "json", "text", "BIB", "bib.txt", "biblatex"])
def test_a_form_that_there_is_not_is_not_found(client: Client, ending: str) -> None:
    assert client.get(f"/runs/{SOL}/cite.{ending}").status_code == 404


@pytest.mark.parametrize("form", FORMATS.values(), ids=FORMATS)
def test_of_a_redacted_run_every_file_is_gone_and_gives_the_frozen_citation(client: Client, form: Any) -> None:
    run, told = redacted()
    for response in (
        client.get(f"/runs/{run.digest}/cite.{form.ending}"),
        get(client, f"/runs/{run.digest}/", form.media_type),
    ):
        assert response.status_code == 410
        assert response["Content-Type"] == "text/plain; charset=utf-8"
        assert response.content.decode() == f"{told}\n"
    assert lacks(client.get(f"/runs/{run.digest}/"), told) == []


# --- the reader's day

AT = datetime(2026, 12, 1, 0, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("written", "day"),
    [
        (None, date(2026, 12, 1)),
        ("2026-12-01", date(2026, 12, 1)),
        ("2026-11-30", date(2026, 11, 30)),
        ("2026-12-02", date(2026, 12, 2)),
    ],
)
def test_the_access_date_is_the_readers_or_that_of_utc(written: str | None, day: date) -> None:
    assert accessed_on(written, AT) == day


@pytest.mark.parametrize(
    "written",
    ["", "2026-11-29", "2026-12-03", "1970-01-01", "9999-12-31", "2026-02-30", "20261201", "2026-W49-2", "2026-12-01 ",
     "2026-12-1", "２０２６-12-01", "2026-12-01\n", "0000-00-00", "a", "2026-12-01}"],
)  # fmt: skip
def test_what_is_no_day_or_nobodys_today_is_refused(written: str) -> None:
    with pytest.raises(BadDayError):
        accessed_on(written, AT)


@pytest.mark.usefixtures("demo")
@pytest.mark.parametrize("name", FORMATS)
def test_a_file_takes_the_readers_day(client: Client, name: str) -> None:
    form, path = FORMATS[name], f"/runs/{SOL}/cite.{FORMATS[name].ending}"
    yesterday = timezone.now().date() - timedelta(days=1)
    for response in (
        client.get(path, {"accessed": yesterday.isoformat()}),
        client.get(f"/runs/{SOL}/", {"accessed": yesterday.isoformat()}, headers={"accept": form.media_type}),
    ):
        assert form.day(yesterday) in response.content.decode()
    refused = client.get(path, {"accessed": "2020-01-01"})
    assert (refused.status_code, refused["Content-Type"]) == (400, "text/plain; charset=utf-8")
    assert "within a day of" in refused.content.decode()
    assert client.get(path, {"accessed": "soon"}).content.decode() == "accessed is a date, written YYYY-MM-DD.\n"


# --- content negotiation


@pytest.mark.usefixtures("demo")
@pytest.mark.parametrize(
    ("accept", "answer"),
    [
        (None, "text/html"),
        ("*/*", "text/html"),
        ("text/html", "text/html"),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8", "text/html"),
        ("application/*", "json"),
        ("text/*", "text/html"),
        ("application/json", "json"),
        ("application/json, text/html;q=0.9", "json"),
        ("application/json;q=0.5, text/html", "text/html"),
        (BIBTEX, BIBTEX),
        (CSL, CSL),
        ("Application/X-BibTeX", BIBTEX),
        (RIS, RIS),
        ("text/plain", "text/plain"),
        (f"{BIBTEX};q=0.1, {RIS};q=0.2, {CSL};q=0.15", RIS),
        (f"text/html;q=0.5, {BIBTEX}", BIBTEX),
        (f"{BIBTEX};q=0, text/plain", "text/plain"),
        (f"{CSL}, application/json;q=0.9", CSL),
        ("image/png", "text/html"),
        ("application/pdf, text/csv;q=0.5", "text/html"),
        ("", "text/html"),
        (", ,", "text/html"),
        ("nonsense", "text/html"),
        (f"{BIBTEX};q=high", BIBTEX),
        ("text/html;q=0.4, application/ld+json", "text/html"),
    ],
)
def test_the_runs_address_answers_in_the_type_that_is_asked_for(
    client: Client, accept: str | None, answer: str
) -> None:
    response = get(client, f"/runs/{SOL}/", accept)
    assert "Accept" in response["Vary"]
    if answer == "json":
        assert (response.status_code, response["Location"]) == (303, f"/api/v1/runs/{SOL}/")
        assert client.get(response["Location"]).json()["digest"] == SOL
        return
    assert response.status_code == 200
    assert response["Content-Type"] == f"{answer}; charset=utf-8"
    if answer != "text/html":
        [form] = [
            form for name, form in FORMATS.items() if form.media_type == answer and name not in ("footnote", "biblatex")
        ]
        assert response["Content-Location"] == f"/runs/{SOL}/cite.{form.ending}"
        assert response["Content-Disposition"] == f'inline; filename="{KEY}.{form.ending}"'
        assert response.content == client.get(response["Content-Location"]).content


@pytest.mark.usefixtures("demo")
def test_the_address_by_row_id_negotiates_too_and_a_head_has_no_body(client: Client) -> None:
    run_id = client.get(f"/api/v1/runs/{SOL}/").json()["id"]
    assert get(client, f"/runs/{run_id}/", BIBTEX)["Content-Location"] == f"/runs/{SOL}/cite.bib"
    head = client.head(f"/runs/{SOL}/", headers={"accept": RIS})
    assert (head["Content-Type"], head.content) == (f"{RIS}; charset=utf-8", b"")
    assert get(client, "/runs/sha256:" + "0" * 64 + "/", BIBTEX).status_code == 404


# --- the page


@pytest.mark.usefixtures("demo")
def test_the_page_links_every_format_in_its_head_and_in_its_header(client: Client) -> None:
    page = client.get(f"/runs/{SOL}/")
    body = page.content.decode()
    every = re.findall(r'<link rel="alternate" type="([^"]+)" title="([^"]+)" href="([^"]+)">', body)
    links = [link for link in every if link[0] != "application/atom+xml"]  # the run's feed is no citation
    formats = [(form.media_type, form.label, f"/runs/{SOL}/cite.{form.ending}") for form in FORMATS.values()]
    assert [tuple(map(html.unescape, link)) for link in links] == formats
    assert page["Link"].split(", <") == [
        f'<http://localhost:8000/runs/{SOL}/>; rel="cite-as"',
        *(f'{path}>; rel="alternate"; type="{kind}"; title="{label}"' for kind, label, path in formats),
    ]


@pytest.mark.usefixtures("demo")
def test_the_cite_block_shows_and_offers_each_format_without_script(client: Client) -> None:
    page = client.get(f"/runs/{SOL}/")
    assert "Cite this record (permalink, digest, access date)" in shown(page)
    block = page.content.decode().partition('id="cite"')[2].partition("</section>")[0]
    for name, form in FORMATS.items():
        [text] = re.findall(rf'<(?:p|pre)[^>]* id="cite-{name}"[^>]*>(.*?)</(?:p|pre)>', block, re.S)
        assert html.unescape(re.sub(r"</?span[^>]*>", "", text)) + form.line_end == (
            client.get(f"/runs/{SOL}/cite.{form.ending}").content.decode()
        )
        assert text.count("<span data-accessed>") == 1
        assert f'href="/runs/{SOL}/cite.{form.ending}" data-accessed-file' in block
        assert f'data-copy-from="cite-{name}" hidden' in block
    assert [html.unescape(label) for label in re.findall(r"<summary>(.*?)</summary>", block)] == [
        form.label for form in list(FORMATS.values())[1:]
    ]


@pytest.mark.usefixtures("demo")
def test_the_json_has_every_format_of_the_citation(client: Client) -> None:
    cite = client.get(f"/api/v1/runs/{SOL}/").json()["cite"]
    assert (cite["key"], cite["as_of"]) == (KEY, "2026-08-24T19:07:00Z")
    texts = {form["name"]: form["text"] for form in cite["formats"]}
    assert list(texts) == list(FORMATS)
    assert json.loads(texts["csl"])[0]["id"] == KEY


def test_a_copied_citation_says_whose_word_it_is_and_what_became_of_the_run(client: Client) -> None:
    [run] = publish(timed(1000))
    corrections.withdraw([run], reason="Wrong <i>unit</i>.", actor=STAFF, now=NOW)
    for form in client.get(f"/api/v1/runs/{run.digest}/").json()["cite"]["formats"]:
        assert "reported, not rerun by KernelIndex" in form["text"], form["name"]
        assert "withdrawn 2026-09-01: Wrong " in form["text"], form["name"]
    assert b"<i>unit</i>" not in client.get(f"/runs/{run.digest}/").content
