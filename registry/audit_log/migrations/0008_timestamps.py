"""Time stamps of published heads by authorities (RFC 3161), which are never changed."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("audit_log", "0007_cosignatures")]

    operations = [
        migrations.CreateModel(
            name="Timestamp",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("authority", models.CharField(db_collation="C", max_length=253)),
                ("reply", models.TextField()),
                ("at", models.DateTimeField()),
                (
                    "head",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="timestamps",
                        to="audit_log.signedhead",
                    ),
                ),
            ],
            options={
                "ordering": ["head", "pk"],
                "constraints": [
                    models.UniqueConstraint(
                        models.F("authority"), models.F("head"), name="one_timestamp_per_authority"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("reply__regex", "^M[A-Za-z0-9+/]+=*$")), name="timestamp_is_in_base64"
                    ),
                ],
            },
        ),
        migrations.RunSQL(
            "CALL make_immutable('audit_log_timestamp', 'timestamp_is_immutable')", migrations.RunSQL.noop
        ),
    ]
