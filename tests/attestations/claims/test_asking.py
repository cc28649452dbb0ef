"""A claim is made in one of three ways, and gives no rights before it is granted."""

import uuid
from datetime import timedelta
from typing import Any

import pytest
from allauth.socialaccount.models import SocialAccount

from attestations import claims
from attestations.claims import ClaimError, asking, bell
from attestations.models import Claim, ClaimState, Letter, Method, Profile
from attestations.profiles import actor_of
from attestations.queries import claims as queries
from attestations.queries.claims import is_claimant
from registry.models import AuditEvent, Source
from tests.attestations.claiming import BASIS, acme, claimed_run, granted, moved_to, upstream
from tests.conftest import NOW
from tests.people import member

pytestmark = pytest.mark.django_db
STAFF = uuid.UUID(int=1)


@pytest.fixture
def run() -> Any:
    return claimed_run()


@pytest.fixture
def author(run: Any) -> uuid.UUID:
    return actor_of(member("author"))


@pytest.fixture
def logins(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The GitHub logins that accounts have connected."""
    held: list[str] = []
    monkeypatch.setattr(asking, "github_logins", lambda actor: tuple(held))
    return held


@pytest.fixture
def rung(monkeypatch: pytest.MonkeyPatch) -> list[uuid.UUID]:
    heard: list[uuid.UUID] = []
    monkeypatch.setattr(bell, "ring", heard.append)
    return heard


def test_the_owner_s_github_login_is_granted_at_once_by_the_site(run: Any, author: Any, logins: list[str]) -> None:
    logins.append("ACME")
    claim = claims.claim(project=acme(), actor=author, method="github", now=NOW)
    assert (claim.state, claim.method, claim.basis, claim.decided_by) == ("granted", "github", BASIS, None)
    assert is_claimant(author, run)
    event = AuditEvent.objects.get(action="claim granted")
    assert (event.actor, event.target_kind, event.target, event.detail) == (
        None, "project", "acme", {"claim": str(claim.pk)},
    )  # fmt: skip
    assert "owner of github.com/acme/kernels" in event.reason
    assert "was granted" in Letter.objects.get().subject


@pytest.mark.parametrize("held", [[], ["someone"], ["acme-inc"]])
def test_another_github_login_is_told_of_the_owner_and_gets_nothing(
    author: Any, logins: list[str], held: list[str]
) -> None:
    logins += held
    with pytest.raises(ClaimError, match="the repository's owner is Acme"):
        claims.claim(project=acme(), actor=author, method="github", now=NOW)
    assert not Claim.objects.exists()


def test_a_token_claim_waits_and_gives_no_rights(run: Any, author: Any) -> None:
    claim = claims.claim(project=acme(), actor=author, method="token", now=NOW)
    assert (claim.state, claim.check_wanted_at) == ("pending", None)
    assert claim.token.startswith("kernelindex-claim-")
    assert not is_claimant(author, run)


def test_a_claim_for_staff_needs_a_message(author: Any) -> None:
    for text in ("", "  \n", "a\x00b", "x" * 2001):
        with pytest.raises(ClaimError, match="how staff can see"):
            claims.claim(project=acme(), actor=author, method="staff", message=text, now=NOW)
    claim = claims.claim(source=upstream(), actor=author, method="staff", message=" My domain. ", now=NOW)
    assert (claim.state, claim.message) == ("pending", "My domain.")


def test_asking_again_in_another_way_changes_the_claim_that_waits(author: Any) -> None:
    first = claims.claim(project=acme(), actor=author, method="token", now=NOW)
    second = claims.claim(project=acme(), actor=author, method="staff", message="See my page.", now=NOW)
    assert (second.pk, second.token, second.method) == (first.pk, first.token, "staff")
    assert Claim.objects.count() == 1


def test_several_people_can_claim_one_project() -> None:
    claimed_run()
    for name in ("author", "second"):
        claims.claim(project=acme(), actor=actor_of(member(name)), method="token", now=NOW)
    assert Claim.objects.filter(project=acme()).count() == 2


def test_who_speaks_for_it_already_cannot_claim_it_again(run: Any) -> None:
    user = member("granted")
    granted(user)
    with pytest.raises(ClaimError, match="already"):
        claims.claim(project=acme(), actor=actor_of(user), method="token", now=NOW)


def test_a_grant_whose_repository_moved_away_ends_when_it_is_claimed_anew(run: Any) -> None:
    user = member("granted")
    old = granted(user)
    moved_to("https://github.com/else/kernels")
    new = claims.claim(project=acme(), actor=actor_of(user), method="token", now=NOW)
    old.refresh_from_db()
    assert (old.state, old.decided_by, new.state) == ("revoked", None, "pending")


def test_after_staff_revoked_a_claim_only_staff_grant_another(run: Any, logins: list[str]) -> None:
    user = member("granted")
    logins.append("acme")
    claims.revoke(granted(user), reason="Not the owner.", actor=STAFF, now=NOW)
    for method in ("github", "token"):
        with pytest.raises(ClaimError, match="only staff can grant it"):
            claims.claim(project=acme(), actor=actor_of(user), method=method, now=NOW)
    assert claims.claim(project=acme(), actor=actor_of(user), method="staff", message="I am.", now=NOW).pk


def test_a_thing_that_names_no_place_is_for_staff_alone(author: Any) -> None:
    moved_to("https://gitlab.com/acme/kernels")
    for method in ("github", "token"):
        with pytest.raises(ClaimError, match="ask staff"):
            claims.claim(project=acme(), actor=author, method=method, now=NOW)


@pytest.mark.parametrize("method", Method.values)
def test_nobody_speaks_for_a_source_of_many_others(author: Any, method: str) -> None:
    Source.objects.update(kind="community")
    with pytest.raises(ClaimError, match="nobody speaks for all"):
        claims.claim(source=upstream(), actor=author, method=method, message="Mine.", now=NOW)


def test_an_unknown_way_is_none(author: Any) -> None:
    with pytest.raises(ClaimError, match="three ways"):
        claims.claim(project=acme(), actor=author, method="granted", now=NOW)


def test_claims_of_a_day_are_counted(author: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(30):
        claims.claim(project=acme(), actor=author, method="token", now=NOW)
    with pytest.raises(ClaimError, match="tomorrow"):
        claims.claim(project=acme(), actor=author, method="token", now=NOW)
    claims.claim(project=acme(), actor=author, method="token", now=NOW + timedelta(days=1))


def test_a_check_is_wanted_once_however_often_it_is_asked(author: Any, rung: list[uuid.UUID]) -> None:
    claim = claims.claim(project=acme(), actor=author, method="token", now=NOW)
    for _ in range(3):
        claims.want_check(claim, actor=author, now=NOW)
    claim.refresh_from_db()
    assert claim.check_wanted_at == NOW
    assert rung == [claim.pk]


def test_at_most_ten_checks_a_day(author: Any, rung: list[uuid.UUID]) -> None:
    claim = claims.claim(project=acme(), actor=author, method="token", now=NOW)
    for _ in range(10):
        claims.want_check(claim, actor=author, now=NOW)
        Claim.objects.update(check_wanted_at=None)
    with pytest.raises(ClaimError, match="10 checks of this claim today"):
        claims.want_check(claim, actor=author, now=NOW)
    claims.want_check(claim, actor=author, now=NOW + timedelta(days=1))
    assert len(rung) == 11


def test_somebody_else_s_claim_is_neither_checked_nor_given_up(author: Any, rung: list[uuid.UUID]) -> None:
    claim = claims.claim(project=acme(), actor=author, method="token", now=NOW)
    for act in (claims.want_check, claims.drop):
        with pytest.raises(ClaimError, match="somebody else's"):
            act(claim, actor=STAFF, now=NOW)
    assert rung == []


@pytest.mark.parametrize("state", [state for state in ClaimState if state != ClaimState.PENDING])
def test_what_waits_for_nothing_is_not_checked(author: Any, rung: list[uuid.UUID], state: ClaimState) -> None:
    claim = claims.claim(project=acme(), actor=author, method="token", now=NOW)
    Claim.objects.update(state=state)
    with pytest.raises(ClaimError, match="waits for nothing"):
        claims.want_check(claim, actor=author, now=NOW)
    assert rung == []


def test_giving_a_claim_up_ends_its_rights_and_is_audited(run: Any) -> None:
    user = member("granted")
    claim = granted(user)
    claims.drop(claim, actor=actor_of(user), now=NOW)
    assert not is_claimant(actor_of(user), run)
    assert AuditEvent.objects.get(action="claim given up").actor == actor_of(user)
    with pytest.raises(ClaimError, match="over already"):
        claims.drop(claim, actor=actor_of(user), now=NOW)


def test_logins_are_those_of_the_account_s_own_connected_github(author: Any, settings: Any) -> None:
    assert queries.github_logins(author) == ()
    user, other = (Profile.objects.get(actor=actor).user for actor in (author, actor_of(member("other"))))
    held = (("github", "1", user, "Acme"), ("gitlab", "2", user, "acme-2"), ("github", "3", other, "acme-3"))
    for provider, uid, owner, login in held:
        SocialAccount.objects.create(provider=provider, uid=uid, user=owner, extra_data={"login": login})
    SocialAccount.objects.create(provider="github", uid="4", user=user, extra_data={"login": None})
    assert queries.github_logins(author) == ("Acme",)
    assert claims.claim(project=acme(), actor=author, method="github", now=NOW).state == "granted"
    settings.GITHUB_URL = "https://github.example.org"  # an owner there is nobody on github.com
    assert queries.github_logins(author) == ()
