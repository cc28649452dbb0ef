"""What staff may do about accounts: deactivate, restore, give and take a role. Each is audited with its reason.

What a deactivated account has written stays shown under its name: moderators hide what should not stand, one by one.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.db import transaction

from attestations.profiles import actor_of, end_sessions
from registry import auditing

KIND = "account"  # what their audit events name: the target is the account's actor id, never its address


class PeopleError(ValueError):
    """The act does not apply; its text says why, for the one who tried."""


def deactivate(user: Any, *, reason: str, by: Any, now: datetime) -> None:
    """Shut an account: it cannot sign in, and its sessions end at once. A moderator cannot touch staff."""
    _check(user, reason=reason, by=by)
    with transaction.atomic():
        _switch(user, is_active=False)
        end_sessions(user)
        auditing.record("account deactivated", KIND, str(actor_of(user)), reason, actor_of(by), now)


def restore(user: Any, *, reason: str, by: Any, now: datetime) -> None:
    """Open an account again. It signs in anew: no session of before comes back to life."""
    _check(user, reason=reason, by=by)
    with transaction.atomic():
        _switch(user, is_active=True)
        end_sessions(user)
        auditing.record("account restored", KIND, str(actor_of(user)), reason, actor_of(by), now)


def set_role(
    user: Any, *, is_staff: bool, groups: Iterable[Group], reason: str, by: Any, now: datetime
) -> None:  # fmt: skip
    """Say whether an account is staff, and in which groups. For superusers; its sessions end."""
    _check(user, reason=reason, by=by)
    if not by.is_superuser:
        raise PeopleError("Only a superuser gives and takes roles.")
    wanted = sorted(groups, key=lambda group: group.name)
    if wanted and not is_staff:
        raise PeopleError("Groups are for staff: tick “staff” too, or choose no group.")
    held = sorted(user.groups.all(), key=lambda group: group.name)
    if (is_staff, wanted) == (user.is_staff, held):
        raise PeopleError("This is the role that the account has already.")
    with transaction.atomic():
        get_user_model().objects.filter(pk=user.pk).update(is_staff=is_staff)
        user.is_staff = is_staff
        user.groups.set(wanted)
        end_sessions(user)
        detail = {
            "is_staff": is_staff, "groups": [g.name for g in wanted], "groups_before": [g.name for g in held],
        }  # fmt: skip
        auditing.record("role changed", KIND, str(actor_of(user)), reason, actor_of(by), now, detail)


def change_group(
    group: Group, *, permissions: Iterable[Any], reason: str, by: Any, now: datetime
) -> None:  # fmt: skip
    """Say what a group may do. For superusers; holds from the next request of each member on."""
    if not by.is_superuser:
        raise PeopleError("Only a superuser changes what a group may do.")
    _require(reason)
    wanted = {_named(permission): permission for permission in permissions}
    held = {_named(permission) for permission in group.permissions.select_related("content_type")}
    if wanted.keys() == held:
        raise PeopleError("This is what the group may do already.")
    with transaction.atomic():
        group.permissions.set(wanted.values())
        detail = {"added": sorted(wanted.keys() - held), "removed": sorted(held - wanted.keys())}
        auditing.record("group changed", "group", group.name, reason, actor_of(by), now, detail)


def _named(permission: Any) -> str:
    return f"{permission.content_type.app_label}.{permission.codename}"


def _check(user: Any, *, reason: str, by: Any) -> None:
    _require(reason)
    if user.pk == by.pk:
        raise PeopleError("Nobody does this to their own account: ask another of staff.")
    if (user.is_staff or user.is_superuser) and not by.is_superuser:
        raise PeopleError("This account is of staff: only a superuser may do this to it.")


def _require(reason: str) -> None:
    if not reason.strip():
        raise PeopleError("State a reason: it is kept for good.")


def _switch(user: Any, *, is_active: bool) -> None:
    """One conditional update: of two who press at once, one is told that it is done already."""
    changed = get_user_model().objects.filter(pk=user.pk, is_active=not is_active).update(is_active=is_active)
    if not changed:
        raise PeopleError(f"The account of {user.profile} is {'active' if is_active else 'deactivated'} already.")
    user.is_active = is_active
