"""Marking a namespace deprecated, with a statement and a successor."""

import html

import pytest
from django.test import Client

from registry.accounts.models import User
from registry.audit_log.models import Event
from registry.mail.models import Message
from registry.namespaces.actions import deprecation
from registry.namespaces.models import Kind, Namespace, Origin
from tests.support.browser import fill_in, signed_in

TREES = "/namespaces/example-trees/"
DEPRECATE = f"{TREES}deprecate/"
STATEMENT = "No garden uses it.\nUse <plants> & be happy."


def reread(namespace: Namespace) -> Namespace:
    return Namespace.objects.get(pk=namespace.pk)


def test_administrators_alone_are_offered_the_button(
    client: Client, trees: Namespace, administrator: User, registrant: User, expert: User
) -> None:
    assert f'href="{DEPRECATE}"' in signed_in(administrator).get(TREES).text
    for other in (client, signed_in(registrant), signed_in(expert)):
        assert DEPRECATE not in other.get(TREES).text


def test_deprecation_stores_statement_and_successor_and_notifies_the_registrant(
    client: Client, trees: Namespace, plants: Namespace, administrator: User, registrant: User
) -> None:
    answer = fill_in(signed_in(administrator), DEPRECATE, statement=STATEMENT, successor="Plants")
    assert answer.redirect_chain == [(TREES, 302)]
    namespace = reread(trees)
    assert (namespace.deprecation_statement, namespace.successor) == (STATEMENT, plants)
    shown = html.unescape(client.get(TREES).text)
    for words in ("This namespace is deprecated", STATEMENT, 'href="/namespaces/plants/"'):
        assert words in shown
    assert DEPRECATE not in signed_in(administrator).get(TREES).text
    mail = Message.objects.get(name="deprecate")
    assert mail.to == registrant.email
    for words in ("Statement:", "Use <plants> & be happy.", "Its successor for new names is plants."):
        assert words in " ".join(mail.body.split())
    event = Event.objects.get(verb="deprecate")
    assert (event.actor, event.nid, event.details) == (
        administrator,
        "example-trees",
        {"successor": "plants"},
    )


def test_an_imported_namespace_is_deprecated_without_mail(plants: Namespace, administrator: User) -> None:
    fill_in(signed_in(administrator), "/namespaces/plants/deprecate/", statement=STATEMENT)
    assert reread(plants).is_deprecated
    assert not Message.objects.exists()


@pytest.mark.parametrize(
    ("typed", "complaint"),
    [
        ({"statement": ""}, "Enter the statement."),
        ({"statement": " \n\t"}, "Enter the statement."),
        ({"statement": "x" * 20_001}, "at most 20000 characters"),
        ({"statement": "a\x00b"}, "Null characters are not allowed."),
        ({"successor": "shrubs"}, "The namespace “shrubs” is not registered."),
        ({"successor": "example-trees"}, "Choose another namespace as successor"),
        ({"successor": "gone"}, "Choose another namespace as successor, one that is not deprecated."),
        ({"successor": "pl_ants"}, "The namespace “pl_ants” is not registered."),
        ({"successor": "plants\nx"}, "is not registered."),
        ({"successor": "plánts"}, "The namespace “plánts” is not registered."),
        ({"successor": "plants\u0663"}, "is not registered."),
        ({"successor": "p" * 33}, "at most 32 characters"),
    ],
)
def test_an_invalid_form_shows_errors_and_keeps_input(
    trees: Namespace, plants: Namespace, administrator: User, typed: dict[str, str], complaint: str
) -> None:
    gone = Namespace.objects.create(nid="gone", kind=Kind.FORMAL, origin=Origin.IANA)
    deprecation.deprecate(gone, by=administrator, statement="It is not used.")
    sent = {"statement": STATEMENT, "successor": "plants"} | typed
    answer = signed_in(administrator).post(DEPRECATE, sent)
    assert answer.status_code == 422
    shown = html.unescape(answer.text)
    assert complaint in shown
    for name in {"statement", "successor"} - set(typed):
        assert sent[name] in shown
    assert not reread(trees).is_deprecated


def test_a_second_statement_is_refused_and_given_back(trees: Namespace, administrator: User) -> None:
    client = signed_in(administrator)
    deprecation.deprecate(trees, by=administrator, statement=STATEMENT)
    assert client.get(DEPRECATE).status_code == 409
    answer = client.post(DEPRECATE, {"statement": "Another statement."})
    assert answer.status_code == 409
    assert "was deprecated on" in answer.text
    assert "Another statement." in answer.text
    assert reread(trees).deprecation_statement == STATEMENT
    assert Event.objects.filter(verb="deprecate").count() == 1
