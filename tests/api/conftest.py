"""What the API's tests look at: a few namespaces, and functions to look with."""

from typing import Any

import pytest

from registry.accounts.models import User
from registry.cases.models import Case
from registry.namespaces.actions.registration import register_formal, register_revision
from registry.namespaces.models import Namespace, Revision
from tests.api.client import TokenClient
from tests.support.factories import a_draft, a_template, an_imported_namespace


@pytest.fixture(autouse=True)
def counted(request: pytest.FixtureRequest) -> None:
    """Every answer of the API counts the request, also one that needs nothing else of the database."""
    others = {"demonstration_database", "real_database", "six_thousand"}.intersection(request.fixturenames)
    request.getfixturevalue(others.pop() if others else "db")


@pytest.fixture
def django_assert_num_queries(django_assert_num_queries: Any) -> Any:
    """Expect this number of queries for the response, in addition to the one that counts the request."""
    return lambda number: django_assert_num_queries(number + 1)


@pytest.fixture
def case(registrant: User) -> Case:
    return a_draft(by=registrant)


@pytest.fixture
def token_client(registrant: User) -> TokenClient:
    return TokenClient(registrant)


@pytest.fixture
def isbn(db: None) -> Namespace:
    """As IANA's registry knows it: no text, a month for a date."""
    return an_imported_namespace(
        nid="isbn",
        holder="Example ISBN Agency",
        registered_on="2001-01",
        updated_on="2017-04-11",
        references=[{"type": "rfc", "target": "rfc8254", "label": "RFC 8254"}],
        template_url="https://www.iana.org/assignments/urn-formal/isbn",
    )


@pytest.fixture
def trees(registrant: User) -> Namespace:
    """Registered here, with its text."""
    return register_formal(a_template(), registrant=registrant).namespace


def revise(namespace: Namespace, **changes: Any) -> Revision:
    version = Namespace.objects.get(pk=namespace.pk).version + 1
    changed = a_template(namespace_identifier=namespace.nid, version=version, **changes)
    return register_revision(namespace, changed)
