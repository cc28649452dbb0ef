"""What staff fill in when they correct a run."""

from django import forms

from registry.core import flags
from registry.models import Run, Source
from registry.models.audit import ReasonClass


class ReasonForm(forms.Form):
    """Every correction states a reason: it is shown on the run's page and kept for good."""

    reason = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 3}), max_length=2000, help_text="Public: it stands on the run's page."
    )


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

    class Meta:
        model = Source
        fields = ("slug", "name", "kind", "homepage", "licence", "terms", "attribution", "contact")
