from django.contrib.postgres.operations import ValidateConstraint
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("cases", "0002_grantor_of_invitations")]

    operations = [
        ValidateConstraint("invitation", "co_editor_invitation_names_who_invited"),
        migrations.RunSQL(
            "ALTER TABLE cases_invitation VALIDATE CONSTRAINT cases_invitation_invited_by_fk;",
            migrations.RunSQL.noop,
        ),
        migrations.RunSQL(
            "ALTER TABLE cases_invitation VALIDATE CONSTRAINT cases_invitation_made_with_fk;",
            migrations.RunSQL.noop,
        ),
    ]
