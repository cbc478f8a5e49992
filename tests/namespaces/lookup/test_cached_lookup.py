"""The answers that the database keeps ready: octet for octet the serializer's, whatever happened to a namespace."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from django.conf import settings
from django.db import IntegrityError, ProgrammingError, connection, transaction
from django.test import Client
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from registry.accounts.models import User
from registry.devserver import demonstration
from registry.namespaces.lookup.cached_lookup import ORIGIN_PLACEHOLDER, etag
from registry.namespaces.models import CachedLookup, Kind, Namespace, Origin, Revision, RulesVersion
from registry.namespaces.services.deprecation import deprecate
from registry.namespaces.services.registration import add_revision, register_formal, register_informal
from registry.namespaces.services.rules import set_rules
from registry.namespaces.services.transfers import accept_transfer, offer_transfer
from registry.registration_template.template import RegistrationTemplate
from tests.support.factories import a_template

AWKWARD = (
    'a "quote", a \\, a / and </script>\ta tab, é, 漢字, 🌳, \u2028, \u2029, \x7f, &amp; \\u0001 %s {} $1'
)


def differences() -> list[str]:
    """The namespaces whose answer, or its ETag, is not the one that the serializer's view gives."""
    wrong, reader = [], Client()
    for namespace in Namespace.objects.select_related("cached_lookup"):
        made = reader.get(f"/api/v1/namespaces/{namespace.nid}/")
        kept = namespace.cached_lookup.body.replace(ORIGIN_PLACEHOLDER, settings.PUBLIC_ORIGIN)
        tag = etag(namespace.cached_lookup.digest)
        if (kept.encode(), tag, namespace.nid) != (made.content, made["ETag"], namespace.cached_lookup.nid):
            wrong.append(namespace.nid)
        if namespace.cached_lookup.last_modified != made["Last-Modified"]:
            wrong.append(namespace.nid)
    return wrong


def page_report_for(namespace: Namespace) -> CachedLookup:
    return CachedLookup.objects.get(nid=namespace.nid)


@pytest.fixture
def trees(registrant: User) -> Namespace:
    return register_formal(a_template(), registrant=registrant).namespace


def test_every_namespace_of_the_demonstration_has_the_serializers_answer(db: None) -> None:
    demonstration.load_demonstration()
    assert CachedLookup.objects.count() == Namespace.objects.count() > 100
    assert Revision.objects.exists()
    assert differences() == []


def test_so_has_whatever_was_registered_revised_deprecated_or_transferred(
    trees: Namespace, registrant: User, co_editor: User, administrator: User
) -> None:
    informal = register_informal(a_template(namespace_identifier=""), registrant=registrant).namespace
    add_revision(trees, replace(a_template(), purpose=AWKWARD), version=2)
    assert differences() == []
    add_revision(informal, a_template(), version=7, origin=Origin.IANA)
    accept_transfer(offer_transfer(informal, by=registrant, to=co_editor), by=co_editor)
    deprecate(informal, by=administrator, statement=AWKWARD, successor=trees)
    set_rules(
        trees,
        by=administrator,
        basis=AWKWARD,
        replaces=0,
        nss_pattern=r'["\\[!-~]+',
        ignored_characters="-&'",
    )
    assert CachedLookup.objects.filter(body__contains='"rules":{"version":1,').count() == 1
    assert differences() == []
    set_rules(trees, by=administrator, basis="No pattern.", replaces=1, ignores_case=True)
    assert CachedLookup.objects.filter(body__contains='"rules":{"version":2,"nss_pattern":null').count() == 1
    assert CachedLookup.objects.filter(body__contains='"successor":{"nid":"example-trees"').count() == 1
    assert differences() == []


@pytest.mark.parametrize("fields", [
    {},
    {"holder": AWKWARD, "purpose": AWKWARD},
    {"registered_on": "2001-01", "updated_on": "2017-04-11"},
    {"template_url": "https://example.org/a?b=c&d=“e”"},
    {"references": [{"type": "rfc", "target": AWKWARD, "label": ""}, {"label": "x", "type": "person", "target": ""}]},
    {"references": [{"label": 'a: "b", c\\', "type": '\\": "', "target": ", : \\\\"}]},
    {"references": [{}]},
    {"deprecated_at": datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), "deprecation_statement": "Gone."},
    {"deprecated_at": datetime(2026, 1, 2, 3, 4, 5, 60, tzinfo=UTC), "deprecation_statement": "Gone."},
])  # fmt: skip
def test_so_has_an_imported_one(db: None, fields: dict[str, object]) -> None:
    Namespace.objects.create(nid="imported", kind=Kind.FORMAL, origin=Origin.IANA, **fields)
    assert differences() == []


