"""May a NID be assigned? Section 5.1, asked of the syntax and of the registry."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.accounts.models import User
from registry.namespaces.actions.registration import NIDNotRegistrable, NIDTaken, check_available
from registry.namespaces.models import Kind, Namespace, Origin
from tests.support.factories import a_namespace
from urnsyntax import nid as nid_syntax

pytestmark = pytest.mark.django_db

FREE = ["abc", "ABC", "a1b", "example-oaks", "a--b", "o" * 31 + "k", "3gpp", "fra", "http"]

NEVER = {
    "an empty text": "",
    "a trailing newline": "example\n",
    "a leading space": " example",
    "a trailing space": "example ",
    "one character": "a",
    "two characters": "ab",
    "one character too many": "o" * 33,
    "a letter that is not ASCII": "exämple",
    "a digit that is not ASCII": "example٣",
    "a hyphen first": "-example",
    "a hyphen last": "example-",
    "an underscore": "example_x",
    "a NUL": "exam\x00ple",
    "a name reserved for informal ones": "urn-",
    "an informal one": "urn-7",
    "an informal one in capitals": "URN-7",
    "an informal one with a leading zero": "urn-07",
    "urn itself": "urn",
    "an experimental one": "x-example",
    "an experimental one in capitals": "X-example",
    "two letters and a hyphen": "de-example",
    "an A-label": "xn--example",
    "two letters and two hyphens": "ab--example",
}


@pytest.mark.parametrize("nid", FREE)
def test_a_well_chosen_nid_is_free(nid: str) -> None:
    check_available(nid)


@pytest.mark.parametrize("nid", NEVER.values(), ids=NEVER.keys())
def test_reserved_nids_are_not_available(nid: str) -> None:
    with pytest.raises(NIDNotRegistrable) as refusal:
        check_available(nid)
    assert str(refusal.value).strip()


@pytest.mark.parametrize("asked", ["example-trees", "EXAMPLE-TREES", "Example-Trees"])
def test_a_registered_nid_is_taken_in_every_spelling(
    asked: str, registrant: User, expert: User, administrator: User
) -> None:
    namespace = a_namespace(by=registrant, expert=expert, administrator=administrator)
    with pytest.raises(NIDTaken) as refusal:
        check_available(asked)
    assert refusal.value.namespace == namespace
    assert f"since {namespace.registered_on}" in str(refusal.value)


def test_an_imported_namespace_without_a_date_is_taken_too() -> None:
    Namespace.objects.create(nid="example-old", kind=Kind.FORMAL, origin=Origin.IANA)
    with pytest.raises(NIDTaken, match=r"“example-old” is registered\. A NID is never reused"):
        check_available("example-old")


def test_a_nid_that_only_looks_alike_is_free(registrant: User, expert: User, administrator: User) -> None:
    a_namespace(by=registrant, expert=expert, administrator=administrator)
    for nid in ("exampletrees", "example-tree", "example-treees"):
        check_available(nid)


@given(st.text(alphabet="abuxnrAUXN019-", max_size=34))
def test_what_is_available_is_exactly_what_the_syntax_lets_be_registered(nid: str) -> None:
    if nid_syntax.classify(nid).is_registrable:
        check_available(nid)
    else:
        with pytest.raises(NIDNotRegistrable):
            check_available(nid)
