"""Cosignatures of published heads by witnesses (https://c2sp.org/tlog-cosignature), which are never changed."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("audit_log", "0006_events_of_text")]

    operations = [
        migrations.CreateModel(
            name="Cosignature",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(db_collation="C", max_length=300)),
                ("line", models.TextField()),
                ("at", models.DateTimeField()),
                (
                    "head",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="cosignatures",
                        to="audit_log.signedhead",
                    ),
                ),
            ],
            options={
                "ordering": ["head", "pk"],
                "constraints": [
                    models.UniqueConstraint(models.F("key"), models.F("head"), name="one_cosignature_per_witness"),
                    models.CheckConstraint(
                        condition=models.Q(("line__regex", r"^— [^ \n]+ [A-Za-z0-9+/]+=*$")), name="cosignature_is_a_line"
                    ),
                ],
            },
        ),
        migrations.RunSQL(
            "CALL make_immutable('audit_log_cosignature', 'cosignature_is_immutable')", migrations.RunSQL.noop
        ),
    ]
