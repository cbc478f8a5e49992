"""Migrations after the initial ones, on tables with rows."""

import pytest
from django.core.management import call_command

from registry.cases.models import Invitation
from registry.devserver.migration_safety import later_migrations


@pytest.mark.exhaustive
@pytest.mark.usefixtures("demonstration_database")
def test_later_migrations_run_on_tables_with_rows() -> None:
    """What an empty database accepts may fail on one in use, such as a change of a table after one of its rows."""
    invited = list(Invitation.objects.order_by("pk").values_list("pk", "invited_by"))
    assert invited
    later = {name.partition("/")[0] for name, *_ in later_migrations()}
    for label in sorted(later):
        call_command("migrate", label, "0001", verbosity=0)
    call_command("migrate", verbosity=0)
    assert list(Invitation.objects.order_by("pk").values_list("pk", "invited_by")) == invited
