import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

# In a place of its own for each row's next version (fillfactor), so that counting touches no index.
CREATE_TALLY = """
CREATE UNLOGGED TABLE api_tally (
    key text COLLATE "C" PRIMARY KEY,
    began_at double precision NOT NULL,
    spent integer NOT NULL CHECK (spent >= 0)
) WITH (fillfactor = 50)
"""


class Migration(migrations.Migration):
    initial = True

    dependencies = [("accounts", "0004_tokens")]

    operations = [
        migrations.CreateModel(
            name="KeptAnswer",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(db_collation="C", max_length=255)),
                ("request_digest", models.CharField(max_length=64)),
                ("status", models.PositiveSmallIntegerField(null=True)),
                ("headers", models.JSONField(default=dict)),
                ("body", models.TextField(blank=True)),
                ("at", models.DateTimeField(db_index=True, default=django.utils.timezone.now)),
                (
                    "token",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="accounts.token"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(models.F("token"), models.F("key"), name="a_key_is_used_once")
                ],
            },
        ),
        migrations.RunSQL(
            CREATE_TALLY,
            "DROP TABLE api_tally",
            state_operations=[
                migrations.CreateModel(
                    name="Tally",
                    fields=[
                        ("key", models.TextField(db_collation="C", primary_key=True, serialize=False)),
                        ("began_at", models.FloatField()),
                        ("spent", models.PositiveIntegerField()),
                    ],
                    options={"db_table": "api_tally", "verbose_name_plural": "tallies"},
                ),
            ],
        ),
    ]
