"""Rivals: open cases for one NID, or for NIDs that look alike, are shown each other on every page (6.2)."""

import pytest

from registry.accounts.models import User
from registry.cases.competing_cases import competing_cases_of, competing_cases_of_draft
from registry.cases.drafts import drafts
from registry.cases.findings import findings_of
from registry.cases.models import Case
from registry.cases.workflow import functions
from tests.cases.transitions.rounds import a_revision_in_review, saved
from tests.support.browser import page, signed_in
from tests.support.factories import a_case_in_review, a_draft, a_namespace, an_approved_case

# Two identifiers, and what is said of how they are alike.
ALIKE = [
    ("example-trees", "example-trees", "is the same identifier"),
    ("example-trees", "EXAMPLE-Trees", "is the same identifier"),
    ("example-trees", "exampletrees", "differs only in hyphens"),
    ("example-oo1", "example-00l", "differs only in hyphens"),
    ("example-ill", "example-111", "differs only in hyphens"),
    ("example-trees", "example-tree", "differs in one character"),
    ("example-trees", "example-treed", "differs in one character"),
    ("example-trees", "example-teres", "differs in one character"),
]
DIFFERENT = [("example-trees", "example-hedges"), ("example-trees", "example-treats"), ("exa", "exo-tree")]


@pytest.mark.parametrize(("first", "second", "how"), ALIKE)
def test_competing_cases_list_each_other(
    first: str, second: str, how: str, registrant: User, participant: User
) -> None:
    one = a_case_in_review(by=registrant, namespace_identifier=first)
    two = a_case_in_review(by=participant, namespace_identifier=second)
    for case, other in ((one, two), (two, one)):
        (competing_case,) = competing_cases_of(case)
        assert (competing_case.case, competing_case.nid) == (other, other.requested_nid)
        assert competing_case.reason.startswith(how)
        assert competing_case.is_same == (first.lower() == second.lower())


@pytest.mark.parametrize(("first", "second"), DIFFERENT)
def test_different_nids_do_not_compete(first: str, second: str, registrant: User) -> None:
    one = a_case_in_review(by=registrant, namespace_identifier=first)
    two = a_case_in_review(by=registrant, namespace_identifier=second)
    assert competing_cases_of(one) == competing_cases_of(two) == []


def test_the_same_identifier_is_listed_before_similar_ones(registrant: User, participant: User) -> None:
    a_case_in_review(by=participant, namespace_identifier="example-tree")
    same = a_case_in_review(by=participant)
    case = a_case_in_review(by=registrant)
    assert [competing_case.nid for competing_case in competing_cases_of(case)] == [
        "example-trees",
        "example-tree",
    ]
    assert competing_cases_of(case)[0].case == same


def test_a_draft_sees_competing_cases_and_is_not_listed(registrant: User, participant: User) -> None:
    public = a_case_in_review(by=registrant)
    draft = a_draft(by=participant)
    assert [competing_case.case for competing_case in competing_cases_of(draft)] == [public]
    assert competing_cases_of(public) == []


def test_the_nid_in_the_draft_of_a_public_case_competes_too(registrant: User, participant: User) -> None:
    public = a_case_in_review(by=registrant)
    other = a_case_in_review(by=participant, namespace_identifier="example-hedges")
    changed = saved(other, namespace_identifier="example-trees")
    assert competing_cases_of(changed) == []
    assert [competing_case.case for competing_case in competing_cases_of_draft(changed)] == [public]
    assert competing_cases_of(public) == []


def test_a_closed_case_does_not_compete(registrant: User, participant: User) -> None:
    one, two = a_case_in_review(by=registrant), a_case_in_review(by=participant)
    functions.withdraw(two, by=participant)
    assert competing_cases_of(one) == []
    assert competing_cases_of(Case.objects.get(pk=two.pk)) == []


def test_two_revisions_of_one_namespace_compete(registrant: User, expert: User, administrator: User) -> None:
    namespace = a_namespace(by=registrant, expert=expert, administrator=administrator)
    one, two = (
        a_revision_in_review(namespace, by=registrant, purpose=f"Trees {number}.") for number in (1, 2)
    )
    assert [competing_case.case for competing_case in competing_cases_of(one)] == [two]
    assert [competing_case.case for competing_case in competing_cases_of(two)] == [one]
    assert competing_cases_of(two)[0].is_same


def test_a_lookalike_does_not_compete_with_a_revision(
    registrant: User, participant: User, expert: User, administrator: User
) -> None:
    namespace = a_namespace(by=registrant, expert=expert, administrator=administrator)
    revision = a_revision_in_review(namespace, by=registrant)
    case = a_case_in_review(by=participant, namespace_identifier="example-tree")
    assert competing_cases_of(revision) == competing_cases_of(case) == []
    assert any(
        "looks like “example-trees”, which is registered" in each.message for each in findings_of(case)
    )


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("nid", "what"),
    [("fra", "country"), ("FRA", "country"), ("http", "URI scheme"), ("Mailto", "URI scheme")],
)
def test_a_country_code_or_a_uri_scheme_is_remarked_on_before_and_after_submission(
    nid: str, what: str, registrant: User, expert: User
) -> None:
    draft = a_draft(by=registrant, namespace_identifier=nid)
    assert any(what in finding.message for finding in findings_of(draft))
    editing = signed_in(registrant).get(page("edit", draft.pk), {"check": "1"})
    assert what in editing.text
    case = functions.submit(draft, by=registrant, draft_stamp=0)
    for person in (registrant, expert):
        assert what in signed_in(person).get(page("detail", case.pk)).text
    assert what in signed_in(expert).get(page("transition", case.pk, "approve")).text


@pytest.mark.exhaustive
def test_the_competing_case_is_shown_to_all_roles(
    registrant: User, participant: User, expert: User, administrator: User
) -> None:
    first = an_approved_case(by=registrant, expert=expert)
    second = a_case_in_review(by=participant, namespace_identifier="exampletrees")
    pages = [
        (registrant, page("detail", first.pk), second),
        (registrant, page("transition", first.pk, "withdraw"), second),
        (administrator, page("transition", first.pk, "assign"), second),
        (participant, page("detail", second.pk), first),
        (participant, page("edit", second.pk), first),
        (participant, page("transition", second.pk, "submit"), first),
        (expert, page("detail", second.pk), first),
        (expert, page("transition", second.pk, "approve"), first),
    ]
    for person, address, competing_case in pages:
        text = signed_in(person).get(address).text
        assert f'href="{competing_case.get_absolute_url()}"' in text, address
        assert competing_case.requested_nid in text, address


def test_the_draft_form_shows_competing_cases(registrant: User, participant: User) -> None:
    first = a_case_in_review(by=registrant)
    case = drafts.create_case(by=participant, kind=first.kind, template=first.draft_template)
    assert first.get_absolute_url() in signed_in(participant).get(page("edit", case.pk)).text


def test_only_one_of_two_competing_cases_can_be_registered(
    registrant: User, participant: User, expert: User, administrator: User
) -> None:
    first = an_approved_case(by=registrant, expert=expert)
    second = an_approved_case(by=participant, expert=expert)
    functions.assign(second, by=administrator)
    assert competing_cases_of(Case.objects.get(pk=first.pk)) == []
    with pytest.raises(Exception, match="A NID is never reused"):
        functions.assign(first, by=administrator)
