"""A concrete address for each route: about the author's things, where it is about anybody's."""

import re
from collections.abc import Callable

from django.contrib import admin
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group

from registry.models import Implementation, Run, Source
from tests.permissions.cast import ID, MAIL_KEY, Cast
from tests.registry.pages import (
    ENVIRONMENT,
    HARDWARE,
    LIGER,
    LIGER_KEY,
    OPERATION,
    PROTOCOL,
    SOL_KEY,
    SUITE,
    incident,
    recorded_sync,
)  # fmt: skip

NOTHING = "00000000-0000-0000-0000-000000000000"
# First a route in full, then the converter with the folder before it, then the converter alone.
FILLED: dict[str, Callable[[], str]] = {
    "runs/<digest:": lambda: LIGER,
    "runs/<uuid:": lambda: str(Run.objects.get(digest=LIGER).pk),
    "runs/<prefix:": lambda: LIGER[7:27],
    "groups/<digest:": lambda: LIGER_KEY,
    "why-not/<digest:": lambda: SOL_KEY,
    "groups/<prefix:": lambda: LIGER_KEY[7:27],
    "operations/<": lambda: OPERATION,
    "workloads/<digest:": lambda: SUITE,
    "workloads/<str:": lambda: SUITE,
    "workloads/<prefix:": lambda: SUITE[7:27],
    "protocols/<digest:": lambda: PROTOCOL,
    "protocols/<str:": lambda: PROTOCOL,
    "protocols/<prefix:": lambda: PROTOCOL[7:27],
    "environments/<digest:": lambda: ENVIRONMENT,
    "environments/<str:": lambda: ENVIRONMENT,
    "environments/<prefix:": lambda: ENVIRONMENT[7:27],
    "hardware/<": lambda: HARDWARE,
    "implementations/<uuid:": lambda: str(_implementation().pk),
    "implementations/<slug:": lambda: _implementation().slug,
    "implementations/<str:": lambda: _implementation().digest,
    "projects/<": lambda: "liger-kernel",
    "sources/<": lambda: "liger-kernel-bench",
    "incidents/<": lambda: incident().slug,
    "syncs/<": lambda: str(recorded_sync().pk),
    "artifacts/<": lambda: "sha256:" + "9" * 64,
    "cite.<": lambda: "bib",
    "source/<uuid:": lambda: str(Source.objects.get(slug="liger-kernel-bench").pk),
    "sync/<uuid:": lambda: str(recorded_sync().pk),
    "write/<path:": lambda: "family:liger",
    "v1/<path:": lambda: "nothing/",
    "attestations/<": lambda: str(ID["attestation"]),
    "reports/<": lambda: str(ID["report"]),
    "report/<uuid:": lambda: str(ID["report"]),
    "claims/<": lambda: str(ID["claim"]),
    "people/<": lambda: "author",
    "feeds/<": lambda: "run",
    "run/<str:": lambda: LIGER,
    "mail/<": lambda: str(MAIL_KEY),
    "user/<int:": lambda: str(get_user_model().objects.get(username="reader").pk),
    "group/<int:": lambda: str(Group.objects.get(name="moderator").pk),
    "provider/<": lambda: "github",
}
REGULAR = {
    "accounts/^confirm-email/(?P<key>[-:\\w]+)/$": "accounts/confirm-email/key/",
    "accounts/^password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$": "accounts/password/reset/key/1-key/",
    "admin/(?P<url>.*)$": "admin/nowhere/",
}


def _implementation() -> Implementation:
    return Implementation.objects.get(slug="liger-bench-relu-squared-torch")


def address(route: str, cast: Cast) -> str:
    """The path of a route; raises KeyError for one that nobody has said how to fill."""
    if route in REGULAR:
        return "/" + REGULAR[route]
    if route.startswith("admin/^"):
        return "/admin/registry/"
    if route.startswith("admin/r/"):
        return "/admin/r/1/1/"
    filled = re.sub(r"<path:object_id>|<id>", lambda m: _object_of(route, cast), route)
    while found := re.search(r"[^/<>]*/?[^/<>]*<[^>]*>", filled):
        piece = found[0]
        names = [name for name in FILLED if name in piece]
        if not names:
            raise KeyError(f"{route}: {piece}")
        filled = filled.replace(piece, re.sub(r"<[^>]*>", FILLED[max(names, key=len)](), piece), 1)
    return "/" + filled


def _object_of(route: str, cast: Cast) -> str:
    """A row of the admin's table, where the world has one."""
    app, name = route.split("/")[1:3]
    if (app, name) == ("auth", "user"):
        return str(cast.accounts["reader"].pk)
    if (app, name) == ("auth", "group"):
        return str(Group.objects.get(name="moderator").pk)
    model = next(m for m in admin.site._registry if (m._meta.app_label, m._meta.model_name) == (app, name))
    row = model._default_manager.order_by("pk").first()
    return str(row.pk) if row else NOTHING
