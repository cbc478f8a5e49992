"""The fast lookup after changes, in a read-only database, and without a database."""

import json
from typing import Any

import pytest
from django.db import connection, connections, transaction
from rest_framework.serializers import SerializerMethodField

from registry.accounts.models import RoleName
from registry.api.namespaces.serializers import NamespaceDetailSerializer
from registry.core.http.internal_requests import build_request
from registry.namespaces.actions.deprecation import deprecate
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.actions.registration import register_formal
from registry.namespaces.models import CachedLookup, Namespace
from tests.api.conftest import revise
from tests.api.namespaces.fast_paths.lookups import ISBN, Lookup
from tests.support.factories import a_person, a_profile, a_template


def test_the_lookup_after_a_change_shows_it(lookup: Lookup) -> None:
    administrator = a_person(email="root@example.org", roles=(RoleName.ADMINISTRATOR,))
    registrant = a_person(email="registrant@example.org")
    trees = register_formal(a_template(), registrant=registrant).namespace
    path = f"/api/v1/namespaces/{trees.nid}"
    seen = [lookup.answer(PATH_INFO=path)]
    with transaction.atomic():
        revise(trees, revision_information="Shrubs, too.")
    seen.append(lookup.answer(PATH_INFO=path))
    deprecate(trees, by=administrator, statement="No more.", successor=Namespace.objects.get(nid="isbn"))
    seen.append(lookup.answer(PATH_INFO=path))
    assert [b"Shrubs, too." in each.body for each in seen] == [False, True, True]
    assert [b'"successor":{"nid":"isbn"' in each.body for each in seen] == [False, False, True]
    for before in seen[:-1]:
        again = lookup.answer(PATH_INFO=path, HTTP_IF_NONE_MATCH=before.headers["ETag"])
        assert again == seen[-1]


def test_the_lookup_after_a_new_profile_shows_it(lookup: Lookup) -> None:
    namespace = Namespace.objects.get(nid="isbn")
    before = lookup.answer()
    seen = [before.headers["ETag"]]
    for version, profile in enumerate(
        [a_profile("isbn", title="Books"), a_profile("isbn", title="Prints"), None]
    ):
        set_profile(namespace, by=None, profile=profile, basis="Syntax.", replaces=version)
        after = lookup.answer(HTTP_IF_NONE_MATCH=seen[-1])
        assert after.status == 200
        assert (profile.title.encode() in after.body) if profile else _facts(after) == _facts(before)
        seen.append(after.headers["ETag"])
    assert len(set(seen)) == 4


def _facts(answer: Any) -> dict[str, Any]:
    """All members but the time of the last change."""
    return {name: value for name, value in json.loads(answer.body).items() if name != "changed_at"}


def test_django_handles_and_stores_the_first_lookup_after_a_change(lookup: Lookup) -> None:
    assert lookup.answer().status == 200
    Namespace.objects.update(purpose="Names books.")
    assert b"Names books." in lookup.answer_of_django().body
    before = lookup.passed_on
    assert b"Names books." in lookup.answer().body
    assert lookup.passed_on == before


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "accept", ["text/plain", "application/xml", "application/ld+json", "application/json;q=0.5"]
)
def test_every_format_stores_the_same_lookup(lookup: Lookup, accept: str) -> None:
    Namespace.objects.update(purpose="Names books.")
    assert lookup.answer_of_django(HTTP_ACCEPT=accept).status == 200
    before = lookup.passed_on
    assert lookup.answer().headers["Content-Type"] == "application/json"
    assert lookup.passed_on == before


def test_a_member_that_the_serializer_gets_is_in_the_fast_lookup(
    lookup: Lookup, monkeypatch: pytest.MonkeyPatch
) -> None:
    class WithInitial(NamespaceDetailSerializer):
        initial = SerializerMethodField()

        class Meta(NamespaceDetailSerializer.Meta):
            fields = (*NamespaceDetailSerializer.Meta.fields, "initial")

        def get_initial(self, namespace: Namespace) -> str:
            return namespace.nid[0]

    Namespace.objects.update(purpose="Names books.")
    monkeypatch.setattr("registry.api.namespaces.views.NamespaceDetailSerializer", WithInitial)
    assert lookup.answer().body.endswith(b',"initial":"i"}')


def test_lookups_work_in_a_read_only_database(lookup: Lookup) -> None:
    Namespace.objects.update(purpose="Names books.")
    with connection.cursor() as cursor:
        cursor.execute("SET default_transaction_read_only = on")
        for _ in range(2):
            assert b"Names books." in lookup.answer_of_django().body
        cursor.execute("SET default_transaction_read_only = off")
    assert b"Names books." in lookup.answer().body


def test_requests_of_the_snapshot_store_nothing(lookup: Lookup) -> None:
    Namespace.objects.update(purpose="Names books.")
    assert b"Names books." in lookup.django.get_response(build_request(f"{ISBN}/")).content
    assert not CachedLookup.objects.exclude(body=None).exists()


@pytest.mark.parametrize("readers", [1, 3])
def test_the_next_lookup_succeeds_after_the_database_closed_the_connections(
    lookup: Lookup, readers: int
) -> None:
    lookup.reader._free.extend(link for _ in range(readers) if (link := lookup.reader._connect()))
    before = lookup.answer()
    cut = [link.info.backend_pid for link in lookup.reader._free]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FILTER (WHERE pg_terminate_backend(pid, 5000)) FROM unnest(%s) pid", [cut]
        )
        assert cursor.fetchone() == (readers,)
    assert lookup.answer() == before
    assert len(lookup.reader._free) == 1


def test_without_a_database_the_response_is_an_immediate_problem(
    lookup: Lookup, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    lookup.reader.close()
    connections.close_all()
    with monkeypatch.context() as patch:
        patch.setitem(connection.settings_dict, "HOST", str(tmp_path))
        refused = lookup.answer_of_django()
        assert (refused.status, refused.headers["Retry-After"]) == (503, "5")
        assert refused.headers["Content-Type"] == "application/problem+json"
        assert b"/problems/unavailable/" in refused.body
        assert str(tmp_path).encode() not in refused.body
    lookup.reader._paused_until = 0.0
    assert lookup.answer().status == 200


def test_a_slow_statement_is_cancelled(lookup: Lookup, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the table is locked, the lookup waits no longer than its timeout, and passes the request to Django."""
    monkeypatch.setattr("registry.core.database.prepared_reader.STATEMENT_TIMEOUT", "50ms")
    monkeypatch.setattr(lookup, "django", lambda environ, start: start("503 Service Unavailable", []) or [])
    holder = connection.copy()
    with holder.cursor() as cursor:
        holder.set_autocommit(False)
        cursor.execute("LOCK TABLE namespaces_cachedlookup IN ACCESS EXCLUSIVE MODE")
        assert lookup.answer_of_django().status == 503
        holder.rollback()
    holder.close()