KEEPABLE = st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from("\t\n")


@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(words=st.text(KEEPABLE, max_size=50), statement=st.text(KEEPABLE, min_size=1, max_size=50))
def test_so_has_one_of_any_words(trees: Namespace, words: str, statement: str) -> None:
    Namespace.objects.filter(pk=trees.pk).update(
        holder=words,
        purpose=words,
        deprecated_at=datetime(2026, 1, 1, tzinfo=UTC),
        deprecation_statement=statement,
    )
    assert differences() == []


def test_a_template_with_missing_sections_is_answered_as_it_is_read(trees: Namespace) -> None:
    """Sections that are absent are empty (`RegistrationTemplate.from_json`)."""
    revision = Revision.objects.create(
        namespace=trees, version=2, content={"registrant": {}}, text="", digest=""
    )
    Namespace.objects.filter(pk=trees.pk).update(latest=revision)
    assert differences() == []
    assert (
        json.loads(page_report_for(trees).body, strict=False)["sections"] == RegistrationTemplate().to_json()
    )


def test_the_digest_changes_with_the_answer_and_only_then(
    trees: Namespace, registrant: User, co_editor: User, administrator: User
) -> None:
    def digest() -> str:
        return page_report_for(trees).digest

    seen = [digest()]
    Namespace.objects.filter(pk=trees.pk).update(holder=trees.holder)
    accept_transfer(offer_transfer(trees, by=registrant, to=co_editor), by=co_editor)
    Namespace.objects.create(nid="another", kind=Kind.FORMAL)
    assert digest() == seen[0], "accounts and other namespaces do not show"
    add_revision(trees, a_template(), version=2)
    seen.append(digest())
    deprecate(trees, by=administrator, statement="No more.")
    seen.append(digest())
    set_rules(trees, by=administrator, basis="Syntax.", replaces=0, ignores_case=True)
    seen.append(digest())
    assert len(set(seen)) == 4


def test_rules_that_come_in_one_statement_reach_every_answer(
    trees: Namespace, registrant: User, administrator: User
) -> None:
    """As they do when an escrow is restored: many at once, in no order, the last of each namespace empty or not."""
    other = register_informal(a_template(namespace_identifier=""), registrant=registrant).namespace
    RulesVersion.objects.bulk_create(
        RulesVersion(
            namespace=namespace, version=version, ignores_case=is_set, basis="Syntax.", set_by=administrator
        )
        for namespace, version, is_set in (
            (trees, 2, True),
            (other, 2, False),
            (trees, 1, True),
            (other, 1, True),
        )
    )
    versions = dict(Namespace.objects.values_list("nid", "rules__version"))
    assert versions == {"example-trees": 2, "urn-1": None}
    assert differences() == []
    assert json.loads(page_report_for(trees).body, strict=False)["rules"]["version"] == 2
    assert json.loads(page_report_for(other).body, strict=False)["rules"] is None


def test_what_is_rolled_back_is_not_answered(trees: Namespace) -> None:
    before = page_report_for(trees).body
    with transaction.atomic():
        Namespace.objects.filter(pk=trees.pk).update(purpose="never said")
        assert "never said" in page_report_for(trees).body
        transaction.set_rollback(True)
    assert page_report_for(trees).body == before


def test_namespaces_that_come_by_copy_have_their_answers(db: None) -> None:
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


@pytest.mark.parametrize("statement", [
    "UPDATE namespaces_cachedlookup SET body = '{}'",
    "INSERT INTO namespaces_cachedlookup VALUES (99, 'made-up', '{}', '', '')",
    "DELETE FROM namespaces_cachedlookup",
    "TRUNCATE namespaces_cachedlookup",
])  # fmt: skip
def test_nobody_else_writes_an_answer(trees: Namespace, statement: str) -> None:
    before = page_report_for(trees).body
    with pytest.raises((IntegrityError, ProgrammingError), match="refused"), transaction.atomic():
        connection.cursor().execute(statement)
    assert page_report_for(trees).body == before
