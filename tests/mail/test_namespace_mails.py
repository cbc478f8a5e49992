"""Mails about registered namespaces: transfer and deprecation."""

from collections.abc import Callable

import pytest
from django.conf import settings

from registry.accounts.models import User
from registry.mail.models import Message
from registry.namespaces.actions import deprecation, profiles, registration, transfers
from registry.namespaces.models import Kind, Namespace, Origin
from registry.resolution import actions
from registry.subnamespaces import importing
from tests.mail.messages import check_plain
from tests.support.factories import a_person, a_profile, a_template


class Cast:
    """The people of a namespace, and methods for their actions."""

    def __init__(self, registrant: User, administrator: User) -> None:
        self.registrant, self.administrator = registrant, administrator
        # A display name can't add lines or headers to a mail.
        self.heir = a_person(email="heir@example.org", name="Heir\r\nBcc: all@example.org")
        self.trees = registration.register_formal(a_template(), registrant=registrant).namespace
        self.isbn = Namespace.objects.create(nid="isbn", kind=Kind.FORMAL, origin=Origin.IANA)

    def offer_transfer(self) -> None:
        transfers.offer_transfer(self.trees, by=self.registrant, to=self.heir.email, reason="I retire. " * 20)

    def offer_an_import(self) -> None:
        transfers.offer_transfer(self.isbn, by=self.administrator, to=self.heir.email)

    def accept_transfer(self) -> None:
        offer = transfers.offer_transfer(self.trees, by=self.registrant, to=self.heir.email)
        transfers.accept_transfer(offer, by=self.heir)

    def decline_transfer(self) -> None:
        offer = transfers.offer_transfer(self.trees, by=self.registrant, to=self.heir.email)
        transfers.decline_transfer(offer, by=self.heir, reason="Too many trees.")

    def withdraw_transfer(self) -> None:
        offer = transfers.offer_transfer(self.trees, by=self.registrant, to=self.heir.email)
        transfers.withdraw_transfer(offer, by=self.registrant)

    def release_namespace(self) -> None:
        transfers.release_namespace(self.trees, reason="The account was erased.")

    def deprecate(self) -> None:
        deprecation.deprecate(
            self.trees, by=self.administrator, statement="It is not used.", successor=self.isbn
        )

    def set_profile(self) -> None:
        profile = a_profile(
            title="Trees & <shrubs>", pattern="[0-9]{1,5}:[0-9]+|<&'[0-9]+", ignored_characters="-"
        )
        basis = "Syntax: “a number”."
        profiles.set_profile(self.trees, by=self.administrator, profile=profile, basis=basis, replaces=0)

    def import_subnamespaces(self) -> None:
        profile = a_profile(levels=[{"name": "garden", "coverage": "free"}])
        profiles.set_profile(self.trees, by=None, profile=profile, basis="Syntax.", replaces=0)
        self.trees.refresh_from_db()
        Message.objects.all().delete()
        importing.import_subnamespaces(
            self.trees,
            by=self.administrator,
            document='{"prefix": "12", "title": "Kew", "source": "List", "as_of": "2026-01-31"}',
            list_format="jsonl",
            basis="The list of <trees>.",
            replaces=0,
        )

    def confirm_host(self) -> None:
        service = {
            "title": "Trees",
            "kind": "I2C",
            "template": "https://trees.example/{nss}",
            "examples": ["urn:example-trees:12:4711"],
            "source": {"document": "Trees", "url": "https://trees.example/", "stated_on": "2026"},
        }
        profile = a_profile(services=[service])
        profiles.set_profile(self.trees, by=None, profile=profile, basis="Syntax.", replaces=0)
        Message.objects.all().delete()
        actions.confirm_host(
            self.trees, by=self.administrator, host="trees.example", basis="dns", evidence="A <TXT> record."
        )

    def withdraw_host(self) -> None:
        self.confirm_host()
        Message.objects.all().delete()
        actions.withdraw_host(self.trees, by=self.administrator, host="trees.example", reason="It was sold.")

    def deprecate_without_successor(self) -> None:
        deprecation.deprecate(self.trees, by=self.administrator, statement="It is not used.")


