from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("attestations", "0003_moderators")]

    operations = [
        migrations.AddField(
            model_name="claim",
            name="basis",
            field=models.CharField(
                blank=True,
                help_text="the repository or host that it was granted on; empty: staff's judgement",
                max_length=300,
            ),
        ),
    ]
