"""One sub-namespace in front of Django: the same octets and headers, after each change that it could depend on."""

from urllib.parse import quote

import pytest
from django.conf import settings

from registry.accounts.models import User
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.models import Namespace
from registry.subnamespaces.loading import load_subnamespaces
from registry.subnamespaces.models import SubNamespace
from tests.api.namespaces.fast_paths.lookups import Lookup
from tests.resolution.conftest import fixture_profile
from tests.subnamespaces.conftest import GARDENS, LINES, Import, gardens, import_list
from tests.support.factories import a_profile

__all__ = ("gardens", "import_list")
ONE = "/api/v1/namespaces/example-gardens/subnamespace/"
KEW = {"PATH_INFO": ONE, "QUERY_STRING": "prefix=kew"}


@pytest.fixture
def db(real_database: None) -> None:
    """The fast path reads on connections of its own."""


@pytest.fixture
def gardens_in_front(lookup: Lookup, import_list: Import) -> Lookup:
    import_list(LINES + '{"prefix": "a/b:c", "title": "<Bäume>"}\n{"prefix": "Elm", "title": "Elm"}')
    return lookup


@pytest.mark.parametrize(
    ("path", "query"),
    [
        (ONE, "prefix=kew"),
        (ONE.removesuffix("/"), "prefix=kew"),
        (ONE.replace("gardens", "GARDENS"), "prefix=Elm"),
        (ONE, "prefix=a/b:c"),
        (ONE, "prefix=a%2Fb%3ac"),
    ],
)
def test_a_prefix_as_it_is_written_is_answered_in_front(
    gardens_in_front: Lookup, path: str, query: str
) -> None:
    request = {"PATH_INFO": path, "QUERY_STRING": query}
    found = gardens_in_front.answer(**request)
    assert found.status == 200
    assert "RateLimit" not in found.headers
    assert gardens_in_front.answer(**request, REQUEST_METHOD="HEAD").headers == found.headers
    for etag in (found.headers["ETag"], f"W/{found.headers['ETag']}"):
        known = gardens_in_front.answer(**request, HTTP_IF_NONE_MATCH=etag)
        assert (known.status, known.body) == (304, b"")
    assert gardens_in_front.answer(**request, HTTP_IF_NONE_MATCH='"other"').body == found.body
    assert gardens_in_front.answer(**request, HTTP_ACCEPT_ENCODING="gzip, br").body == found.body


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("prefix=KEW", 200),  # another form
        ("prefix=elm", 200),
        ("prefix=+kew", 200),  # Django removes spaces
        ("prefix=kew&prefix=oak", 400),
        ("prefix=kew&q=1", 400),
        ("prefix=kew%00", 400),
        ("prefix=kew%00x", 400),
        ("prefix=none", 404),
        ("prefix=%ff", 400),
        ("prefix=", 400),
        ("", 400),
    ],
)
def test_other_requests_are_left_to_django(gardens_in_front: Lookup, query: str, status: int) -> None:
    gardens_in_front.answer(**KEW)
    assert gardens_in_front.answer_of_django(PATH_INFO=ONE, QUERY_STRING=query).status == status


def test_other_media_types_and_namespaces_are_left_to_django(gardens_in_front: Lookup) -> None:
    gardens_in_front.answer(**KEW)
    assert gardens_in_front.answer_of_django(**KEW, HTTP_ACCEPT="image/png").status == 406
    assert gardens_in_front.answer_of_django(**KEW, HTTP_AUTHORIZATION="Bearer none").status == 401
    assert gardens_in_front.answer_of_django(**KEW, HTTP_ACCEPT_ENCODING="gzip, identity;q=0").status == 200
    unregistered = ONE.replace("example-gardens", "unregistered")
    assert gardens_in_front.answer_of_django(**KEW | {"PATH_INFO": unregistered}).status == 404


def test_each_change_is_answered_at_once(
    gardens_in_front: Lookup, import_list: Import, gardens: Namespace, administrator: User
) -> None:
    """A response that depended on more than its row would be remembered too long, and not be that of Django here."""
    bodies = {gardens_in_front.answer(**KEW).body}
    changes = [
        '{"prefix": "kew", "title": "Kew", "holder": "Another", "source": "List", "as_of": "2026-02-01"}',
        '{"prefix": "kew", "title": "Kew", "status": "retired", "successor": "oak"}',
        '{"prefix": "kew", "title": "Kew", "names": {"pattern": "[0-9]"}}',
        '{"prefix": "kew", "title": "Kew", "names": {"pattern": "[0-9a-f]"}, "url": "https://kew.example.org/"}',
    ]
    for change in changes:
        import_list(change)
        bodies.add(gardens_in_front.answer(**KEW).body)
    assert len(bodies) == len(changes) + 1
    import_list(
        '{"prefix": "kew:north", "title": "The north"}\n{"prefix": "a", "title": "A"}\n{"prefix": "a/b", "title": "B"}'
    )
    profile = a_profile(
        "example-gardens",
        unstated="The gardens decide.",
        levels=[GARDENS | {"name": "park"}, {"of": "*", "name": "bed", "coverage": "free"}],
        examples=("kew:1", "kew:2", "oak:1"),
    )
    set_profile(gardens, by=administrator, profile=profile, basis="Parks.", replaces=1)
    for row in SubNamespace.objects.all():
        gardens_in_front.answer(PATH_INFO=ONE, QUERY_STRING=f"prefix={quote(row.prefix, safe='')}")


@pytest.mark.slow
def test_real_sub_namespaces_are_answered_as_by_django(lookup: Lookup) -> None:
    namespace = Namespace.objects.create(nid="nbn", kind="formal")
    set_profile(namespace, by=None, profile=fixture_profile("nbn"), basis="Loaded", replaces=0)
    load_subnamespaces([("nbn", settings.BASE_DIR / "fixtures" / "subnamespaces" / "nbn.jsonl")])
    prefixes = list(SubNamespace.objects.values_list("prefix", flat=True))
    assert len(prefixes) > 100
    for prefix in prefixes[::10]:
        query = f"prefix={quote(prefix, safe='')}"
        assert (
            lookup.answer(PATH_INFO="/api/v1/namespaces/nbn/subnamespace/", QUERY_STRING=query).status == 200
        )
