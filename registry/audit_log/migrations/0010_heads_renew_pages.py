"""A head renews the kept pages: those that show events link their proofs from then on."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("audit_log", "0009_chain_by_index"), ("core", "0001_initial")]

    operations = [
        migrations.RunSQL(
            "CALL renew_change_token('audit_log_signedhead', 'INSERT')",
            "DROP TRIGGER changes_public_pages ON audit_log_signedhead",
        )
    ]
