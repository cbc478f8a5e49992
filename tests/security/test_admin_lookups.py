"""/admin/ answers no question about columns that it does not show, and logs what administrators read.

An administrator once read a password reset key with 226 requests of the form `?body__regex=^A`.
"""

import json
import re
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from django.db import connection
from django.db.models import Model
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from registry.accounts.models import Scope, Token, User
from registry.audit_log.models import Event
from registry.cases.models import Case
from registry.mail.models import Message
from registry.review_desk.admin import admin_site
from tests.support.browser import signed_in
from tests.support.factories import a_body, a_case_in_review, a_namespace

RESET_KEY = "4-cz1f2b-9d8e7c6b5a"
# Columns that administrators must not learn anything about, written by hand.
SECRET = {
    User: {"password"},
    Event: {"salts"},
    Token: {"digest"},
    Message: {"body", "subject"},
    Case: {"draft", "draft_profile", "draft_replies", "draft_stamp", "draft_saved_at"},
}
# The only filters, written by hand; each by its exact value.
ALLOWED = {
    "mail.BouncedAddress": {"address"},
    "domains.OrganisationDomain": {"domain"},
    "accounts.Body": {"recognition", "name"},
    "accounts.Role": {"name"},
    "accounts.User": {"is_active", "email", "name"},
    "audit_log.Event": {"number", "nid", "case_number"},
    "audit_log.SignedHead": {"size"},
    "cases.Case": {"state", "kind", "procedure", "pk", "requested_nid"},
    "cases.Review": {"verdict"},
    "cases.Round": {"case__pk"},
    "custody.NamespaceClaim": {"status", "namespace__nid"},
    "custody.NamespaceContact": {"namespace__nid", "email"},
    "namespaces.Namespace": {"kind", "nid"},
    "namespaces.Revision": {"namespace__nid"},
    "namespaces.ProfileVersion": {"namespace__nid"},
    "organisations.Membership": {"part"},
    "organisations.Organisation": {"pk"},
    "publication.IanaRecord": {"nid"},
    "sightings.Sighting": {"state", "nid"},
    "resolution.ConfirmedHost": {"namespace__nid", "host"},
    "resolution.ServiceHealth": {"namespace__nid", "state"},
}
EXACT = {"", "__exact", "__isnull"}
# Columns whose names sound like secrets, and are public.
PUBLIC_DIGESTS = {
    "audit_log.ChainHead.digest",
    "audit_log.Event.digest",
    "audit_log.Event.text_digest",
    "cases.Round.digest",
    "namespaces.ProfileVersion.digest",
    "namespaces.Revision.digest",
    "publication.IanaRegistry.digest",
    "publication.OriginalText.digest",
}
SOUNDS_SECRET = re.compile("password|secret|digest|token|key|draft|hash|salt")
# Django fetches a row by its key for the session, and for a foreign key on the page of a row.
FETCH_BY_KEY = re.compile(r'WHERE "\w+"\."id" = \d+ LIMIT 21$')

TABLES: list[tuple[type[Model], Any]] = list(admin_site._registry.items())
tables = pytest.mark.parametrize(("model", "table"), TABLES, ids=[model._meta.label for model, _ in TABLES])
# What the lists of the admin understand.
QUERIES = (
    "?o=1.-2.3.-4.5.99.x", "?o=-99", "?_facets=1", "?_popup=1", "?_to_field=pk", "?q=4", "?q=password", "?all=",
    "?p=2", "?e=1",
)  # fmt: skip


def list_of(model: type[Model]) -> str:
    return f"/admin/{model._meta.app_label}/{model._meta.model_name}/"


def lookups_of(field: Any, depth: int = 2) -> Iterator[str]:
    """Yield each lookup of a column, and those through the relations of the column and back to it."""
    yield field.name
    yield from (f"{field.name}__{lookup}" for lookup in field.get_lookups())
    if field.related_model and depth:
        for each in field.related_model._meta.get_fields():
            if each.concrete:
                yield from (f"{field.name}__{lookup}" for lookup in lookups_of(each, depth - 1))
            else:
                yield f"{field.name}__{each.name}__pk"


@tables
def test_only_declared_fields_are_filters(model: type[Model], table: Any) -> None:
    allowed = {name + lookup for name in ALLOWED.get(model._meta.label, ()) for lookup in EXACT}
    tried = [lookup for field in model._meta.concrete_fields for lookup in lookups_of(field)]
    tried += [f"{each.name}__pk" for each in model._meta.related_objects]
    assert len(tried) > 5
    assert {lookup for lookup in tried if table.lookup_allowed(lookup, "1", None)} <= allowed


@tables
def test_hidden_columns_are_in_no_part_of_a_table(model: type[Model], table: Any) -> None:
    assert table.hidden == SECRET.get(model, set())
    declared = [*table.list_display, *table.list_filter, *table.search_fields, *table.ordering]
    names = {name.strip("-=^@").partition("__")[0] for name in [*declared, *table.get_fields(None)]}
    assert names.isdisjoint(table.hidden)


@tables
def test_a_column_with_a_secret_name_is_hidden_or_listed_as_public(model: type[Model], table: Any) -> None:
    shown = {f"{model._meta.label}.{name}" for name in table.get_fields(None)}
    assert {name for name in shown if SOUNDS_SECRET.search(name.rpartition(".")[2])} <= PUBLIC_DIGESTS


