"""Who may see, deactivate and restore accounts: the moderators. A site may change the groups."""

from django.apps import apps as installed
from django.contrib.auth.management import create_permissions
from django.db import migrations


def extend_groups(apps, schema_editor):
    # Permissions are made when all migrations are done, which is too late for this group.
    create_permissions(installed.get_app_config("attestations"), verbosity=0, using=schema_editor.connection.alias)
    group, permissions = apps.get_model("auth", "Group"), apps.get_model("auth", "Permission")
    moderators, _ = group.objects.get_or_create(name="moderator")
    moderators.permissions.add(
        permissions.objects.get(content_type__app_label="attestations", codename="manage_people")
    )


class Migration(migrations.Migration):
    dependencies = [("attestations", "0005_accounts")]
    operations = [
        migrations.AlterModelOptions(
            name="profile",
            options={"permissions": [("manage_people", "Can see, deactivate and restore accounts")]},
        ),
        migrations.RunPython(extend_groups, migrations.RunPython.noop),
    ]
