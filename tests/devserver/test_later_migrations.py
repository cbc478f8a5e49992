"""Migrations after the initial ones, on tables with rows."""

import pytest
from django.core.management import call_command
from django.db import IntegrityError, connection
from django.db.migrations.executor import MigrationExecutor

from registry.cases.models import Invitation
from registry.core.names import comparison_form
from registry.devserver.migration_safety import later_migrations
from registry.organisations.models import Organisation


@pytest.mark.exhaustive
@pytest.mark.usefixtures("demonstration_database")
def test_later_migrations_run_on_tables_with_rows() -> None:
    """What an empty database accepts may fail on one in use, such as a change of a table after one of its rows."""
    invited = list(Invitation.objects.order_by("pk").values_list("pk", "invited_by"))
    assert invited
    later = {name.partition("/")[0] for name, *_ in later_migrations()}
    executor = MigrationExecutor(connection)
    executor.migrate(
        [(label, executor.loader.get_migration_by_prefix(label, "0001").name) for label in later]
    )
    call_command("migrate", verbosity=0)
    assert list(Invitation.objects.order_by("pk").values_list("pk", "invited_by")) == invited


@pytest.mark.exhaustive
@pytest.mark.usefixtures("real_database")
def test_an_index_that_was_not_built_to_its_end_is_built_again() -> None:
    call_command("migrate", "organisations", "0004", verbosity=0)
    form = comparison_form("Example")
    organisations = [Organisation.objects.create(name="Example", name_form=form) for _ in range(2)]
    with pytest.raises(IntegrityError):
        call_command("migrate", "organisations", verbosity=0)
    Organisation.objects.filter(pk=organisations[1].pk).update(name_form=None)
    call_command("migrate", "organisations", verbosity=0)
    with pytest.raises(IntegrityError, match="one_organisation_per_name"):
        Organisation.objects.create(name="Example", name_form=form)
