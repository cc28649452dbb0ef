"""The worker looks for a token file: through fetching, within its rules, and says in words what it found."""

import ssl
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from attestations import claims
from attestations.claims import checking
from attestations.models import Claim
from attestations.profiles import actor_of
from attestations.queries.claims import is_claimant
from registry.fetching import FetchError, Network
from registry.models import AuditEvent
from tests.attestations.claiming import BASIS, RAW, acme, claimed_run, upstream
from tests.conftest import NOW
from tests.people import member
from tests.registry.upstreams import Reached, Upstream, answer, certificates, network

pytestmark = pytest.mark.django_db
Answer = str | FetchError | Callable[[], str]


@dataclass
class Internet:
    """What addresses hold; what is not told answers 404."""

    texts: dict[str, Answer] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def fetch_text(self, url: str, *, hosts: Any, max_bytes: int, network: Any) -> str:
        assert max_bytes == 65536
        self.asked.append(url)
        found = self.texts.get(url, FetchError("bad-status", f"{url} answered 404", status=404))
        if isinstance(found, FetchError):
            raise found
        return found() if callable(found) else found


@pytest.fixture
def internet(monkeypatch: pytest.MonkeyPatch) -> Internet:
    made = Internet()
    monkeypatch.setattr(checking, "fetch_text", made.fetch_text)
    return made


def wanted(**thing: Any) -> Claim:
    """A token claim whose check is asked for."""
    thing = thing or {"project": acme()}
    claim = claims.claim(actor=actor_of(member("author")), method="token", now=NOW, **thing)
    claims.want_check(claim, actor=claim.actor, now=NOW)
    return claim


def test_a_token_on_the_default_branch_grants_the_claim(internet: Internet) -> None:
    run = claimed_run()
    claim = wanted()
    internet.texts[RAW] = f"# who speaks\nkernelindex-claim-other\n{claim.token}\n"
    assert claims.check(claim.pk, now=NOW) == f"{RAW} holds the token."
    claim.refresh_from_db()
    assert (claim.state, claim.method, claim.basis, claim.check_wanted_at, claim.checked_at) == (
        "granted", "token", BASIS, None, NOW,
    )  # fmt: skip
    assert is_claimant(claim.actor, run)
    assert AuditEvent.objects.get(action="claim granted").actor is None


def test_a_source_s_own_site_counts_too(internet: Internet) -> None:
    run = claimed_run()
    claim = wanted(source=upstream())
    place = "https://bench.example.org/.well-known/kernelindex-claim.txt"
    internet.texts[place] = claim.token
    claims.check(claim.pk, now=NOW)
    claim.refresh_from_db()
    assert (claim.state, claim.basis, internet.asked) == ("granted", "bench.example.org", [place])
    assert is_claimant(claim.actor, run)


def test_a_file_with_other_lines_is_told_of_and_grants_nothing(internet: Internet) -> None:
    run = claimed_run()
    claim = wanted()
    internet.texts[RAW] = "one\n\ntwo\n"
    assert claims.check(claim.pk, now=NOW) == f"{RAW} has 2 lines, and none is this claim's token."
    claim.refresh_from_db()
    assert (claim.state, claim.checked_at, claim.check_wanted_at) == ("pending", NOW, None)
    assert not is_claimant(claim.actor, run)


@pytest.mark.parametrize(
    ("fault", "words", "is_tried_again"),
    [
        (FetchError("bad-status", "x", status=404), "no such file there (404)", False),
        (FetchError("bad-status", "x", status=503), "the server answered 503", True),
        (FetchError("too-slow", "x"), "the server took too long", True),
        (FetchError("too-large", "x"), "larger than 64 KiB", False),
        (FetchError("not-public", "10.1.2.3"), "the host has no public address", False),
        (FetchError("encoded", "x"), "it could not be read", False),
    ],
)
def test_faults_are_told_in_words_and_those_that_may_pass_are_tried_again(
    internet: Internet, fault: FetchError, words: str, is_tried_again: bool
) -> None:
    claimed_run()
    claim = wanted()
    internet.texts[RAW] = fault
    assert claims.check(claim.pk, now=NOW) == f"{RAW}: {words}."
    claim.refresh_from_db()
    assert claim.found == f"{RAW}: {words}."
    assert claim.check_wanted_at == (NOW + timedelta(minutes=2) if is_tried_again else None)


