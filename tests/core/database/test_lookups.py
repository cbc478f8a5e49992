"""The lookup `any` finds what `in` finds, with one parameter."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from registry.namespaces.models import Namespace
from tests.support.factories import an_imported_namespace

AWKWARD = ["isbn", "a,b", "{a}", 'a"b', "a\\b", "NULL", "'; DROP TABLE x; --", "%s", "ISBN", ""]


@pytest.mark.parametrize(
    "texts", [AWKWARD, [], ["uuid"], {"isbn", "uuid"}, [f"nid{number}" for number in range(2000)]]
)
def test_it_finds_what_in_finds(db: None, texts: list[str]) -> None:
    for nid in ("isbn", "uuid", "nid7"):
        an_imported_namespace(nid=nid)
    with CaptureQueriesContext(connection) as queries:
        found = set(Namespace.objects.filter(nid__any=texts))
    assert found == set(Namespace.objects.filter(nid__in=texts))
    assert len(queries) == 1


def test_it_is_combined_with_other_conditions(db: None) -> None:
    an_imported_namespace(nid="isbn")
    assert Namespace.objects.exclude(nid__any=["uuid"]).filter(kind="formal", nid__any=["isbn"]).exists()
    assert not Namespace.objects.exclude(nid__any=["isbn"]).exists()


@pytest.mark.parametrize("texts", [["a\0b"], ["a", "\0"], ["\0"]])
def test_a_text_with_nul_is_refused_and_not_two_texts(texts: list[str]) -> None:
    with pytest.raises(ValueError, match="NUL"):
        str(Namespace.objects.filter(nid__any=texts).query)
