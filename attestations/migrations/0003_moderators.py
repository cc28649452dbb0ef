"""What moderators may do with testimony, and that everybody of staff reads it. A site may change the groups."""

from django.apps import apps as installed
from django.contrib.auth.management import create_permissions
from django.db import migrations

STAFF = ("curator", "moderator", "rerunner")
MODERATOR = ("hide_attestation", "decide_report", "decide_claim")
PRIVATE = ("view_follow", "view_letter", "view_count", "view_watermark", "view_profile")  # readers' own affairs


def extend_groups(apps, schema_editor):
    # Permissions are made when all migrations are done, which is too late for these groups.
    create_permissions(installed.get_app_config("attestations"), verbosity=0, using=schema_editor.connection.alias)
    groups, permissions = apps.get_model("auth", "Group"), apps.get_model("auth", "Permission")
    ours = permissions.objects.filter(content_type__app_label="attestations")
    for name in STAFF:
        group, _ = groups.objects.get_or_create(name=name)
        group.permissions.add(*ours.filter(codename__startswith="view_").exclude(codename__in=PRIVATE))
    groups.objects.get(name="moderator").permissions.add(*ours.filter(codename__in=MODERATOR))


class Migration(migrations.Migration):
    dependencies = [("attestations", "0002_people"), ("registry", "0005_staff_groups")]
    operations = [migrations.RunPython(extend_groups, migrations.RunPython.noop)]
