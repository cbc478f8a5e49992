"""The stored lookups: emptied by each change, and filled by the next request with the serializer's octets."""

import hashlib
import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import IntegrityError, ProgrammingError, connection, transaction
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from registry.accounts.models import User
from registry.core.digests import digest_of
from registry.namespaces.actions.deprecation import deprecate
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.actions.registration import add_revision, register_informal
from registry.namespaces.actions.transfers import accept_transfer, offer_transfer
from registry.namespaces.lookup import release_tag, store_lookup
from registry.namespaces.models import CachedLookup, Kind, Namespace, Origin, ProfileVersion, Revision
from registry.registration_template.template import RegistrationTemplate
from tests.support.databases import in_sql
from tests.support.factories import a_profile, a_template

PROFILE = a_profile()
AWKWARD = (
    'a "quote", a \\, a / and </script>\ta tab, é, 漢字, 🌳, \u2028, \u2029, \x7f, &amp; \\u0001 %s {} $1'
)


def differences() -> list[str]:
    """The namespaces whose stored lookup, if any, or the one stored now is not the response of the API's view."""
    wrong, reader = [], Client()
    for namespace in Namespace.objects.all():
        before = stored(namespace)
        response = reader.get(f"/api/v1/namespaces/{namespace.nid}/")
        expected = (
            namespace.nid,
            release_tag(),
            response.content,
            hashlib.sha256(response.content).hexdigest()[:32],
            response["Last-Modified"],
        )
        assert response["ETag"] == f'"{expected[3]}"'
        if before[1] is not None and before != expected:
            wrong.append(f"{namespace.nid} was stale")
        if stored(namespace) != expected:
            wrong.append(namespace.nid)
    return wrong


def stored(namespace: Namespace) -> tuple[object, ...]:
    row = CachedLookup.objects.get(namespace=namespace)
    return row.nid, row.release, row.body and bytes(row.body), row.digest, row.last_modified


def looked_up(namespace: Namespace) -> CachedLookup:
    """The stored lookup after a request."""
    Client().get(f"/api/v1/namespaces/{namespace.nid}/")
    return CachedLookup.objects.get(namespace=namespace)


def body_of(namespace: Namespace) -> dict[str, object]:
    body = looked_up(namespace).body
    assert body is not None
    return dict(json.loads(bytes(body)))


@pytest.mark.exhaustive
@pytest.mark.usefixtures("demonstration_database")
def test_the_stored_lookups_of_the_demonstration_equal_the_serializers_output() -> None:
    assert CachedLookup.objects.count() == Namespace.objects.count() > 100
    assert Revision.objects.exists()
    assert differences() == []


def test_the_stored_lookup_is_current_after_every_change_of_a_namespace(
    trees: Namespace, registrant: User, co_editor: User, administrator: User
) -> None:
    informal = register_informal(a_template(namespace_identifier=""), registrant=registrant).namespace
    add_revision(trees, replace(a_template(), purpose=AWKWARD), version=2)
    assert differences() == []
    add_revision(informal, a_template(), version=7, origin=Origin.IANA)
    accept_transfer(offer_transfer(informal, by=registrant, to=co_editor.email), by=co_editor)
    deprecate(informal, by=administrator, statement=AWKWARD, successor=trees)
    profile = a_profile(
        title="“Trees” & \\n <é>", pattern=r'["\\[0-9]+:[0-9]+', ignored_characters="-&'", keywords=["'\\"]
    )
    set_profile(trees, by=administrator, profile=profile, basis=AWKWARD, replaces=0)
    assert differences() == []
    assert body_of(trees)["profile"]["title"] == profile.title  # type: ignore[index]
    assert body_of(informal)["profile"] is None
    unstated = a_profile(unstated="None.")
    set_profile(trees, by=administrator, profile=unstated, basis="No pattern.", replaces=1)
    assert differences() == []
    stored_profile = body_of(trees)["profile"]
    assert (stored_profile["version"], stored_profile["grammar"]["kind"]) == (2, "unstated")  # type: ignore[index]
    assert body_of(informal)["deprecation"]["successor"]["nid"] == "example-trees"  # type: ignore[index]


