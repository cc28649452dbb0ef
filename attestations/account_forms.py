"""The forms of one's own account. Each has exactly the fields that a reader may set."""

from django import forms

from attestations.models import Profile


class HandleForm(forms.Form):
    handle = forms.CharField(
        label="Public name",
        max_length=40,
        help_text="2 to 40 letters and digits of one script; dots, hyphens and underscores may stand between them. "
        "Shown beside what you write here.",
        widget=forms.TextInput(attrs={"autocomplete": "nickname", "spellcheck": "false"}),
    )


class MailForm(forms.ModelForm):
    class Meta:
        model = Profile
        fields = ("digest", "has_urgent_mail")
        labels = {
            "digest": "What is new in what I follow",
            "has_urgent_mail": "Write at once when a run I follow is withdrawn, superseded, contested, flagged or "
            "rerun, and of reports and results on what I speak for",
        }
        help_texts = {"digest": "", "has_urgent_mail": ""}


class LeaveForm(forms.Form):
    """Nothing to fill in but one's own will: the account asked again who is there."""

    sure = forms.BooleanField(
        label="Delete my account, for good", error_messages={"required": "Tick this box, if you want it gone."}
    )
