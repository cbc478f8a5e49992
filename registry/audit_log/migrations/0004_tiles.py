"""The hashes of full tiles (https://c2sp.org/tlog-tiles), which are never changed."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("audit_log", "0003_leaves")]

    operations = [
        migrations.CreateModel(
            name="TileHash",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("level", models.BigIntegerField()),
                ("index", models.BigIntegerField()),
                ("hash", models.CharField(max_length=64)),
            ],
            options={
                "verbose_name_plural": "tile hashes",
                "constraints": [
                    models.UniqueConstraint(models.F("level"), models.F("index"), name="one_hash_per_tile"),
                    models.CheckConstraint(
                        condition=models.Q(("index__gte", 0), ("level__gt", 0)), name="tile_hash_has_a_place"
                    ),
                ],
            },
        ),
        migrations.RunSQL(
            "CALL make_immutable('audit_log_tilehash', 'tile_hash_is_immutable')", migrations.RunSQL.noop
        ),
    ]