def test_pauses_grow_until_it_is_left_to_the_person(internet: Internet) -> None:
    claimed_run()
    claim = wanted()
    internet.texts[RAW] = FetchError("too-slow", "x")
    minutes, now = [], NOW
    while True:
        claims.check(claim.pk, now=now)
        claim.refresh_from_db()
        if claim.check_wanted_at is None:
            break
        minutes.append((claim.check_wanted_at - now) // timedelta(minutes=1))
        now = claim.check_wanted_at
    assert minutes == [2, 4, 8, 16, 32]


def test_what_nobody_asked_for_is_not_looked_at(internet: Internet) -> None:
    claimed_run()
    claim = claims.claim(project=acme(), actor=actor_of(member("author")), method="token", now=NOW)
    assert claims.check(claim.pk, now=NOW) == "no check wanted"
    assert claims.check(uuid.uuid4(), now=NOW) == "no check wanted"
    assert internet.asked == []


def test_a_second_bell_after_the_first_was_answered_changes_nothing(internet: Internet) -> None:
    claimed_run()
    claim = wanted()
    internet.texts[RAW] = claim.token
    claims.check(claim.pk, now=NOW)
    assert claims.check(claim.pk, now=NOW) == "no check wanted"
    assert AuditEvent.objects.filter(action="claim granted").count() == 1


def test_a_claim_that_was_given_up_during_the_look_is_not_granted(internet: Internet) -> None:
    run = claimed_run()
    claim = wanted()

    def given_up() -> str:
        claims.drop(claim, actor=claim.actor, now=NOW)
        return claim.token

    internet.texts[RAW] = given_up
    claims.check(claim.pk, now=NOW)
    claim.refresh_from_db()
    assert claim.state == "dropped"
    assert not is_claimant(claim.actor, run)


def test_a_worker_that_died_is_followed_after_its_lease(internet: Internet, monkeypatch: pytest.MonkeyPatch) -> None:
    claimed_run()
    claim = wanted()
    heard: list[Any] = []
    monkeypatch.setattr(checking.bell, "ring", heard.append)

    def killed() -> str:
        raise KeyboardInterrupt

    internet.texts[RAW] = killed
    with pytest.raises(KeyboardInterrupt):
        claims.check(claim.pk, now=NOW)
    assert claims.check_due(now=NOW + timedelta(minutes=1)) == 0
    assert claims.check_due(now=NOW + checking.LEASE) == 1
    assert claims.check_due(now=NOW + checking.LEASE) == 0
    assert heard == [claim.pk]
    internet.texts[RAW] = claim.token
    claims.check(claim.pk, now=NOW + checking.LEASE)
    claim.refresh_from_db()
    assert claim.state == "granted"


# --- the real fetching, an upstream on loopback

HOST = "bench.example.org"


@pytest.fixture(scope="module")
def trusted(tmp_path_factory: Any) -> tuple[Path, ssl.SSLContext]:
    folder = tmp_path_factory.mktemp("certificate")
    return folder / "server.pem", certificates(folder, HOST, "raw.githubusercontent.com")[1]


@pytest.fixture
def site(trusted: tuple[Path, ssl.SSLContext]) -> Any:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(trusted[0])
    server = Upstream(context)
    yield server
    server.close()


def outside(site: Upstream, trusted: Any, addresses: dict[str, list[str]] | None = None) -> Network:
    return network(site.port, trusted[1], Reached(), addresses)


def test_a_file_is_fetched_from_the_pinned_host(site: Upstream, trusted: Any) -> None:
    claimed_run()
    claim = wanted(source=upstream())
    site.scripts["/.well-known/kernelindex-claim.txt"] = answer(claim.token.encode())
    claims.check(claim.pk, now=NOW, network=outside(site, trusted))
    claim.refresh_from_db()
    assert claim.state == "granted"


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (answer(b"x" * 65537), "larger than 64 KiB"),
        (answer(b"", "301 Moved", Location="https://elsewhere.example.net/"), "it redirects to another host"),
        (answer(b"", "301 Moved", Location="http://bench.example.org/"), "it could not be read"),
        (answer(b"x", Content_Encoding="gzip"), "it could not be read"),
    ],
)
def test_nothing_large_and_no_other_host_is_read(site: Upstream, trusted: Any, script: bytes, words: str) -> None:
    claimed_run()
    claim = wanted(source=upstream())
    site.scripts["/.well-known/kernelindex-claim.txt"] = script
    assert words in claims.check(claim.pk, now=NOW, network=outside(site, trusted))
    claim.refresh_from_db()
    assert claim.state == "pending"


def test_a_host_that_resolves_inward_is_not_asked_and_its_address_not_told(site: Upstream, trusted: Any) -> None:
    claimed_run()
    claim = wanted(source=upstream())
    found = claims.check(claim.pk, now=NOW, network=outside(site, trusted, {HOST: ["10.1.2.3"]}))
    assert "no public address" in found
    assert "10.1.2.3" not in found
    assert site.asked == []
