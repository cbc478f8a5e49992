"""The contact of a namespace by token: changed by the registrant or an administrator, and confirmed."""

from datetime import timedelta

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from registry.accounts.models import Scope, User
from registry.audit_log.models import Event
from registry.custody.models import NamespaceContact
from registry.namespaces.models import Namespace
from tests.api.client import KEY, TokenClient, check_problem

PATH = "namespaces/example-trees/contact/"
CONTACT = {"name": "Registrar", "email": "registrar@example.org", "reason": "The former one retired."}


def test_the_registrant_changes_the_contact_once_with_a_key(
    client: Client, trees: Namespace, registrant: User
) -> None:
    program = TokenClient(registrant, Scope.MANAGE)
    answers = [program.post(PATH, CONTACT, Idempotency_Key=KEY).json() for _ in range(2)]
    assert answers[0] == answers[1]
    assert (answers[0]["name"], answers[0]["email"]) == ("Registrar", "registrar@example.org")
    assert client.get("/api/v1/namespaces/example-trees/").json()["contact"] == answers[0]
    assert Event.objects.get(verb="change_contact").reason == "The former one retired."


def test_a_contact_is_confirmed(trees: Namespace, registrant: User) -> None:
    NamespaceContact.objects.update(unverified_since=timezone.now())
    with time_machine.travel(timezone.now() + timedelta(days=2)):
        shown = TokenClient(registrant).post(f"{PATH}confirm/").json()
    assert shown["unverified_since"] is None
    contact = NamespaceContact.objects.get()
    assert contact.confirmed_at > timezone.now() + timedelta(days=1)
    assert Event.objects.get(verb="confirm_contact").actor == registrant


@pytest.mark.parametrize(
    ("change", "status", "slug"),
    [
        ({"email": "registrar"}, 422, "invalid-address"),
        ({"name": " "}, 422, "text-missing"),
        ({"reason": ""}, 422, "text-missing"),
        ({"name": "a" * 201}, 422, "text-too-long"),
        ({"name": None}, 400, "invalid-fields"),
        ({"phone": "1"}, 400, "invalid-fields"),
    ],
)
def test_invalid_contacts_are_rejected(
    change: dict[str, object], status: int, slug: str, trees: Namespace, registrant: User
) -> None:
    check_problem(TokenClient(registrant).post(PATH, CONTACT | change), status, slug)
    assert NamespaceContact.objects.get().name == ""
