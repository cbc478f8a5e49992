"""What stands in a NID's way is looked up, never gathered from all namespaces."""

import pytest

from registry.namespaces.models import Kind, Namespace
from registry.registrations.findings import surroundings_of
from registry.registrations.models import Registration
from tests.factories import a_submission

pytestmark = pytest.mark.django_db


def test_only_what_is_alike_and_what_examples_use_is_fetched() -> None:
    for nid in ("wxn", "w-xn", "wxnn", "uuid", "isbn", "far-away"):
        Namespace.objects.create(nid=nid, kind=Kind.FORMAL)
    text = a_submission(
        namespace_identifier="wxn", purpose="As urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6."
    )
    around = surroundings_of(Registration(kind=Kind.FORMAL), text)
    assert around.registered_nids == {"wxn", "w-xn", "wxnn", "uuid"}


@pytest.mark.parametrize("nid", ["", "wx\nn", "wxné", "w" * 33, "w" * 100_000, "-", "٣xn"])
def test_what_is_no_nid_is_like_nothing(nid: str) -> None:
    Namespace.objects.create(nid="wxn", kind=Kind.FORMAL)
    around = surroundings_of(Registration(kind=Kind.FORMAL), a_submission(namespace_identifier=nid))
    assert (around.registered_nids, around.requested_nids) == (frozenset(), frozenset())
