"""Accounts: who they are, what they may do, and the acts that open and shut them. No password is seen or set here.

Django's and allauth's own pages for accounts are taken down: they change rows without a reason or a trace, and one of
them holds the secrets of second factors.
"""

import uuid
from functools import partial
from typing import Any

from django import forms
from django.apps import apps
from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group, Permission
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from attestations import people
from attestations.queries.people import persons
from registry.admin.asking import asking_action, asking_page
from registry.admin.facts import FactAdmin
from registry.forms import ReasonForm

User = get_user_model()
PERMISSION = "attestations.manage_people"
SHUT = "Its sessions end at once and it cannot sign in. What it has written stays shown under its name."
OPENED = "It may sign in again."
TAKEN_DOWN = ("auth", "account", "socialaccount", "mfa", "usersessions")


class RoleForm(ReasonForm):
    is_staff = forms.BooleanField(label="staff", required=False, help_text="May enter the admin, with a second factor.")
    groups = forms.ModelMultipleChoiceField(
        Group.objects.order_by("name"), required=False, widget=forms.CheckboxSelectMultiple
    )
    field_order = ("is_staff", "groups", "reason")


class GroupForm(ReasonForm):
    permissions = forms.ModelMultipleChoiceField(
        Permission.objects.select_related("content_type"),
        required=False,
        widget=forms.SelectMultiple(attrs={"size": 20}),
    )
    field_order = ("permissions", "reason")


def _act_on_each(act: Any, done: str, request: HttpRequest, users: list[Any], data: dict[str, Any]) -> str:
    with transaction.atomic():  # all or none
        for user in users:
            act(user, reason=data["reason"], by=request.user, now=timezone.now())
    return f"{done}: {len(users)}."


