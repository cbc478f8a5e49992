"""GET /api/v1/statistics/: the numbers of the charts on the pages."""

import csv

import pytest
from django.test import Client

from registry.accounts.models import User
from registry.cases.workflow import functions
from registry.statistics.queries import CHARTS
from tests.api.schema_checks import check_response
from tests.subnamespaces.conftest import Import, gardens, import_list
from tests.support.factories import a_case_in_review, a_namespace, an_imported_namespace

__all__ = ("gardens", "import_list")
STATISTICS = "/api/v1/statistics/"


def test_the_numbers_are_those_of_the_pages(
    client: Client, registrant: User, expert: User, administrator: User, import_list: Import
) -> None:
    import_list()
    an_imported_namespace("isbn", registered_on="2001-01")
    an_imported_namespace("undated")
    a_namespace(by=registrant, expert=expert, administrator=administrator)
    case = a_case_in_review(by=registrant, namespace_identifier="hedges")
    functions.withdraw(case, by=registrant)
    a_case_in_review(by=registrant, namespace_identifier="shrubs")
    response = client.get(STATISTICS)
    check_response("get", response)
    tables = response.json()["results"]
    assert [each["name"] for each in tables] == list(CHARTS)
    for table in tables:
        assert table["rows"]
        head, *rows = csv.reader(client.get(f"/statistics/{table['name']}.csv").text.splitlines())
        assert head[1:] == table["series"]
        assert len(rows) == len(table["rows"])
        for row, (label, *values) in zip(table["rows"], rows, strict=True):
            assert row["label"] == label
            assert row["values"] == [float(value) if value else None for value in values]


@pytest.mark.parametrize("name", ["registered-namespaces", "outcomes"])
def test_an_empty_registry_has_no_rows(client: Client, db: None, name: str) -> None:
    (table,) = (each for each in client.get(STATISTICS).json()["results"] if each["name"] == name)
    assert table["rows"] == []
