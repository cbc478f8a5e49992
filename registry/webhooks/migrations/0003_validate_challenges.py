from django.contrib.postgres.operations import ValidateConstraint
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("webhooks", "0002_challenges")]

    operations = [ValidateConstraint("webhook", "confirmed_webhook_is_not_challenged")]
