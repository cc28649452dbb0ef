"""What somebody wrote before they were signed in, kept in their session until it is sent. Files are not kept."""

from typing import Any

from django.http import HttpRequest

KEY = "attestation_drafts"
MOST = 3  # runs at a time, the oldest goes
LONGEST = 64 * 1024  # characters of one draft: past it the samples go first, then the draft is cut field by field
NOT_OURS = ("csrfmiddlewaretoken", "action", "next")


def keep(request: HttpRequest, digest: str) -> tuple[str, ...]:
    """Keep what was posted for a run. Gives what could not be kept, in words."""
    lost = tuple(["the file"] if request.FILES else [])
    draft = {name: value[:LONGEST] for name, value in request.POST.items() if name not in NOT_OURS and value}
    if sum(map(len, draft.values())) > LONGEST and draft.pop("samples", None):
        lost += ("the samples",)
    if sum(map(len, draft.values())) > LONGEST:
        draft, lost = {name: draft[name][:4000] for name in ("kind", "text") if name in draft}, (*lost, "the rest")
    drafts = {of: kept for of, kept in request.session.get(KEY, {}).items() if of != digest}
    while len(drafts) >= MOST:
        drafts.pop(next(iter(drafts)))
    request.session[KEY] = drafts | {digest: draft}
    return lost


def kept(request: HttpRequest, digest: str) -> dict[str, Any]:
    found: dict[str, Any] = request.session.get(KEY, {}).get(digest, {})
    return found


def drop(request: HttpRequest, digest: str) -> None:
    drafts = request.session.get(KEY, {})
    if drafts.pop(digest, None) is not None:
        request.session[KEY] = drafts
