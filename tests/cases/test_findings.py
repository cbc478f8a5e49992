"""Reference data is read with indexed queries."""

import pytest

from registry.accounts.models import User
from registry.cases.competing_cases import competing_cases_of
from registry.cases.findings import reference_data_for
from registry.cases.models import Case
from registry.namespaces.models import Kind, Namespace
from registry.namespaces.proposals.proposed_profile import ProposedProfile
from tests.support.factories import a_case_in_review, a_template

pytestmark = pytest.mark.django_db

NOTHING = ProposedProfile()


def test_only_what_is_alike_and_what_examples_use_is_fetched() -> None:
    for nid in ("wxn", "w-xn", "wxnn", "uuid", "isbn", "far-away"):
        Namespace.objects.create(nid=nid, kind=Kind.FORMAL)
    text = a_template(namespace_identifier="wxn", purpose="As urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6.")
    around = reference_data_for(Case(kind=Kind.FORMAL), text, NOTHING)
    assert around.registered_nids == {"uuid"}
    assert around.nid_report is not None
    assert (around.nid_report.status, around.nid_report.reason) == (
        "registered",
        "“wxn” is registered. A NID is never reused.",
    )
    assert set(around.nid_report.known.similar_namespaces("wxn")) == {"wxn", "w-xn", "wxnn"}


@pytest.mark.parametrize("nid", ["", "wx\nn", "wxné", "w" * 33, "w" * 100_000, "-", "٣xn"])
def test_a_malformed_nid_has_no_lookalikes(nid: str) -> None:
    Namespace.objects.create(nid="wxn", kind=Kind.FORMAL)
    around = reference_data_for(Case(kind=Kind.FORMAL), a_template(namespace_identifier=nid), NOTHING)
    assert around.registered_nids == frozenset()
    if around.nid_report is None:
        assert nid == ""
    else:
        assert (around.nid_report.status, around.nid_report.resembles) == ("malformed", ())


def test_similar_cases_are_limited_and_identical_nids_come_first(
    registrant: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("registry.cases.competing_cases.MAX_SIMILAR", 2)
    monkeypatch.setattr("registry.namespaces.queries.MAX_SIMILAR", 2)
    monkeypatch.setattr("registry.cases.nid_report.MAX_LOOKALIKES", 2)
    for nid in ("wxo", "wx0", "w-xo", "w-x-o"):
        a_case_in_review(by=registrant, namespace_identifier=nid)
        Namespace.objects.create(nid=f"{nid}b", kind=Kind.FORMAL)
    same = a_case_in_review(by=registrant, namespace_identifier="wxo")
    case = a_case_in_review(by=registrant, namespace_identifier="WXO")
    assert [(competing_case.nid, competing_case.is_same) for competing_case in competing_cases_of(case)] == [
        ("wxo", True),
        ("wxo", True),
    ]
    assert competing_cases_of(same)[1].case == case
    report = reference_data_for(case, a_template(namespace_identifier="w-x0"), NOTHING).nid_report
    assert report is not None
    assert [each.kind for each in report.resembles] == ["case", "case"]
    report = reference_data_for(case, a_template(namespace_identifier="w-x0-b"), NOTHING).nid_report
    assert report is not None
    assert {each.name for each in report.resembles} == {"w-xob", "w-x-ob"}