# What is done | the mail | who gets it | what it says.
SAID = [
    (
        Cast.set_profile,
        "set_profile",
        "registrant",
        [
            "“Administrator” set the profile of the namespace example-trees.",
            "Its title: “Trees & <shrubs>”",
            "Names must match this RE2 pattern: [0-9]{1,5}:[0-9]+|<&'[0-9]+",
            "Ignored when names are compared: hyphens.",
            "Basis: Syntax: “a number”.",
        ],
    ),
    (
        Cast.import_subnamespaces,
        "import_subnamespaces",
        "registrant",
        [
            "“Administrator” imported version 1 of the list of sub-namespaces of example-trees: 1 added, 0 changed, 0 retired.",
            "Basis: The list of <trees>.",
        ],
    ),
    (
        Cast.confirm_host,
        "confirm_host",
        "registrant",
        [
            "“Administrator” confirmed the host trees.example for the namespace example-trees.",
            "Evidence: A <TXT> record.",
        ],
    ),
    (
        Cast.withdraw_host,
        "withdraw_host",
        "registrant",
        [
            "“Administrator” withdrew the host trees.example from the namespace example-trees.",
            "Reason: It was sold.",
        ],
    ),
    (
        Cast.offer_transfer,
        "offer_transfer",
        "heir registrant",
        [
            "“Registrant” offered the namespace example-trees to heir@example.org.",
            "Reason: I retire.",
        ],
    ),
    (
        Cast.offer_an_import,
        "offer_transfer",
        "administrator heir",
        [
            "“Administrator” offered the namespace isbn to heir@example.org",
            "read the registration of the namespace",
        ],
    ),
    (
        Cast.accept_transfer,
        "accept_transfer",
        "heir registrant",
        [
            "“Heir Bcc: all@example.org” accepted the namespace example-trees, which “Registrant” had offered, and is now its registrant."
        ],
    ),
    (
        Cast.decline_transfer,
        "decline_transfer",
        "heir registrant",
        ["declined the namespace example-trees", "Reason: Too many trees."],
    ),
    (
        Cast.withdraw_transfer,
        "withdraw_transfer",
        "heir registrant",
        ["“Registrant” withdrew the offer of the namespace example-trees to heir@example.org."],
    ),
    (
        Cast.release_namespace,
        "release_namespace",
        "administrator",
        ["registrant of the namespace example-trees was erased.", "Reason: The account was erased."],
    ),
    (
        Cast.deprecate,
        "deprecate",
        "registrant",
        ["as deprecated", "Its successor for new names is isbn.", "Statement: It is not used."],
    ),
    (
        Cast.deprecate_without_successor,
        "deprecate",
        "registrant",
        ["its identifier is never reused. Statement: It is not used."],
    ),
]


@pytest.mark.parametrize(("done", "name", "people", "says"), SAID, ids=[row[0].__name__ for row in SAID])
def test_a_mail_names_the_person_the_action_and_the_next_step(
    done: Callable[[Cast], None],
    name: str,
    people: str,
    says: list[str],
    registrant: User,
    administrator: User,
) -> None:
    cast = Cast(registrant, administrator)
    done(cast)
    written = list(Message.objects.filter(name=name))
    assert sorted(message.to.partition("@")[0] for message in written) == people.split()
    nid = "isbn" if done is Cast.offer_an_import else "example-trees"
    for message in written:
        check_plain(message)
        assert nid in message.subject
        flat = " ".join(message.body.split())
        for words in says:
            assert words in flat
        assert f"\n{settings.PUBLIC_ORIGIN}/namespaces/{nid}/\n" in message.body


def test_the_mail_of_an_offer_links_to_its_page(registrant: User, administrator: User) -> None:
    cast = Cast(registrant, administrator)
    cast.offer_transfer()
    offer = cast.trees.transfers.get()
    address = f"\n{settings.PUBLIC_ORIGIN}{offer.get_absolute_url()}\n"
    assert all(address in message.body for message in Message.objects.all())