@pytest.mark.parametrize("fields", [
    {},
    {"holder": AWKWARD, "purpose": AWKWARD},
    {"registered_on": "2001-01", "updated_on": "2017-04-11"},
    {"template_url": "https://example.org/a?b=c&d=“e”"},
    {"references": [{"type": "rfc", "target": AWKWARD, "label": ""}, {"label": "x", "type": "person", "target": ""}]},
    {"references": [{"label": 'a: "b", c\\', "type": '\\": "', "target": ", : \\\\"}]},
    {"references": [{"type": "", "label": "", "target": ""}]},
    {"deprecated_at": datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), "deprecation_statement": "Gone."},
    {"deprecated_at": datetime(2026, 1, 2, 3, 4, 5, 60, tzinfo=UTC), "deprecation_statement": "Gone."},
])  # fmt: skip
def test_so_has_an_imported_one(db: None, fields: dict[str, object]) -> None:
    Namespace.objects.create(nid="imported", kind=Kind.FORMAL, origin=Origin.IANA, **fields)
    assert differences() == []


KEEPABLE = st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from("\t\n")


@given(words=st.text(KEEPABLE, max_size=50), statement=st.text(KEEPABLE, min_size=1, max_size=50))
def test_the_stored_lookup_of_any_text_equals_the_serializers_output(
    trees: Namespace, words: str, statement: str
) -> None:
    Namespace.objects.filter(pk=trees.pk).update(
        holder=words,
        purpose=words,
        deprecated_at=datetime(2026, 1, 1, tzinfo=UTC),
        deprecation_statement=statement,
    )
    assert differences() == []


def test_a_template_with_missing_sections_is_stored_as_the_serializer_renders_it(trees: Namespace) -> None:
    """Sections that are absent are empty (`RegistrationTemplate.from_json`)."""
    revision = Revision.objects.create(
        namespace=trees, version=2, content={"registrant": {}}, text="", digest=""
    )
    Namespace.objects.filter(pk=trees.pk).update(latest=revision)
    assert differences() == []
    assert body_of(trees)["sections"] == RegistrationTemplate().to_json()


def test_the_digest_changes_only_with_the_body(
    trees: Namespace, registrant: User, co_editor: User, administrator: User
) -> None:
    def digest() -> str:
        return str(looked_up(trees).digest)

    seen = [digest()]
    Namespace.objects.filter(pk=trees.pk).update(holder=trees.holder)
    Namespace.objects.create(nid="another", kind=Kind.FORMAL)
    assert digest() == seen[0], "other namespaces do not show"
    accept_transfer(offer_transfer(trees, by=registrant, to=co_editor.email), by=co_editor)
    seen.append(digest())
    add_revision(trees, a_template(), version=2)
    seen.append(digest())
    deprecate(trees, by=administrator, statement="No more.")
    seen.append(digest())
    set_profile(trees, by=administrator, profile=a_profile(), basis="Syntax.", replaces=0)
    seen.append(digest())
    assert len(set(seen)) == 5


def test_profiles_inserted_in_one_statement_invalidate_every_lookup(
    trees: Namespace, registrant: User, administrator: User
) -> None:
    """As they do when an escrow is restored: many at once, in no order, the last of each namespace empty or not."""
    other = register_informal(a_template(namespace_identifier=""), registrant=registrant).namespace
    contents = {namespace.nid: a_profile(namespace.nid).to_dict() for namespace in (trees, other)}
    ProfileVersion.objects.bulk_create(
        ProfileVersion(
            namespace=namespace,
            version=version,
            content=contents[namespace.nid] if is_set else None,
            digest=digest_of(contents[namespace.nid]),
            basis="Syntax.",
            set_by=administrator,
        )
        for namespace, version, is_set in (
            (trees, 2, True),
            (other, 2, False),
            (trees, 1, True),
            (other, 1, True),
        )
    )
    versions = dict(Namespace.objects.values_list("nid", "profile__version"))
    assert versions == {"example-trees": 2, "urn-1": None}
    assert differences() == []
    assert body_of(trees)["profile"]["version"] == 2  # type: ignore[index]
    assert body_of(other)["profile"] is None


