"""Facts: sources, documents, runs, comparison groups, standings, evidence."""

from django.apps import AppConfig
from django.core.checks import Tags, register
from django.db.models.signals import post_migrate

from registry import guards, schedules


class RegistryConfig(AppConfig):
    name = "registry"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        # A table rebuild (SQLite's AlterField) drops triggers silently, so they are made anew after every migrate.
        post_migrate.connect(guards.install_after_migrate, sender=self, dispatch_uid="registry.guards")
        post_migrate.connect(schedules.install_after_migrate, sender=self, dispatch_uid="registry.schedules")
        register(guards.check_guards, Tags.database)
