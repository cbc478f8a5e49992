"""Validates the constraint of the kinds of mail, without a lock that blocks writers."""

from django.contrib.postgres.operations import ValidateConstraint
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("mail", "0002_mentions")]

    operations = [ValidateConstraint("mailpreference", "mail_kind_is_known")]
