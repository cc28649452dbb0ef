"""Who may do what of daily work, without being a superuser. The groups are made once; a site may change them."""

from django.apps import apps as installed
from django.contrib.auth.management import create_permissions
from django.db import migrations

VIEWS = "view_"  # everybody of staff reads every table
MAY = {
    "curator": (
        "add_source", "change_source", "sync_source", "add_namealias", "add_incident", "add_incidentreversal",
        "add_protocolnote", "add_protocolsuccession", "add_mark",
    ),
    "moderator": ("add_mark", "add_redactionrequest", "add_redaction"),
    "rerunner": (),
}  # fmt: skip


def make_groups(apps, schema_editor):
    # Permissions are made when all migrations are done, which is too late for these groups.
    create_permissions(installed.get_app_config("registry"), verbosity=0, using=schema_editor.connection.alias)
    group_model, permissions = apps.get_model("auth", "Group"), apps.get_model("auth", "Permission")
    of_registry = permissions.objects.filter(content_type__app_label="registry")
    for name, codenames in MAY.items():
        group, _ = group_model.objects.get_or_create(name=name)
        group.permissions.add(*of_registry.filter(codename__startswith=VIEWS))
        group.permissions.add(*of_registry.filter(codename__in=codenames))


class Migration(migrations.Migration):
    dependencies = [("registry", "0004_one_sync_at_a_time"), ("auth", "0012_alter_user_first_name_max_length")]
    operations = [
        migrations.AlterModelOptions(
            name="source",
            options={
                "ordering": ["slug"],
                "permissions": [("sync_source", "Can sync, upload, pause, approve and discard")],
            },
        ),
        migrations.RunPython(make_groups, migrations.RunPython.noop),
    ]
