"""The token with which a pending grant was made."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0002_scope_manage"), ("organisations", "0001_initial")]

    operations = [
        # The key is validated in the next migration, so that no statement holds up requests.
        migrations.SeparateDatabaseAndState(
            [
                migrations.RunSQL(
                    [
                        "ALTER TABLE organisations_membershipinvitation ADD COLUMN made_with_id bigint NULL;",
                        "ALTER TABLE organisations_membershipinvitation ADD CONSTRAINT organisations_membershipinvitation_made_with_fk FOREIGN KEY (made_with_id) "
                        "REFERENCES accounts_token (id) DEFERRABLE INITIALLY DEFERRED NOT VALID;",
                    ],
                    "ALTER TABLE organisations_membershipinvitation DROP COLUMN made_with_id;",
                )
            ],
            [
                migrations.AddField(
                    "membershipinvitation",
                    "made_with",
                    models.ForeignKey(
                        "accounts.token",
                        django.db.models.deletion.PROTECT,
                        null=True,
                        editable=False,
                        related_name="+",
                        db_index=False,
                    ),
                )
            ],
        ),
    ]
