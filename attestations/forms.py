"""What people fill in about runs."""

import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from django import forms

from attestations.core import statements
from attestations.core.links import LinkError, check_link
from attestations.core.samples import FILE_LIMIT, PASTED_LIMIT, Samples, SamplesError, read_samples
from attestations.core.statements import TOOLKIT, Offered, Statement, plain
from attestations.models import Kind, Reason, Relation, Setup

LONGEST_TEXT = 2000
LONGEST_REPORT = 4000
_NUMBER = re.compile(r"\d{1,15}(?:\.\d{1,9})?")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
PLACES = (
    (statements.SAME, "the environment of this run"),
    (statements.KNOWN, "another environment known here"),
    (statements.WRITTEN, "one that I describe"),
)
SOFTWARE = ("driver", "toolkit", "framework")


class AttestationForm(forms.Form):
    """A reproduction or a note. What belongs to a place that isn't chosen is a mistake, never dropped in silence."""

    kind = forms.ChoiceField(label="What happened", choices=Kind, widget=forms.RadioSelect)
    text = forms.CharField(
        label="What you did and saw", max_length=LONGEST_TEXT, widget=forms.Textarea(attrs={"rows": 4}),
        help_text="Up to 2,000 characters. Plain text, shown under your public name.",
    )  # fmt: skip
    value = forms.CharField(
        label="Measured value", required=False, max_length=40,
        widget=forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"}),
    )  # fmt: skip
    unit = forms.ChoiceField(label="Unit", required=False)
    samples = forms.CharField(
        label="Or your samples", required=False, widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
        help_text="One number a line, same unit. We compute n, median, interval and whether they agree.",
    )  # fmt: skip
    file = forms.FileField(
        label="Or a file of samples", required=False,
        help_text="One number a line, CSV, or the JSON of pyperf, pytest-benchmark or nvbench. Up to 4 MiB.",
    )  # fmt: skip
    column = forms.CharField(
        label="Which of the file", required=False, max_length=200,
        help_text="The column of a CSV, or the benchmark, where the file has several.",
    )  # fmt: skip
    is_incorrect = forms.BooleanField(label="the outputs were wrong", required=False)
    setup = forms.ChoiceField(
        label="What you ran", required=False, choices=[c for c in Setup.choices if c[0]], widget=forms.RadioSelect,
        help_text="Needed where you measured something.",
    )  # fmt: skip
    relation = forms.ChoiceField(
        label="You and this work", required=False, choices=[c for c in Relation.choices if c[0]],
        widget=forms.RadioSelect, help_text="Needed where you measured something. Shown with the ACM class.",
    )  # fmt: skip
    place = forms.ChoiceField(
        label="Where you ran it", required=False, choices=PLACES, widget=forms.RadioSelect,
        help_text="Without the GPU, a value can't be compared with the claim.",
    )  # fmt: skip
    environment = forms.ChoiceField(label="Known environment", required=False)
    environment_digest = forms.CharField(
        label="Or its digest", required=False, max_length=71, help_text="sha256:… of any environment in this index."
    )
    gpu = forms.CharField(
        label="GPU", required=False, max_length=200, help_text="A name of the list is compared with the claim's GPU."
    )
    driver = forms.CharField(label="Driver", required=False, max_length=60)
    toolkit = forms.CharField(label="CUDA toolkit", required=False, max_length=60)
    framework = forms.CharField(label="Framework", required=False, max_length=60, help_text="Such as torch 2.11.")
    other = forms.CharField(
        label="Anything else", required=False, max_length=250, help_text="Clocks, power limit, operating system."
    )
    evidence_url = forms.CharField(
        label="Evidence link", required=False, max_length=2000, widget=forms.URLInput, help_text="A log, a commit."
    )

    def __init__(self, *args: Any, offered: Offered, kind: str | None = None, **kwargs: Any) -> None:
        super().__init__(*args, auto_id="attest_%s", **kwargs)
        self.offered = offered
        self.fields["unit"].choices = offered.units
        self.fields["unit"].initial = offered.unit
        self.fields["environment"].choices = [
            ("", "choose" if offered.environments else "no other one of this GPU"),
            *offered.environments,
        ]
        self.fields["gpu"].widget.attrs |= {"list": "attest_gpus", "autocomplete": "off"}
        if kind:  # of an edit: the kind stays as it was sent
            del self.fields["kind"]
        if not offered.units:
            for name in ("value", "unit", "samples", "file", "column"):
                del self.fields[name]
        self.kind = kind
        self.read: Samples | None = None

    def clean_text(self) -> str:
        return _readable(self.cleaned_data["text"])

    def clean_value(self) -> str | None:
        written = self.cleaned_data["value"].strip()
        if not written:
            return None
        if not _NUMBER.fullmatch(written) or not Decimal(written):
            raise forms.ValidationError("Enter a number above 0, such as 126.3")
        return written

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file and file.size > FILE_LIMIT:
            raise forms.ValidationError("The file has more than 4 MiB. Send fewer samples; up to 10,000 are taken.")
        return file

    def clean_samples(self) -> str:
        if len(self.cleaned_data["samples"].encode()) > PASTED_LIMIT:
            raise forms.ValidationError("Paste up to 256 KiB; send more as a file.")
        return self.cleaned_data["samples"].strip()

    def clean_environment_digest(self) -> str | None:
        digest = self.cleaned_data["environment_digest"].strip()
        if digest and not _DIGEST.fullmatch(digest):
            raise forms.ValidationError("A digest is sha256: and 64 hex digits, as on an environment's page.")
        return digest or None

    def clean_evidence_url(self) -> str | None:
        url = self.cleaned_data["evidence_url"].strip()
        try:
            return check_link(url) if url else None
        except LinkError as error:
            raise forms.ValidationError(str(error)) from error

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        given = [name for name in ("value", "samples", "file") if cleaned.get(name)]
        self.read = self._read(given[0], cleaned) if given and given[0] != "value" else None
        for name in given[1:]:
            first = self.fields[given[0]].label.lower()
            self.add_error(name, f"You gave this and “{first}”: leave one of them empty.")
        if given or cleaned.get("is_incorrect"):
            for name in ("setup", "relation"):
                if not cleaned.get(name) and name not in self.errors:
                    self.add_error(name, "Choose one: it decides what your measurement is compared as.")
        self._clean_place(cleaned)
        return cleaned

    def _read(self, name: str, cleaned: dict[str, Any]) -> Samples | None:
        """The samples as they stand in the field or the file; what is wrong with them goes to that field."""
        data, column = cleaned[name], cleaned.get("column") or None
        is_file = name == "file"
        try:
            return read_samples(
                data.read() if is_file else data, file_name=data.name if is_file else None, named=column
            )
        except SamplesError as error:
            self.add_error(name, str(error))
            return None

    def _clean_place(self, cleaned: dict[str, Any]) -> None:
        """What is filled in belongs to the place that is chosen; where none is, what is filled in chooses it."""
        known = [name for name in ("environment", "environment_digest") if cleaned.get(name)]
        written = [name for name in ("gpu", *SOFTWARE, "other") if cleaned.get(name)]
        place = cleaned.get("place") or (statements.KNOWN if known else statements.WRITTEN if written else "")
        cleaned["place"] = place
        words = dict(PLACES)
        for names, of in ((known, statements.KNOWN), (written, statements.WRITTEN)):
            if names and place != of:
                self.add_error(names[0], f"Empty this, or choose “{words[of]}”: “{words[place]}” is chosen.")
        if place == statements.KNOWN and not known and not self.errors.keys() & {"environment", "environment_digest"}:
            self.add_error("environment", "Choose an environment, or enter its digest.")
        if place == statements.KNOWN and len(known) == 2:
            self.add_error("environment_digest", "You chose one in the list too: leave one of them empty.")
        if place == statements.WRITTEN and not written:
            self.add_error("gpu", "Name the GPU, or describe the machine below.")

    def statement(self) -> Statement:
        """What a valid form says."""
        data = self.cleaned_data
        read = self.read
        is_value = read is not None and read.statistic is not None  # a file of no samples but what was made of them
        value = plain(read.values[0]) if read and is_value else data.get("value")
        samples = read.values if read and not is_value else ()
        unit = (read.unit if read else None) or data.get("unit") or self.offered.unit
        is_written, is_known = data["place"] == statements.WRITTEN, data["place"] == statements.KNOWN
        return Statement(
            kind=self.kind or data["kind"],
            text=data["text"],
            value=value,
            unit=unit if value or samples else None,
            samples=samples,
            samples_from=read.read_from if read else None,
            statistic=read.statistic if read else None,
            n=read.n if read else None,
            deviation=read.deviation if read else None,
            is_incorrect=data["is_incorrect"],
            relation=data["relation"],
            setup=data["setup"],
            place=data["place"],
            environment=(data["environment"] or data["environment_digest"]) if is_known else None,
            gpu=(data["gpu"] or None) if is_written else None,
            software=_software(data) if is_written else (),
            other=(data["other"] or None) if is_written else None,
            evidence_url=data["evidence_url"],
        )

    def faults(self) -> Iterable[tuple[str, str]]:
        """Id and label of each field with an error, in the order of the page."""
        return [(self[name].auto_id, self.fields[name].label) for name in self.fields if name in self.errors]