class PeopleList(ChangeList):
    """The list of accounts, each with what no column of its table holds."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        found = persons(self.result_list)
        for user in self.result_list:
            user.person = found[user.pk]


class PersonAdmin(FactAdmin):
    list_display = (
        "public_name", "joined", "last_sign_in", "is_active", "is_staff", "groups_held", "has_factor",
        "is_verified", "attestations", "reports",
    )  # fmt: skip
    list_filter = ("is_active", "is_staff", "groups", "date_joined")
    date_hierarchy = "date_joined"
    ordering = ("-date_joined", "-pk")
    search_fields = ("email", "emailaddress__email", "profile__handle")
    search_help_text = "E-mail address, public name or actor id."
    change_form_template = "admin/attestations/person/change_form.html"
    fields = (
        "public_name", "actor_id", "addresses", "joined", "last_sign_in", "is_active", "is_staff", "is_superuser",
        "groups_held", "has_factor", "attestations", "reports", "claims", "on_record",
    )  # fmt: skip
    readonly_fields = fields
    actions = (
        asking_action(
            name="deactivate", title="Deactivate", form=ReasonForm, permission=PERMISSION, note=SHUT,
            act=partial(_act_on_each, people.deactivate, "Deactivated"),
        ),
        asking_action(
            name="restore", title="Restore", form=ReasonForm, permission=PERMISSION, note=OPENED,
            act=partial(_act_on_each, people.restore, "Restored"),
        ),
    )  # fmt: skip

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(request.user.has_perm(PERMISSION))

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return PeopleList

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        found, has_duplicates = super().get_search_results(request, queryset, search_term)
        try:
            return queryset.filter(profile__actor=uuid.UUID(search_term.strip())), False
        except ValueError:
            return found, has_duplicates

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        user = super().get_object(request, object_id, from_field)
        if user is not None:
            user.person = persons([user])[user.pk]
        return user

    @admin.display(description="public name")
    def public_name(self, user: Any) -> str:
        return user.person.handle or "no name yet"

    @admin.display(ordering="date_joined")
    def joined(self, user: Any) -> str:
        return f"{user.date_joined:%Y-%m-%d}"

    @admin.display(description="last sign-in", ordering="last_login", empty_value="never")
    def last_sign_in(self, user: Any) -> str | None:
        return f"{user.last_login:%Y-%m-%d}" if user.last_login else None

    @admin.display(description="actor id", empty_value="none yet")
    def actor_id(self, user: Any) -> Any:
        return user.person.actor

    @admin.display(description="e-mail", empty_value="none")
    def addresses(self, user: Any) -> str | None:
        return ", ".join(user.person.addresses) or None

    @admin.display(description="groups", empty_value="none")
    def groups_held(self, user: Any) -> str | None:
        return ", ".join(user.person.groups) or None

    @admin.display(description="confirmed", boolean=True)
    def is_verified(self, user: Any) -> bool:
        return user.person.is_verified

    @admin.display(description="factor", boolean=True)
    def has_factor(self, user: Any) -> bool:
        return user.person.has_factor

    @admin.display
    def attestations(self, user: Any) -> SafeString | str:
        return _counted(user, "attestation", user.person.attestation_count)

    @admin.display
    def reports(self, user: Any) -> SafeString | str:
        return _counted(user, "report", user.person.report_count)

    @admin.display
    def claims(self, user: Any) -> SafeString | str:
        return _counted(user, "claim", user.person.claim_count)

    @admin.display(description="on record", empty_value="nothing")
    def on_record(self, user: Any) -> SafeString | None:
        actor = user.person.actor
        log = reverse("admin:registry_auditevent_changelist")
        return format_html('<a href="{}?q={}">Acts by it and on it</a>', log, actor) if actor else None

    def get_urls(self) -> list[URLPattern]:
        pages = (("deactivate", self._deactivate), ("restore", self._restore), ("role", self._role))
        buttons = [
            path(f"<int:pk>/{name}/", self.admin_site.admin_view(page), name=f"auth_user_{name}")
            for name, page in pages
        ]
        return [*buttons, *super().get_urls()]

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        user = kwargs["obj"]
        wanted = [("deactivate", "Deactivate") if user.is_active else ("restore", "Restore")]
        if request.user.is_superuser:
            wanted.append(("role", "Change the role"))
        is_touched = user.pk != request.user.pk and (request.user.is_superuser or not user.is_staff)
        context["buttons"] = [
            (words, reverse(f"admin:auth_user_{name}", args=[user.pk])) for name, words in wanted if is_touched
        ]
        context["title"] = f"Account: {self.public_name(user)}"
        return super().render_change_form(request, context, *args, **kwargs)

    def _deactivate(self, request: HttpRequest, pk: int) -> HttpResponse:
        return self._ask(request, pk, "Deactivate", SHUT, people.deactivate, "Deactivated.")

    def _restore(self, request: HttpRequest, pk: int) -> HttpResponse:
        return self._ask(request, pk, "Restore", OPENED, people.restore, "Restored.")

    def _ask(self, request: HttpRequest, pk: int, title: str, note: str, act: Any, done: str) -> HttpResponse:
        user = get_object_or_404(User, pk=pk)

        def do(data: dict[str, Any]) -> tuple[str, str]:
            act(user, reason=data["reason"], by=request.user, now=timezone.now())
            return done, reverse("admin:auth_user_change", args=[pk])

        name = self.public_name(self.get_object(request, str(pk)))
        return asking_page(
            self, request, title=f"{title}: {name}", note=note, form=ReasonForm(request.POST or None),
            permission=PERMISSION, act=do,
        )  # fmt: skip

    def _role(self, request: HttpRequest, pk: int) -> HttpResponse:
        user = get_object_or_404(User, pk=pk)

        def do(data: dict[str, Any]) -> tuple[str, str]:
            people.set_role(user, **data, by=request.user, now=timezone.now())
            return "Changed. Its sessions have ended.", reverse("admin:auth_user_change", args=[pk])

        held = {"is_staff": user.is_staff, "groups": user.groups.all()}
        return asking_page(
            self, request, title=f"Change the role of {self.public_name(self.get_object(request, str(pk)))}",
            note="Its sessions end: it signs in anew under its new role.",
            form=RoleForm(request.POST or None, initial=held), permission="auth.change_user", act=do,
        )  # fmt: skip


def _counted(user: Any, table: str, count: int) -> SafeString | str:
    if not count or not admin.site.is_registered(apps.get_model("attestations", table)):
        return str(count)
    address = reverse(f"admin:attestations_{table}_changelist")
    return format_html('<a href="{}?actor__exact={}">{}</a>', address, user.person.actor, count)


class GroupAdmin(FactAdmin):
    """What each group may do: seen by superusers, changed by them with a reason."""

    list_display = ("name", "may")
    search_fields = ("name",)
    fields = ("name", "may")
    readonly_fields = fields
    change_form_template = "admin/attestations/person/change_form.html"

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(request.user.has_perm(PERMISSION))

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Group]:
        return super().get_queryset(request).prefetch_related("permissions__content_type")

    @admin.display(description="may, besides reading")
    def may(self, group: Group) -> str:
        acts = [p.name for p in group.permissions.all() if not p.codename.startswith("view_")]
        return "; ".join(sorted(acts)) or "nothing"

    def get_urls(self) -> list[URLPattern]:
        change = path("<int:pk>/may/", self.admin_site.admin_view(self._change), name="auth_group_may")
        return [change, *super().get_urls()]

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        address = reverse("admin:auth_group_may", args=[kwargs["obj"].pk])
        context["buttons"] = [("Change what it may do", address)] if request.user.is_superuser else []
        return super().render_change_form(request, context, *args, **kwargs)

    def _change(self, request: HttpRequest, pk: int) -> HttpResponse:
        group = get_object_or_404(Group, pk=pk)

        def do(data: dict[str, Any]) -> tuple[str, str]:
            people.change_group(group, **data, by=request.user, now=timezone.now())
            return "Changed.", reverse("admin:auth_group_change", args=[pk])

        return asking_page(
            self, request, title=f"What the group {group.name} may do",
            note="It holds from the next request of each member on.",
            form=GroupForm(request.POST or None, initial={"permissions": group.permissions.all()}),
            permission="auth.change_group", act=do,
        )  # fmt: skip


def _take_down() -> None:
    """Unregister what Django and allauth registered for accounts: it changes without a reason, or shows a secret.

    What staff may do to an account are acts with a reason, on the account.
    """
    for model in [model for model in admin.site._registry if model._meta.app_label in TAKEN_DOWN]:
        admin.site.unregister(model)


_take_down()
admin.site.register(User, PersonAdmin)
admin.site.register(Group, GroupAdmin)
