"""/admin/: administrators read everything, change nothing, and find no credentials."""

from dataclasses import replace

import pytest
from allauth.account.models import EmailConfirmation
from django.contrib.sessions.models import Session
from django.db import connection
from django.db.models import Model
from django.http import HttpRequest
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from registry.accounts.models import Body, Scope, Token, User
from registry.api.models import IdempotentResponse
from registry.cases.drafts import drafts
from registry.cases.models import Case, Invitation, Subscription
from registry.cases.workflow import functions
from registry.mail.models import Message
from registry.review_desk.admin import admin_site
from registry.review_desk.models import ChecklistMark, SentSummary, StaffNote, VerdictDraft
from tests.support.browser import signed_in
from tests.support.factories import a_body, a_draft, a_namespace, a_person, an_approved_case

pytestmark = pytest.mark.django_db


def address(model: type[Model], page: str, *args: object) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=args)


@pytest.fixture
def something(registrant: User, expert: User, administrator: User) -> None:
    """A row in most tables."""
    a_namespace(by=registrant, expert=expert, administrator=administrator)
    an_approved_case(by=registrant, expert=expert, namespace_identifier="example-oaks", syntax="Opaque.")
    Token.objects.create(
        owner=registrant, name="laptop", digest="d" * 64, scopes=[Scope.READ], expires_at=timezone.now()
    )


def a_request(person: User) -> HttpRequest:
    request = HttpRequest()
    request.user = person
    return request


@pytest.mark.exhaustive
def test_each_table_and_each_row_of_it_can_be_read(something: None, administrator: User) -> None:
    request = a_request(administrator)
    client, read = signed_in(administrator), 0
    for model in admin_site._registry:
        assert client.get(address(model, "changelist")).status_code == 200, model
        row = admin_site.get_model_admin(model).get_queryset(request).first()
        if row is not None:
            answer = client.get(address(model, "change", row.pk))
            assert answer.status_code == 200, model
            assert 'name="_save"' not in answer.text, model
            read += 1
    assert read > 10


def test_tables_are_read_only(something: None, administrator: User) -> None:
    request = a_request(administrator)
    client, tried = signed_in(administrator), 0
    for model in admin_site._registry:
        table = address(model, "changelist")
        assert client.post(f"{table}add/", {}).status_code == 404, model
        row = admin_site.get_model_admin(model).get_queryset(request).first()
        if row is None:
            continue
        assert client.post(address(model, "change", row.pk), {"name": "x"}).status_code == 405, model
        assert client.post(f"{table}{row.pk}/delete/", {"post": "yes"}).status_code == 404, model
        chosen = {"action": "delete_selected", "_selected_action": str(row.pk), "post": "yes"}
        client.post(table, chosen)
        assert model._base_manager.filter(pk=row.pk).exists()
        tried += 1
    assert tried > 10


@pytest.mark.exhaustive
def test_credentials_are_not_shown(something: None, administrator: User, registrant: User) -> None:
    Message.objects.create(name="password_reset_key", to="a@example.org", subject="Reset", body="SECRET-LINK")
    client = signed_in(administrator)
    digest = Token.objects.get().digest
    for model in (User, Token, Message):
        texts = [client.get(address(model, "changelist")).text]
        texts += [client.get(address(model, "change", row.pk)).text for row in model._base_manager.all()]
        for text in texts:
            assert registrant.password not in text
            assert digest not in text
            assert "SECRET-LINK" not in text


def test_drafts_and_their_bodies_are_not_listed(registrant: User, administrator: User) -> None:
    draft = a_draft(by=registrant, body=a_body(name="Secret Society"), purpose="A hidden purpose.")
    client = signed_in(administrator)
    assert "0 cases" in client.get(address(Case, "changelist")).text
    assert client.get(address(Case, "change", draft.pk), follow=True).request["PATH_INFO"] == "/admin/"
    assert "Secret Society" not in client.get(address(Body, "changelist")).text


def test_the_text_of_a_draft_is_not_shown_with_its_case(
    registrant: User, expert: User, administrator: User
) -> None:
    case = an_approved_case(by=registrant, expert=expert)
    case = functions.return_to_registrant(case, by=administrator, reason="Name the gardens.")
    template = replace(case.draft_template, purpose="A hidden purpose.")
    drafts.save_draft(case, template, by=registrant, stamp=case.draft_stamp)
    assert "A hidden purpose." not in signed_in(administrator).get(address(Case, "change", case.pk)).text


def test_the_number_of_queries_does_not_grow_with_rows(administrator: User) -> None:
    client, counts = signed_in(administrator), []
    for first in (0, 1):
        for number in range(first, first * 20 + 1):
            a_person(email=f"somebody-{number}@example.org")
        with CaptureQueriesContext(connection) as queries:
            client.get(address(User, "changelist"))
        counts.append(len(queries))
    assert counts[0] == counts[1]


@pytest.mark.parametrize(
    "model",
    [
        ChecklistMark,
        VerdictDraft,
        StaffNote,
        SentSummary,
        Subscription,
        Invitation,
        IdempotentResponse,
        Session,
        EmailConfirmation,
    ],
)
def test_private_tables_are_not_registered(model: type[Model]) -> None:
    assert not admin_site.is_registered(model)
