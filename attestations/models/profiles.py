"""Who an actor is: the one place where an opaque actor id meets an account."""

import uuid

from django.conf import settings
from django.db import models


class Digest(models.TextChoices):
    WEEKLY = "weekly", "once a week"
    OFF = "off", "never"


class Profile(models.Model):
    """Goes with its account; rows elsewhere keep the actor id, which then names nobody."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, related_name="profile")
    actor = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    handle = models.CharField(max_length=40, unique=True, null=True, help_text="public name, chosen by the user")
    handle_skeleton = models.CharField(
        max_length=120, unique=True, null=True, editable=False, help_text="two handles that look alike share it"
    )
    read_at = models.DateTimeField(null=True, help_text="what is followed was last marked read")
    digest = models.CharField(max_length=10, choices=Digest, default=Digest.WEEKLY)
    has_urgent_mail = models.BooleanField(default=True, help_text="mail at once when a followed run is marked")
    mail_key = models.UUIDField(unique=True, default=uuid.uuid4, editable=False, help_text="in unsubscribe links")

    class Meta:
        permissions = [("manage_people", "Can see, deactivate and restore accounts")]

    def __str__(self) -> str:
        return self.handle or str(self.actor)


class RetiredHandle(models.Model):
    """A public name that was given up, by choosing another or by leaving: nobody else can take it, for good.

    `key` is an HMAC of the name's skeleton under the site's secret, so the name itself is kept nowhere.
    """

    key = models.CharField(max_length=64, primary_key=True)
    actor = models.UUIDField(db_index=True, help_text="whose it was; they may take it back while they are here")
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"given up on {self.at:%Y-%m-%d}"
