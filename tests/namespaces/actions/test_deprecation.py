"""Deprecation: a mark with a statement and a successor. The namespace stays, and stays readable."""

from functools import partial

import pytest
from django.db import IntegrityError, transaction
from django.test import Client

from registry.accounts.models import RoleName, User
from registry.audit_log.models import Event
from registry.core.validators import TextMissing, TextTooLong, UnstorableCharacter
from registry.namespaces.actions.deprecation import AlreadyDeprecated, InvalidSuccessor, deprecate
from registry.namespaces.models import Namespace
from tests.cases.traces import one_event, refused
from tests.support.databases import at_once, refusals
from tests.support.factories import a_namespace, a_person


@pytest.fixture
def namespace(registrant: User, expert: User, administrator: User) -> Namespace:
    return a_namespace(by=registrant, expert=expert, administrator=administrator)


@pytest.fixture
def successor(registrant: User, expert: User, administrator: User) -> Namespace:
    return a_namespace(
        by=registrant, expert=expert, administrator=administrator, namespace_identifier="example-oaks"
    )


def test_a_deprecation_is_a_mark_and_an_event(
    namespace: Namespace, successor: Namespace, administrator: User
) -> None:
    before = Namespace.objects.values().get(pk=namespace.pk)
    with one_event(
        verb="deprecate",
        by=administrator,
        case=None,
        moved=("", ""),
        reason="Use example-oaks.",
        text="",
        details={"successor": "example-oaks"},
    ):
        deprecate(namespace, by=administrator, statement=" Use example-oaks.\n", successor=successor)
    after = Namespace.objects.values().get(pk=namespace.pk)
    changed = {name for name in after if after[name] != before[name]}
    assert changed == {"deprecated_at", "deprecation_statement", "successor_id", "changed_at"}
    assert after["deprecation_statement"] == "Use example-oaks."


def test_a_successor_need_not_be_named(namespace: Namespace, administrator: User) -> None:
    assert deprecate(namespace, by=administrator, statement="No longer used.").successor is None
    assert Event.objects.latest("number").details == {"successor": ""}


def test_the_page_shows_the_deprecation_and_the_text(
    client: Client, namespace: Namespace, successor: Namespace, administrator: User
) -> None:
    deprecate(namespace, by=administrator, statement="Use example-oaks.", successor=successor)
    answer = client.get(namespace.get_absolute_url())
    assert answer.status_code == 200
    for words in ("Use example-oaks.", successor.get_absolute_url(), "Names trees in the care"):
        assert words in answer.text


@pytest.mark.parametrize("words", ["", " ", "\n\t", "\u00a0"])
def test_a_reason_is_required(words: str, namespace: Namespace, administrator: User) -> None:
    with refused(TextMissing):
        deprecate(namespace, by=administrator, statement=words)


def test_an_unstorable_statement_is_rejected(namespace: Namespace, administrator: User) -> None:
    with refused(UnstorableCharacter):
        deprecate(namespace, by=administrator, statement="Use another.\x00")
    with refused(TextTooLong):
        deprecate(namespace, by=administrator, statement="x" * 50_001)


def test_it_is_deprecated_once(namespace: Namespace, administrator: User) -> None:
    deprecate(namespace, by=administrator, statement="No longer used.")
    with refused(AlreadyDeprecated):
        deprecate(namespace, by=administrator, statement="Really not.")


def test_nothing_succeeds_itself(namespace: Namespace, administrator: User) -> None:
    with refused(InvalidSuccessor):
        deprecate(namespace, by=administrator, statement="Use itself.", successor=namespace)


def test_a_successor_that_was_deprecated_concurrently_is_refused(
    namespace: Namespace, successor: Namespace, administrator: User
) -> None:
    deprecate(Namespace.objects.get(pk=successor.pk), by=administrator, statement="No longer used.")
    assert not successor.is_deprecated  # what the page had read before
    with refused(InvalidSuccessor):
        deprecate(namespace, by=administrator, statement="Use example-oaks.", successor=successor)


def test_a_mark_without_a_statement_is_refused_by_the_database(namespace: Namespace) -> None:
    with pytest.raises(IntegrityError, match="deprecation_requires_statement"), transaction.atomic():
        Namespace.objects.filter(pk=namespace.pk).update(deprecation_statement="Only words.")


def test_two_namespaces_do_not_become_each_others_successor(real_database: None) -> None:
    administrator = a_person(email="administrator@example.org", roles=(RoleName.ADMINISTRATOR,))
    expert = a_person(email="expert@example.org", roles=(RoleName.EXPERT,))
    one, two = (
        a_namespace(
            by=a_person(email=f"{nid}@example.org"),
            expert=expert,
            administrator=administrator,
            namespace_identifier=nid,
        )
        for nid in ("example-oaks", "example-elms")
    )
    answers = at_once(
        [
            partial(deprecate, one, by=administrator, statement="Use elms.", successor=two),
            partial(deprecate, two, by=administrator, statement="Use oaks.", successor=one),
        ]
    )
    assert [type(error) for error in refusals(answers)] == [InvalidSuccessor]
    assert Namespace.objects.filter(deprecated_at=None).count() == 1
