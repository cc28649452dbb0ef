"""When what stands of a group last changed: filled in from its runs and marks, as registry.standings derives it."""

from django.db import migrations, models
from django.db.models import Max, OuterRef, Subquery
from django.db.models.functions import Coalesce, Greatest


def fill(apps, schema_editor):
    standing, run, mark = (apps.get_model('registry', name) for name in ('GroupStanding', 'Run', 'Mark'))
    published = run.objects.filter(group=OuterRef('pk')).order_by().values('group').annotate(at=Max('published_at'))
    marked = mark.objects.filter(run__group=OuterRef('pk')).order_by().values('run__group').annotate(last=Max('at'))
    last = Subquery(published.values('at'))
    standing.objects.update(changed_at=Greatest(last, Coalesce(Subquery(marked.values('last')), last)))


class Migration(migrations.Migration):

    dependencies = [
        ('registry', '0005_staff_groups'),
    ]

    operations = [
        migrations.AddField(
            model_name='groupstanding',
            name='changed_at',
            field=models.DateTimeField(help_text='when a run of it was last published or marked', null=True),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.AlterField(
            model_name='groupstanding',
            name='changed_at',
            field=models.DateTimeField(help_text='when a run of it was last published or marked'),
        ),
    ]
