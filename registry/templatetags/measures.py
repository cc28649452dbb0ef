"""Formatting only: what templates need to show a value that they were given."""

from django import template

register = template.Library()
