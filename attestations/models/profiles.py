"""Who an actor is: the one place where an opaque actor id meets an account."""

import uuid

from django.conf import settings
from django.db import models


class Profile(models.Model):
    """Goes with its account; rows elsewhere keep the actor id, which then names nobody."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, related_name="profile")
    actor = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    handle = models.CharField(max_length=40, unique=True, null=True, help_text="public name, chosen by the user")

    def __str__(self) -> str:
        return self.handle or str(self.actor)
