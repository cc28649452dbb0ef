"""The moderation queue: groups of reports that wait, the oldest first; each step is an act that is dated and audited.

Staff of every group read the queue. The steps, and the addresses that reporters left, are for those who decide.
"""

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from django import forms
from django.contrib import admin
from django.db import transaction
from django.db.models import F, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from attestations import reports
from attestations.core import disputes
from attestations.models import Outcome, Report
from attestations.profiles import actor_of
from attestations.queries import moderation
from attestations.queries.reports import in_queue, overdue_of
from attestations.reports import PERMISSION, ReportError
from registry.admin.asking import asking_action, asking_page
from registry.admin.facts import FactAdmin
from registry.admin.redacting import ASK_FOR_REDACTION
from registry.forms import AskForm, FlagForm, SupersedeForm

LONGEST = reports.MOST_CHARACTERS


class PublicNoteForm(forms.Form):
    public_note = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 4}), max_length=LONGEST,
        help_text="Shown to everybody on the run's page, and kept. Name no person.",
    )  # fmt: skip


class QuestionForm(forms.Form):
    question = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 4}), max_length=LONGEST,
        help_text="Sent by mail to those of the reporters who can be reached. Not shown in public.",
    )  # fmt: skip


class ResolveForm(PublicNoteForm):
    """A decision, and what it needs: the rule of a flag, the successor of a supersession."""

    outcome = forms.ChoiceField(choices=Outcome)
    rule = forms.ChoiceField(
        choices=[("", "–"), *FlagForm.base_fields["rule"].choices], required=False,
        help_text="Of a flag.",
    )  # fmt: skip
    successor = forms.CharField(
        max_length=100, required=False, help_text="Of a supersession: digest or row id of the run that takes its place."
    )
    field_order = ("outcome", "rule", "successor", "public_note")

    def clean_successor(self) -> Any:
        return SupersedeForm.clean_successor(self) if self.cleaned_data["successor"].strip() else None


@dataclass(frozen=True, slots=True)
class Way:
    """One step that a moderator may take: `act` gets the report, the cleaned form, and who and when."""

    name: str
    title: str
    form: type[forms.Form]
    note: str
    act: Callable[..., Report]
    done: str
    is_for_many: bool = False


TOLD = "Reporters with an account or a contact are told by mail. An audit event is kept under your name."
WAYS = (
    Way("assign", "Take on", AskForm, "It is yours to decide.", reports.assign, "Yours", is_for_many=True),
    Way(
        "ask", "Ask the reporters", QuestionForm, "The report waits for an answer; the clock does not stop.",
        reports.ask, "Asked",
    ),
    Way(
        "note", "Write the public note", PublicNoteForm, "It replaces the last one; both stay on record.",
        lambda report, public_note, **by: reports.note(report, text=public_note, **by), "Noted",
    ),
    Way(
        "resolve", "Resolve", ResolveForm, f"What follows is done in the same act. {TOLD}", reports.resolve, "Resolved",
    ),
    Way("dismiss", "Dismiss", PublicNoteForm, TOLD, reports.dismiss, "Dismissed", is_for_many=True),
)  # fmt: skip


def _take(way: Way, request: HttpRequest, chosen: list[Report], data: dict[str, Any]) -> str:
    if len(chosen) > 1 and not way.is_for_many:
        raise ReportError("Choose one report: each is asked about and resolved by itself.")
    with transaction.atomic():  # all or none
        for report in chosen:
            way.act(report, **data, actor=actor_of(request.user), now=timezone.now())
    return f"{way.done}: {len(chosen)}."


class OverdueFilter(admin.SimpleListFilter):
    title = "overdue"
    parameter_name = "overdue"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("1", "overdue")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Report]) -> QuerySet[Report]:
        return overdue_of(queryset, timezone.now()) if self.value() == "1" else queryset


@admin.register(Report)
class ReportAdmin(FactAdmin):
    list_display = ("group", "of_run", "stands", "overdue", "age", "report_count", "assigned_to")
    list_filter = ("state", "reason", OverdueFilter)
    search_fields = ("run__digest", "text", "public_note")
    search_help_text = "Digest of a run, or words of a report."
    change_form_template = "admin/attestations/report/change_form.html"
    actions = (
        *(asking_action(
            name=f"{way.name}_report", title=way.title, form=way.form, permission=PERMISSION, act=partial(_take, way),
            note=way.note,
        )
        for way in WAYS),
        ASK_FOR_REDACTION,
    )  # fmt: skip

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        """A filter on contacts would tell by its count what a page does not show."""
        return "contact" not in lookup and super().lookup_allowed(lookup, value, request)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Report]:
        """The list is of groups, by their first; of one reporter, and of one group, it is of every report."""
        is_list = bool(request.resolver_match and (request.resolver_match.url_name or "").endswith("_changelist"))
        has_joined = not is_list or bool({"actor__exact", "duplicate_of__exact"} & set(request.GET))
        return in_queue(super().get_queryset(request), has_joined=has_joined)

    def get_ordering(self, request: HttpRequest) -> list[Any]:
        return [F("closed_at").desc(nulls_first=True), "at", "id"]

    @admin.display(description="reason")
    def group(self, report: Report) -> str:
        return report.get_reason_display()

    @admin.display(empty_value="")
    def overdue(self, report: Any) -> str | None:
        dates = {"opened_at": report.at, "answered_at": report.answered_at, "closed_at": report.closed_at}
        return disputes.late(**dates, now=timezone.now())

    @admin.display(description="state", ordering="state")
    def stands(self, report: Report) -> str:
        return f"{report.get_state_display()}{f': {report.get_outcome_display()}' if report.outcome else ''}"

    @admin.display(description="age, days", ordering="-at")
    def age(self, report: Report) -> int:
        return ((report.closed_at or timezone.now()) - report.at).days

    @admin.display(description="reports")
    def report_count(self, report: Any) -> int:
        return int(report.joined_count) + 1

    @admin.display(description="run")
    def of_run(self, report: Report) -> SafeString:
        return format_html(
            '<a href="{}">{}…</a>', report.run.get_absolute_url(), report.run.digest.removeprefix("sha256:")[:12]
        )

    def get_urls(self) -> list[URLPattern]:
        steps = [
            path(
                f"<uuid:pk>/{way.name}/",
                self.admin_site.admin_view(partial(self._step, way=way)),
                name=f"attestations_report_{way.name}",
            )
            for way in WAYS
        ]
        return [*steps, *super().get_urls()]

    def _step(self, request: HttpRequest, pk: uuid.UUID, way: Way) -> HttpResponse:
        report = get_object_or_404(Report, pk=pk)

        def do(data: dict[str, Any]) -> tuple[str, str]:
            return _take(way, request, [report], data), reverse("admin:attestations_report_change", args=[pk])

        return asking_page(
            self, request, title=f"{way.title}: {report.get_reason_display()}", note=way.note,
            form=way.form(request.POST if request.method == "POST" else None), permission=PERMISSION, act=do,
        )  # fmt: skip

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        report, decides = kwargs["obj"], request.user.has_perm(PERMISSION)
        has_all = "all" in request.GET
        context["page"] = moderation.dossier(report.pk, now=timezone.now(), has_contacts=decides, has_all=has_all)
        context["decides"] = decides
        context["buttons"] = [
            (way.title, reverse(f"admin:attestations_report_{way.name}", args=[report.pk]))
            for way in WAYS
            if decides and (way.name == "note" or report.closed_at is None)
        ]
        context["title"], context["subtitle"] = f"Report: {report.get_reason_display()}", None
        return super().render_change_form(request, context, *args, **kwargs)
