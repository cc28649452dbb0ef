"""What staff fill in: every act states a reason."""

from datetime import datetime
from typing import Any

from django import forms

from registry.core import flags
from registry.core.reading import ReadingError, read
from registry.core.web_addresses import AddressRefusedError, host_names, read_url
from registry.models import Protocol, Run, Source
from registry.models.audit import ReasonClass
from registry.models.incidents import Effect


class AskForm(forms.Form):
    """Nothing but the press of the button: what is asked for is its own reason."""


class ReasonForm(forms.Form):
    """Every correction states a reason: it is shown on the run's page and kept for good."""

    reason = forms.CharField(widget=forms.Textarea(attrs={"rows": 3}), max_length=2000, help_text="Kept for good.")


class FlagForm(ReasonForm):
    rule = forms.ChoiceField(
        choices=[(rule, f"{flags.RULES[rule].title} ({flags.RULES[rule].kind})") for rule in flags.BY_HAND],
        help_text="A blocking flag unranks; a warning marks. Many runs at once are an incident.",
    )
    field_order = ("rule", "reason")


class SupersedeForm(ReasonForm):
    successor = forms.CharField(max_length=100, help_text="Digest or row id of the run that corrects this one.")
    field_order = ("successor", "reason")

    def clean_successor(self) -> Run:
        reference = self.cleaned_data["successor"].strip()
        try:
            column = "digest" if reference.startswith("sha256:") else "pk"
            return Run.objects.get(**{column: reference})
        except (Run.DoesNotExist, ValueError, forms.ValidationError) as error:
            raise forms.ValidationError("No run has this digest or id.") from error


class RedactForm(ReasonForm):
    reason_class = forms.ChoiceField(choices=ReasonClass)
    field_order = ("reason_class", "reason")


class SourceForm(forms.ModelForm):
    """A source as staff curate it: an address without a scheme is an https one."""

    homepage = forms.URLField(assume_scheme="https", max_length=2000, required=False)
    terms_url = forms.URLField(assume_scheme="https", max_length=2000, required=False)
    reason = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 2}), max_length=2000, help_text="Why it is changed; kept for good."
    )

    class Meta:
        model = Source
        fields = (
            "slug", "name", "kind", "homepage", "licence", "terms", "terms_url", "terms_read_on", "may_store",
            "attribution", "contact", "importer", "location", "hosts", "size_cap_mib", "schedule", "is_enabled",
            "trust_notes",
        )  # fmt: skip
        labels = {"terms_url": "Terms at", "may_store": "Files may be stored", "size_cap_mib": "Size cap, MiB"}
        widgets = {
            "location": forms.TextInput(attrs={"size": 80}),
            **{name: forms.Textarea(attrs={"rows": 3, "cols": 80}) for name in ("terms", "attribution", "hosts")},
        }

    def clean_hosts(self) -> str:
        try:
            return "\n".join(host_names(self.cleaned_data["hosts"]))
        except AddressRefusedError as error:
            raise forms.ValidationError(str(error)) from error

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        location = cleaned.get("location")
        if cleaned.get("schedule", "off") != "off" and not (location and cleaned.get("importer")):
            self.add_error("schedule", "A schedule needs an importer and a location to fetch from.")
        if location and "hosts" in cleaned:
            try:
                read_url(location, cleaned["hosts"].split())
            except AddressRefusedError as error:
                self.add_error("location", str(error))
        return cleaned


class _Files(forms.FileField):
    """One file or several, each judged as a file field judges one."""

    widget = type("Files", (forms.FileInput,), {"allow_multiple_selected": True})

    def clean(self, data: Any, initial: Any = None) -> list[Any]:
        given = data if isinstance(data, list | tuple) else [data]
        return [super(_Files, self).clean(file, initial) for file in given]


class UploadForm(forms.Form):
    files = _Files(help_text="The upstream's files, as they are. They are kept by digest.")
    facts = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 4, "cols": 80}), required=False, max_length=100_000,
        help_text="What the files do not state, as YAML or JSON, a key a question; a sync that lacks some lists them.",
    )  # fmt: skip
    is_dry_run = forms.BooleanField(required=False, label="dry run", help_text="Report only; publish nothing.")

    def clean_facts(self) -> dict[str, Any]:
        written = self.cleaned_data["facts"].strip()
        if not written:
            return {}
        try:
            facts = read(written.encode(), syntax="yaml").value
        except ReadingError as error:
            raise forms.ValidationError(str(error)) from error
        if not isinstance(facts, dict):
            raise forms.ValidationError("Write one fact a line: name: value.")
        return facts


