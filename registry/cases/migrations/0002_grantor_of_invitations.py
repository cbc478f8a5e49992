"""Who invited a co-editor, and with which token.

For a case of a person, that was its registrant. For a case of an organisation, it is not known, and might be a person who no
longer represents it: such an invitation is deleted, and can be made again.
"""

import django.db.models.deletion
from django.conf import settings
from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models

from registry.core.database.migration_operations import Together


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0002_scope_manage"),
        ("cases", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        # The keys are validated in the next migration, so that no statement holds up requests.
        migrations.SeparateDatabaseAndState(
            [
                migrations.RunSQL(
                    [
                        "ALTER TABLE cases_invitation ADD COLUMN invited_by_id bigint NULL;",
                        "ALTER TABLE cases_invitation ADD CONSTRAINT cases_invitation_invited_by_fk FOREIGN KEY (invited_by_id) "
                        "REFERENCES accounts_user (id) DEFERRABLE INITIALLY DEFERRED NOT VALID;",
                    ],
                    "ALTER TABLE cases_invitation DROP COLUMN invited_by_id;",
                ),
                migrations.RunSQL(
                    [
                        "ALTER TABLE cases_invitation ADD COLUMN made_with_id bigint NULL;",
                        "ALTER TABLE cases_invitation ADD CONSTRAINT cases_invitation_made_with_fk FOREIGN KEY (made_with_id) "
                        "REFERENCES accounts_token (id) DEFERRABLE INITIALLY DEFERRED NOT VALID;",
                    ],
                    "ALTER TABLE cases_invitation DROP COLUMN made_with_id;",
                ),
            ],
            [
                Together(
                    [
                        migrations.AddField(
                            "invitation",
                            "invited_by",
                            models.ForeignKey(
                                settings.AUTH_USER_MODEL,
                                django.db.models.deletion.PROTECT,
                                null=True,
                                related_name="+",
                                db_index=False,
                            ),
                        ),
                        migrations.AddField(
                            "invitation",
                            "made_with",
                            models.ForeignKey(
                                "accounts.token",
                                django.db.models.deletion.PROTECT,
                                null=True,
                                editable=False,
                                related_name="+",
                                db_index=False,
                            ),
                        ),
                    ]
                )
            ],
        ),
        AddConstraintNotValid(
            "invitation",
            models.CheckConstraint(
                condition=models.Q(invited_by__isnull=False), name="co_editor_invitation_names_who_invited"
            ),
        ),
        # Last, because a table with changed rows can't be altered in the same transaction. There are few rows: an invitation is
        # deleted when it is answered.
        migrations.RunSQL(
            [
                "UPDATE cases_invitation SET invited_by_id = registrant_id FROM cases_case "
                "WHERE cases_case.id = case_id AND organisation_id IS NULL",
                "DELETE FROM cases_invitation WHERE invited_by_id IS NULL",
            ],
            migrations.RunSQL.noop,
        ),
    ]