def _software(data: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    """Name to version, by the words of environment documents; a framework is written "torch 2.11"."""
    name, _, version = data["framework"].strip().rpartition(" ")
    stated = {"driver": data["driver"], TOOLKIT: data["toolkit"], name.strip() or "framework": version}
    return tuple((name, version.strip()) for name, version in stated.items() if version.strip())


def _readable(text: str) -> str:
    """Lines as typed, without the carriage returns of a browser and without control characters."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(c for c in plain if c in "\n\t" or c.isprintable() or not c.isascii()).strip()


class ReportForm(forms.Form):
    """An issue report. Nothing else that is posted is looked at."""

    reason = forms.ChoiceField(
        label="What is wrong",
        choices=Reason,
        widget=forms.RadioSelect,
        help_text="Shown in public.",
        error_messages={"required": "Choose one.", "invalid_choice": "Choose one."},
    )
    text = forms.CharField(
        label="What you saw", max_length=LONGEST_REPORT, widget=forms.Textarea(attrs={"rows": 6}),
        help_text="Up to 4,000 characters of plain text, for staff only.",
        error_messages={"required": "Say what is wrong: without that nobody can look into it."},
    )  # fmt: skip
    evidence_url = forms.CharField(
        label="Evidence link", max_length=2000, required=False, help_text="An https address, for staff only."
    )
    contact = forms.EmailField(
        label="Your e-mail address", max_length=254, required=False,
        help_text="For moderators: to ask you something and to tell you what was decided. Deleted 30 days after that.",
        error_messages={"invalid": "Enter an e-mail address such as name@example.org, or leave it empty."},
    )  # fmt: skip
    # Programs that fill in forms fill in all of it. People do not see this field; a screen reader says its label.
    website = forms.CharField(label="Leave this field empty", max_length=200, required=False)

    def clean_evidence_url(self) -> str:
        url = self.cleaned_data["evidence_url"].strip()
        try:
            return check_link(url) if url else ""
        except LinkError as error:
            raise forms.ValidationError(str(error)) from error

    def clean_website(self) -> str:
        if self.cleaned_data["website"]:
            raise forms.ValidationError("Leave this field empty: it is there for programs that fill in everything.")
        return ""


class AnswerForm(forms.Form):
    """A reporter's answer to a question of staff."""

    text = forms.CharField(
        label="Your answer", max_length=LONGEST_REPORT, widget=forms.Textarea(attrs={"rows": 6}),
        error_messages={"required": "Write an answer."},
    )  # fmt: skip
