"""The claim of a case becomes its assignment. The table and the column keep their names, which the previous release reads."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from registry.core.database.migration_operations import Together


class Migration(migrations.Migration):
    dependencies = [("cases", "0001_initial"), ("review_desk", "0001_initial")]

    operations = [
        migrations.AlterModelTable("claim", "review_desk_claim"),
        migrations.RenameModel("Claim", "CaseAssignment"),
        # The constraint names the field in the state of Django, not in the database.
        Together(
            [
                migrations.SeparateDatabaseAndState(
                    [],
                    [
                        migrations.RemoveConstraint("caseassignment", "claim_ends_after_start"),
                        migrations.AlterField(
                            "caseassignment",
                            "claimed_at",
                            models.DateTimeField(default=django.utils.timezone.now, db_column="claimed_at"),
                        ),
                        migrations.RenameField("caseassignment", "claimed_at", "assigned_at"),
                        migrations.AddConstraint(
                            "caseassignment",
                            models.CheckConstraint(
                                condition=models.Q(released_at=None)
                                | models.Q(released_at__gte=models.F("assigned_at")),
                                name="claim_ends_after_start",
                            ),
                        ),
                        migrations.AlterField(
                            "caseassignment",
                            "case",
                            models.ForeignKey(
                                "cases.case", django.db.models.deletion.PROTECT, related_name="assignments"
                            ),
                        ),
                        migrations.AlterField(
                            "caseassignment",
                            "person",
                            models.ForeignKey(
                                settings.AUTH_USER_MODEL, django.db.models.deletion.PROTECT, related_name="+"
                            ),
                        ),
                    ],
                ),
            ]
        ),
    ]
