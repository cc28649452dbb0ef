"""Counts of what was tried, for rate limits that all web processes share."""

from django.db import models


class Count(models.Model):
    """One window of one limit. `key` is an HMAC under a salt of the day: no address can be read from it."""

    key = models.CharField(max_length=64, primary_key=True)
    n = models.IntegerField()
    until = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.n} until {self.until}"
