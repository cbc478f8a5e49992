"""A register below the namespace of a person, with the accounts of a holder, a requester and another one."""

from typing import Any

import pytest

from registry.accounts.models import User
from registry.namespaces.actions.registration import register_formal
from registry.namespaces.models import Namespace
from registry.organisations.models import Organisation
from registry.registers.actions.entries import accept_entry, offer_entry, open_branch
from registry.registers.actions.registers import open_register
from registry.registers.actions.requests import request_entry
from registry.registers.models import Entry, EntryRequest, Register
from tests.support.factories import a_person, a_profile, a_template, describe

OPENED: dict[str, Any] = {
    "policy": "first_come",
    "entry_name": "garden",
    "title": "Gardens with numbered trees",
    "guidance": "One label for each garden.",
}
ASKED: dict[str, Any] = {
    "label": "kew",
    "title": "Kew Gardens",
    "contact": "gardener@example.org",
    "register_version": 1,
}


def a_described_namespace(nid: str = "example-trees", **controller: Any) -> Namespace:
    """A namespace whose names begin with a word, for example urn:example-trees:kew:4711."""
    namespace = register_formal(a_template(namespace_identifier=nid), **controller).namespace
    profile = a_profile(
        nid,
        abnf='name = 1*(ALPHA / DIGIT / "." / "%" / "_" / "-") ":" 1*DIGIT',
        examples=("kew:4711", "1:1", "99:4"),
        counterexamples=("kew", "12:", "12:x"),
    )
    return describe(namespace, profile)


def a_register(namespace: Namespace, *, by: User, **changes: Any) -> Register:
    return open_register(namespace, by=by, **OPENED | changes)


# A grammar of names with many parts.
DEEP = '1*(ALPHA / DIGIT / "." / "-" / "%") *(":" 1*(ALPHA / DIGIT / "." / "-" / "%")) ":" 1*DIGIT'
BRANCH: dict[str, Any] = {"policy": "expert_review", "title": "Trees of Kew Gardens"}


def a_deep_namespace(**controller: Any) -> Namespace:
    """A namespace whose names can have many parts, for example urn:example-trees:kew:rose:4711."""
    namespace = register_formal(a_template(), **controller).namespace
    profile = a_profile(
        abnf=f"name = {DEEP}",
        examples=("kew:4711", "kew:rose:1", "1:1"),
        counterexamples=("kew", "12:", "12:x"),
    )
    return describe(namespace, profile)


def delegated(entry: Entry, *, by: User, to: User, organisation: Organisation | None = None) -> Entry:
    """The entry, after it was offered and accepted."""
    offer = offer_entry(entry, by=by, to=to.email)
    return accept_entry(offer, by=to, organisation=organisation).entry


def a_branch(entry: Entry, *, by: User, **changes: Any) -> Register:
    return open_branch(entry, by=by, **BRANCH | changes)


def a_request(register: Register, *, by: User, **changes: Any) -> EntryRequest:
    version = Register.objects.get(pk=register.pk).version
    return request_entry(register, by=by, **ASKED | {"register_version": version} | changes)


@pytest.fixture
def holder(db: None) -> User:
    return a_person(email="holder@example.org")


@pytest.fixture
def requester(db: None) -> User:
    return a_person(email="requester@example.org")


@pytest.fixture
def other(db: None) -> User:
    return a_person(email="other@example.org")


@pytest.fixture
def namespace(holder: User) -> Namespace:
    return a_described_namespace(registrant=holder)


@pytest.fixture
def register(namespace: Namespace, holder: User) -> Register:
    return a_register(namespace, by=holder)
