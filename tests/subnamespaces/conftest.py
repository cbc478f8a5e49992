"""A namespace with levels: gardens, whose list is complete, and their beds."""

from collections.abc import Callable

import pytest

from registry.accounts.models import User
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.models import Kind, Namespace, Origin
from registry.subnamespaces.importing import ListFormat, import_subnamespaces
from registry.subnamespaces.models import ListVersion
from tests.support.factories import a_profile

SOURCE = {
    "document": "List of gardens",
    "url": "https://gardens.example.org/list",
    "stated_on": "2026-01-31",
}
GARDENS = {"name": "garden", "coverage": "complete", "rest": "a bed", "source": SOURCE}
LINES = '{"prefix": "kew", "title": "Gardens at Kew", "holder": "Board of Kew"}\n{"prefix": "oak", "title": "Oak Park"}\n'


@pytest.fixture
def gardens(administrator: User) -> Namespace:
    namespace = Namespace.objects.create(nid="example-gardens", kind=Kind.FORMAL, origin=Origin.IANA)
    profile = a_profile(
        "example-gardens",
        unstated="The gardens decide.",
        ignores_case=True,
        levels=[GARDENS],
        examples=("kew:1", "kew:2", "oak:1"),
    )
    set_profile(namespace, by=administrator, profile=profile, basis="The list says so.", replaces=0)
    namespace.refresh_from_db()
    return namespace


Import = Callable[..., ListVersion]


@pytest.fixture
def import_list(gardens: Namespace, administrator: User) -> Import:
    def run(document: str = LINES, **options: object) -> ListVersion:
        last = gardens.subnamespace_list_versions.last()
        given = {"list_format": ListFormat.JSON_LINES, "basis": "The list of gardens, 2026-01-31."} | options
        made = import_subnamespaces(
            gardens, by=administrator, document=document, replaces=last.version if last else 0, **given
        )
        gardens.refresh_from_db()
        return made

    return run