class SettleForm(ReasonForm):
    """What a name stands for: a name that the importer knows, or of a GPU its facts."""

    target = forms.CharField(max_length=300, required=False, help_text="a name that the importer knows")
    vendor = forms.CharField(max_length=100, required=False, help_text="of a GPU that no importer knows: nvidia, amd")
    product = forms.CharField(max_length=200, required=False, help_text="NVIDIA B300")
    architecture = forms.CharField(max_length=60, required=False, help_text="sm_103")
    form_factor = forms.CharField(max_length=100, required=False, help_text="only where the name tells it: PCIe")
    is_for_every_source = forms.BooleanField(required=False, label="of every source")
    field_order = ("target", "vendor", "product", "architecture", "form_factor", "is_for_every_source", "reason")

    def clean(self) -> dict[str, Any]:
        """Add what is stated of a GPU, by the documents' own words."""
        cleaned = super().clean() or {}
        words = {"vendor": "vendor", "product": "product", "architecture": "architecture", "form_factor": "formFactor"}
        cleaned["facts"] = {word: cleaned[name] for name, word in words.items() if cleaned.get(name)}
        return cleaned


class SuccessorForm(ReasonForm):
    successor = forms.CharField(
        max_length=71, required=False, help_text="Digest of the protocol that continues this one; empty: revoke."
    )
    field_order = ("successor", "reason")

    def clean_successor(self) -> Protocol | None:
        digest = self.cleaned_data["successor"].strip()
        found = Protocol.objects.filter(digest=digest).first() if digest else None
        if digest and found is None:
            raise forms.ValidationError("No protocol has this digest.")
        return found


class SentenceForm(forms.Form):
    """One sentence of a protocol's note."""

    topic = forms.CharField(max_length=40)
    text = forms.CharField(widget=forms.Textarea(attrs={"rows": 2, "cols": 80}), max_length=1000)
    url = forms.URLField(assume_scheme="https", max_length=2000, required=False, help_text="file and commit")
    chip = forms.CharField(max_length=40, required=False, help_text="a few words, for three sentences of a note")


class IncidentForm(ReasonForm):
    """An incident, and which runs it covers: those that meet all that is stated."""

    title = forms.CharField(max_length=200)
    text = forms.CharField(widget=forms.Textarea(attrs={"rows": 5}), max_length=10_000)
    evidence_url = forms.URLField(assume_scheme="https", max_length=2000, required=False)
    effect = forms.ChoiceField(choices=Effect)
    sources = forms.CharField(required=False, help_text="slugs, by comma or space")
    protocols = forms.CharField(required=False, help_text="digests, by comma or space")
    environments = forms.CharField(required=False, help_text="digests, by comma or space")
    operations = forms.CharField(required=False, help_text="slugs or digests, by comma or space")
    implementations = forms.CharField(required=False, help_text="slugs, digests or ids, by comma or space")
    labels = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 2}), required=False, help_text="one a line: liger_version=0.4.0, 0.4.1"
    )
    observed_from = forms.DateTimeField(required=False, help_text="the first instant, UTC")
    observed_to = forms.DateTimeField(required=False, help_text="the first instant after, UTC")
    field_order = (
        "title", "text", "evidence_url", "effect", "sources", "protocols", "environments", "operations",
        "implementations", "labels", "observed_from", "observed_to", "reason",
    )  # fmt: skip

    def clean_labels(self) -> dict[str, list[str]]:
        stated: dict[str, list[str]] = {}
        for line in filter(None, map(str.strip, self.cleaned_data["labels"].splitlines())):
            name, equals, values = line.partition("=")
            listed = [value.strip() for value in values.split(",") if value.strip()]
            if not (equals and name.strip() and listed):
                raise forms.ValidationError(f"{line}: write a label as name=value, value.")
            stated[name.strip()] = listed
        return stated

    def criteria(self) -> dict[str, Any]:
        """What is stated, as registry.core.incident_criteria reads it."""
        data = self.cleaned_data
        lists = ("sources", "protocols", "environments", "operations", "implementations")
        stated: dict[str, Any] = {name: data[name].replace(",", " ").split() for name in lists if data[name].strip()}
        if data["labels"]:
            stated["labels"] = data["labels"]
        for name in ("observed_from", "observed_to"):
            if isinstance(data[name], datetime):
                stated[name] = data[name].isoformat()
        return stated
