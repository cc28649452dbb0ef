"""On what a claim of a project or a source rests: the repository or the homepage that it names, and nothing else.

A claim that was granted on one repository holds only while the project still names it: rights end with a transfer.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from registry.core.web_addresses import AddressRefusedError, read_url

CLAIM_FILE = ".well-known/kernelindex-claim.txt"
RAW_HOST = "raw.githubusercontent.com"
BRANCH = "HEAD"  # the default branch: what a pull request or a fork holds is not the owner's word
# Sources whose runs are of many others: nobody speaks for all of them.
NOBODYS_KINDS = frozenset({"channel", "community"})
NOBODYS_SLUGS = frozenset({"kernelindex", "demonstration"})

_OWNER = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})"
_NAME = r"[A-Za-z0-9_.-]{1,100}"
_ON_GITHUB = re.compile(
    rf"https://(?:(?:www\.)?github\.com|raw\.githubusercontent\.com)/({_OWNER})/({_NAME})(?:[/?#].*)?", re.IGNORECASE
)
_GITHUB_HOSTS = ("github.com", "www.github.com", RAW_HOST, "api.github.com", "gist.github.com")

FIRST_PAUSE = timedelta(minutes=2)
LONGEST_PAUSE = timedelta(hours=1)
FORGOTTEN_AFTER = timedelta(hours=2)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a token file shows who is in charge. `basis` names it; `owner` is GitHub's, None for a site of its own."""

    basis: str
    owner: str | None
    url: str
    hosts: tuple[str, ...]


def places_of_project(repository: str | None) -> tuple[Place, ...]:
    """Of the newest revision's repository; none where it is not on GitHub."""
    return _unique([_on_github(repository)])


def is_claimable(kind: str, slug: str) -> bool:
    """Whether somebody can speak for all runs of a source: not where it is of many others, or the site's own."""
    return kind not in NOBODYS_KINDS and slug not in NOBODYS_SLUGS


def places_of_source(kind: str, slug: str, homepage: str, location: str) -> tuple[Place, ...]:
    """Of a source's homepage and of where its data are read; none for a source that is of many others."""
    if not is_claimable(kind, slug):
        return ()
    return _unique([_on_github(homepage), _on_github(location), _own_site(homepage)])


def is_owner(logins: Iterable[str], places: Iterable[Place]) -> Place | None:
    """The place whose GitHub owner is one of these logins; letter case means nothing there."""
    known = {login.lower() for login in logins}
    return next((place for place in places if place.owner and place.owner.lower() in known), None)


def is_standing(basis: str, places: Iterable[Place]) -> bool:
    """Whether what a grant rested on is still what the thing names. Empty: a person's judgement, which stays."""
    return not basis or basis in {place.basis for place in places}


def holds_token(text: str, token: str) -> bool:
    """A line of the file is the token. Each claimant has a line of their own."""
    return token in {line.strip() for line in text.splitlines()}


def pause_after(checked_before: datetime | None, now: datetime) -> timedelta | None:
    """How long to wait after a check that a passing fault cut short; None: long enough, a person may ask again.

    Each pause is twice the time since the check before, so it needs no count.
    """
    if checked_before is None or now - checked_before >= FORGOTTEN_AFTER:
        return FIRST_PAUSE
    pause = max(2 * (now - checked_before), FIRST_PAUSE)
    return pause if pause <= LONGEST_PAUSE else None


def _on_github(url: str | None) -> Place | None:
    found = _ON_GITHUB.fullmatch(url or "")
    if not found:
        return None
    owner, name = found[1], re.sub(r"\.git$", "", found[2], flags=re.IGNORECASE)
    if name in ("", ".", ".."):
        return None
    return Place(
        basis=f"github.com/{owner}/{name}".lower(),
        owner=owner,
        url=f"https://{RAW_HOST}/{owner}/{name}/{BRANCH}/{CLAIM_FILE}",
        hosts=(RAW_HOST,),
    )


def _own_site(homepage: str) -> Place | None:
    """The site's own root: only who runs the host can put a file there."""
    try:
        host = read_url(homepage).host
    except AddressRefusedError:
        return None
    if host in _GITHUB_HOSTS:
        return None
    other = host.removeprefix("www.") if host.startswith("www.") else f"www.{host}"
    return Place(basis=host, owner=None, url=f"https://{host}/{CLAIM_FILE}", hosts=(host, other))


def _unique(found: Collection[Place | None]) -> tuple[Place, ...]:
    return tuple({place.basis: place for place in found if place}.values())