def test_a_rolled_back_change_is_not_served(trees: Namespace) -> None:
    looked_up(trees)
    before = stored(trees)
    with transaction.atomic():
        Namespace.objects.filter(pk=trees.pk).update(purpose="never said")
        assert body_of(trees)["purpose"] == "never said"
        transaction.set_rollback(True)
    assert stored(trees) == before


def test_namespaces_inserted_with_copy_have_lookups(db: None) -> None:
    columns = 'nid, kind, origin, holder, purpose, registered_on, updated_on, "references", template_url, \
deprecation_statement, changed_at'
    with (
        connection.cursor() as cursor,
        cursor.copy(f"COPY namespaces_namespace ({columns}) FROM STDIN") as copy,
    ):
        for number in range(50):
            now = datetime(2026, 1, 1, tzinfo=UTC)
            copy.write_row(
                (f"copied-{number}", "formal", "iana", "Somebody", AWKWARD, "", "", "[]", "", "", now)
            )
    assert CachedLookup.objects.count() == 50
    assert differences() == []


@pytest.mark.parametrize("change", [
    "UPDATE namespaces_namespace SET holder = holder",
    "UPDATE namespaces_namespace SET latest_id = latest_id",
    """INSERT INTO namespaces_revision
    (namespace_id, version, content, text, commitments, digest, origin, registered_at)
    SELECT namespace_id, version + 1, content, text, commitments, digest, origin, registered_at
    FROM namespaces_revision""",
    f"""INSERT INTO namespaces_profileversion (namespace_id, version, content, digest, basis, set_by_id, set_at)
    SELECT id, 1, '{json.dumps(PROFILE.to_dict())}', '{digest_of(PROFILE.to_dict())}', 'Syntax.', registrant_id, now()
    FROM namespaces_namespace""",
])  # fmt: skip
def test_every_change_empties_the_lookup_and_raises_its_generation(trees: Namespace, change: str) -> None:
    before = looked_up(trees)
    assert before.body
    in_sql(change)
    after = CachedLookup.objects.get(namespace=trees)
    assert (after.release, after.body, after.digest, after.last_modified) == (None, None, None, None)
    assert after.generation > before.generation
    assert differences() == []


@pytest.mark.parametrize("offset", [-1, 1])
def test_a_response_of_another_generation_is_not_stored(trees: Namespace, offset: int) -> None:
    generation = CachedLookup.objects.get(namespace=trees).generation
    assert not store_lookup(trees.pk, generation + offset, b"{}", "")
    assert stored(trees)[1:] == (None, None, None, None)
    assert store_lookup(trees.pk, generation, b"{}", "")
    assert not store_lookup(trees.pk, generation + offset, b"[]", "")
    assert stored(trees)[2] == b"{}"


def test_another_release_or_origin_stores_the_response_again(trees: Namespace, settings: Any) -> None:
    here = looked_up(trees)
    settings.PUBLIC_ORIGIN = "https://elsewhere.example.org"
    there = looked_up(trees)
    assert here.release != there.release == release_tag()
    assert b'"https://elsewhere.example.org/namespaces/example-trees/"' in bytes(there.body or b"")


def test_a_stored_response_is_not_stored_again(trees: Namespace, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_up(trees)
    monkeypatch.setattr("registry.api.namespaces.views.store_lookup", lambda *_: pytest.fail("stored again"))
    looked_up(trees)


@pytest.mark.parametrize("statement", [
    "UPDATE namespaces_cachedlookup SET body = '{}'",
    "UPDATE namespaces_cachedlookup SET generation = 0",
    "INSERT INTO namespaces_cachedlookup VALUES (99, 'made-up', 1)",
    "DELETE FROM namespaces_cachedlookup",
    "TRUNCATE namespaces_cachedlookup",
])  # fmt: skip
@pytest.mark.parametrize("is_filled", [False, True])
def test_nothing_else_writes_a_stored_lookup(trees: Namespace, statement: str, is_filled: bool) -> None:
    if is_filled:
        looked_up(trees)
    before = stored(trees)
    with pytest.raises((IntegrityError, ProgrammingError), match="refused"), transaction.atomic():
        connection.cursor().execute(statement)
    assert stored(trees) == before