@pytest.fixture
def something(registrant: User, expert: User, administrator: User) -> None:
    """A row with a secret in each table that has one."""
    a_namespace(by=registrant, expert=expert, administrator=administrator)
    a_case_in_review(by=registrant, body=a_body(), namespace_identifier="example-oaks", syntax="Opaque.")
    Token.objects.create(
        owner=registrant, name="laptop", digest="d" * 64, scopes=[Scope.READ], expires_at=timezone.now()
    )
    Message.objects.create(
        name="password_reset_key", to="a@example.org", subject="SUBJECT", body=f"/key/{RESET_KEY}/"
    )


@pytest.fixture
def client(something: None, administrator: User) -> Client:
    return signed_in(administrator)


def test_a_secret_cannot_be_guessed(client: Client) -> None:
    for model, columns in SECRET.items():
        for column, lookup in product(columns, ["", "__regex", "__startswith", "__gt", "__isnull"]):
            answer = client.get(list_of(model), {f"{column}{lookup}": "4"})
            assert answer.status_code == 400, (model, column, lookup)
            assert RESET_KEY not in answer.text


def test_a_secret_is_not_reached_by_another_way(client: Client) -> None:
    for path in (
        "/admin/accounts/role/?user__password__startswith=p",
        "/admin/accounts/token/?owner__password__startswith=p",
        "/admin/accounts/user/?tokens__digest__startswith=d",
        "/admin/audit_log/event/?actor__password__regex=p",
        "/admin/cases/round/?case__draft__icontains=e",
        "/admin/namespaces/namespace/?cases__draft__icontains=e",
        "/admin/accounts/user/?email=a&password__regex=p",
        "/admin/accounts/user/?_to_field=password",
        "/admin/accounts/user/?_popup=1&_to_field=email",
        "/admin/accounts/token/?_popup=1&_to_field=digest",
    ):
        assert client.get(path).status_code == 400, path


@pytest.mark.sampled(5)
@pytest.mark.parametrize("model", SECRET)
def test_no_query_of_the_database_reads_a_secret(client: Client, model: type[Model]) -> None:
    row = model._default_manager.order_by("-pk")[0]
    page = f"{list_of(model)}{row.pk}/change/"
    paths = [*map(list_of, admin_site._registry), page, f"{page}?_changelist_filters=password__regex%3Da"]
    key = str(model._meta.pk and model._meta.pk.name)
    paths += [list_of(model) + query.replace("_to_field=pk", f"_to_field={key}") for query in QUERIES]
    with CaptureQueriesContext(connection) as queries:
        assert {client.get(path).status_code for path in paths} <= {200, 302}
    told = [each["sql"] for each in queries if not FETCH_BY_KEY.search(each["sql"])]
    assert len(told) > len(paths)
    columns = [f'"{model._meta.db_table}"."{column}"' for column in SECRET[model]]
    assert not [sql for sql in told if any(column in sql for column in columns)]


@pytest.mark.exhaustive
def test_every_row_is_found_by_its_key_alone_and_nothing_is_sent(client: Client) -> None:
    rows = [row for model, _ in TABLES for row in model._default_manager.order_by("pk")[:1]]
    assert len(rows) > 10
    for row in rows:
        page = f"{list_of(type(row))}{row.pk}/change/"
        assert client.get(page, {"_to_field": ""}).status_code in {200, 302}
        for path in (page, f"{page}?_to_field=", list_of(type(row))):
            assert client.post(path, {"_to_field": "", "q": "x"}).status_code == 405, path


def test_the_subject_of_a_mail_is_not_shown(client: Client) -> None:
    message = Message.objects.get(subject="SUBJECT")
    for path in (list_of(Message), f"{list_of(Message)}{message.pk}/change/"):
        answer = client.get(path)
        assert answer.status_code == 200
        assert "SUBJECT" not in answer.text


def test_declared_filters_still_filter(client: Client) -> None:
    assert "1 case" in client.get(list_of(Case), {"state__exact": "registered"}).text
    assert "0 cases" in client.get(list_of(Case), {"state__exact": "declined"}).text
    assert "1 case" in client.get(list_of(Case), {"q": "example-oaks"}).text


# What administrators read is logged


def reads_in(output: str) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    return [line for line in lines if line.get("event") == "admin_read"]


def test_each_read_of_an_administrator_is_logged(
    client: Client, administrator: User, capfd: pytest.CaptureFixture[str]
) -> None:
    message = Message.objects.get(subject="SUBJECT")
    capfd.readouterr()
    client.get(list_of(Message), {"q": "a-value", "o": "1"})
    client.get(f"{list_of(Message)}{message.pk}/change/")
    client.get(list_of(Message), {"body__regex": "^4"})  # refused, and logged
    output = capfd.readouterr().out
    first, second, third = reads_in(output)
    assert {each["account"] for each in (first, second, third)} == {administrator.pk}
    assert (first["path"], first["query"]) == ("/admin/mail/message/", ["q", "o"])
    assert (second["path"], second["query"]) == (f"/admin/mail/message/{message.pk}/change/", [])
    assert (third["path"], third["query"]) == ("/admin/mail/message/", ["body__regex"])
    assert "a-value" not in output


def test_a_registrant_gets_404_and_no_read_is_logged(
    registrant: User, capfd: pytest.CaptureFixture[str]
) -> None:
    assert signed_in(registrant).get(list_of(Message)).status_code == 404
    assert reads_in(capfd.readouterr().out) == []
