"""Erasure of personal data: nothing of a person is left in any table."""

from dataclasses import replace

import pytest
from allauth.account.models import EmailAddress
from django.test import Client
from django.utils import timezone

from registry.accounts.erasure import erase_person, preview
from registry.accounts.models import Role, Token, User
from registry.accounts.personal_data import find_person
from registry.audit_log.models import Event
from registry.audit_log.personal_data import ERASURE
from registry.audit_log.verification import verify
from registry.cases import comments
from registry.cases.drafts import drafts
from registry.cases.drafts.drafts import start_revision
from registry.cases.models import Case, Invitation
from registry.cases.workflow import functions
from registry.cases.workflow.functions.people import invite_co_editor
from registry.mail.models import Message
from registry.namespaces.actions.transfers import offer_transfer
from registry.namespaces.models import Namespace, Revision
from registry.namespaces.proposals.proposed_profile import ProposedProfile
from registry.organisations.actions.members import invite_member
from registry.organisations.models import INVITED_FOR, MemberRole, MembershipInvitation
from tests.organisations.conftest import an_organisation
from tests.security.erasure import leaver
from tests.security.erasure.erasing import REASON, account, erase, rows, tables_with_traces, traces_in
from tests.security.erasure.leaver import ADDRESS, NAME, person
from tests.support.factories import PASSWORD, a_namespace, a_template


def test_the_person_is_in_every_place_before(registry: None) -> None:
    assert tables_with_traces() == {
        "account_emailaddress",
        "accounts_user",
        "audit_log_personaldata",
        "cases_case",
        "cases_draftversion",
        "cases_invitation",
        "cases_round",
        "mail_message",
        "namespaces_revision",
        "namespaces_namespace",
        "namespaces_transfer",
        "publication_originaltext",
    } | (tables_with_traces() & {"content of sessions", "bodies of lookups"})


def test_nothing_is_left_in_any_table(registry: None) -> None:
    erasure = erase()
    assert erasure.remains == []
    assert {table: traces_in(texts) for table, texts in rows().items() if traces_in(texts)} == {}


@pytest.mark.exhaustive
def test_no_invitation_names_who_made_it(registry: None) -> None:
    """Also one that nothing withdraws: it expired, or its case is closed."""
    by, email = account(), "guest@example.org"
    arboretum = an_organisation(by=by)
    case = drafts.create_case(
        by=by,
        kind="formal",
        template=a_template(namespace_identifier="example-ponds"),
        organisation=arboretum,
    )
    case = invite_co_editor(case, by=by, email=email)
    functions.withdraw(functions.submit(case, by=by, draft_stamp=case.draft_stamp), by=by, reason="Not yet.")
    invite_member(arboretum, by=by, email=email, part=MemberRole.EDITOR)
    made = timezone.now() - 2 * INVITED_FOR
    MembershipInvitation.objects.update(invited_at=made, expires_at=made + INVITED_FOR)
    erased = erase().erased
    assert {"invitations to closed cases", "expired invitations to organisations"} <= set(erased)
    assert not Invitation.objects.filter(invited_by=by).exists()
    assert not MembershipInvitation.objects.filter(invited_by=by).exists()


def test_the_log_is_valid_and_says_what_was_erased(registry: None) -> None:
    before = list(Event.objects.order_by("number").values())
    key = account().pk
    erase()
    event = Event.objects.get(verb=ERASURE)
    assert (event.actor, event.reason, event.details["person"]) == (None, REASON, key)
    result = verify()
    assert result.faults == []
    count = len(event.details["digests"])
    assert result.erased == [
        f"{count} values of account {key}: erased on {event.at:%Y-%m-%d}, by event {event.number}."
    ]
    assert list(Event.objects.order_by("number").values())[: len(before)] == before


@pytest.mark.exhaustive
def test_a_second_erasure_finds_nothing_and_writes_no_event(registry: None) -> None:
    stale = find_person(ADDRESS)
    erase()
    events = Event.objects.count()
    assert erase().erased == []
    assert erase_person(stale, by=None, reason=REASON, with_texts=True).erased == []
    assert Event.objects.count() == events


@pytest.mark.exhaustive
def test_a_preview_says_the_same_and_changes_nothing(registry: None) -> None:
    before = rows()
    planned = preview(find_person(ADDRESS), by=None, reason=REASON, with_texts=True)
    assert rows() == before
    assert planned.erased == erase().erased != []


@pytest.mark.exhaustive
def test_the_account_ends_with_all_its_duties(registry: None) -> None:
    token, client = Token.objects.get(owner=account()), Client()
    client.force_login(account())
    assert client.get("/mine/").status_code == 200
    erase(with_texts=False)
    assert client.get("/mine/").status_code == 302
    token.refresh_from_db()
    assert token.revoked_at
    assert not Role.objects.filter(user=account()).exists()
    assert not EmailAddress.objects.filter(user=account()).exists()
    answer = Client().post("/accounts/login/", {"login": ADDRESS, "password": PASSWORD})
    assert answer.status_code == 422
    assert str(account()) == f"erased account {account().pk}"


@pytest.mark.exhaustive
def test_open_cases_are_withdrawn_and_namespaces_can_be_offered_by_an_administrator(registry: None) -> None:
    erase(with_texts=False)
    assert set(Case.objects.filter(registrant=account()).values_list("state", flat=True)) == {
        "draft", "withdrawn", "declined", "registered",
    }  # fmt: skip
    assert not Case.objects.filter(registrant=account()).exclude(draft={}).exists()
    namespace = Namespace.objects.get(nid="example-trees")
    assert namespace.registrant is None
    assert "Left without a registrant" in Client().get("/namespaces/example-trees/").content.decode()
    offer_transfer(namespace, by=person("administrator"), to="registrant@example.org")


@pytest.mark.exhaustive
def test_a_proposed_profile_is_emptied_in_drafts_and_listed_in_rounds(registry: None) -> None:
    named = {"title": f"Mosses of {NAME}"}
    Case.objects.filter(registrant=account()).update(draft_profile=named)
    case = leaver.an_open_case_with_this_contact()
    stamp = case.draft_stamp
    case = drafts.save_draft(
        case,
        replace(case.draft_template, additional_information="With a description."),
        by=case.registrant,
        stamp=stamp,
        profile=ProposedProfile(
            **named, summary="Mosses have names.", examples=f"urn:{case.requested_nid}:1"
        ),
    )
    case = functions.submit(case, by=case.registrant, draft_stamp=case.draft_stamp)
    round_ = case.rounds.get(number=2)
    erasure = erase()
    assert not Case.objects.filter(registrant=account()).exclude(draft_profile={}).exists()
    assert any(each.startswith("rounds: ") and str(round_.pk) in each for each in erasure.remains)


@pytest.mark.exhaustive
def test_public_pages_name_the_number_of_the_account(registry: None) -> None:
    case = Case.objects.get(requested_nid="example-mosses")
    assert NAME in Client().get(case.get_absolute_url()).content.decode()
    erase()
    page = Client().get(case.get_absolute_url()).content.decode()
    assert not traces_in([page])
    assert f"erased account {account().pk}" in page
    assert "[erased]" in page
    assert "Example Arboretum" in page


def test_texts_stay_unless_their_erasure_is_requested_and_are_listed(registry: None) -> None:
    erasure = erase(with_texts=False)
    assert tables_with_traces() == {
        "cases_case", "cases_draftversion", "cases_round", "namespaces_revision", "namespaces_namespace", "publication_originaltext",
    }  # fmt: skip
    assert [each.partition(":")[0] for each in erasure.remains] == [
        "registered versions", "rounds", "drafts of cases", "earlier texts of drafts", "imported files",
    ]  # fmt: skip
    assert verify().faults == []


@pytest.mark.exhaustive
def test_the_contact_of_an_open_case_stays_and_is_listed(registry: None) -> None:
    case = leaver.an_open_case_with_this_contact()
    leaver.send_mails()
    erasure = erase()
    round_ = case.rounds.get()
    assert erasure.remains == [f"rounds: {round_.pk}"]
    assert round_.template.registrant == leaver.CONTACT


@pytest.mark.exhaustive
def test_a_contact_without_an_account_is_erased_by_address(registry: None) -> None:
    User.objects.filter(email=ADDRESS).update(email="another@example.org", name="Another")
    EmailAddress.objects.all().delete()
    erasure = erase()
    assert "contact details in version 1 of “example-oaks”" in erasure.erased
    assert "person" not in Event.objects.get(verb=ERASURE).details
    assert verify().faults == []
    assert "a person without an account" in verify().erased[0]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("by_name", [False, True])
def test_a_contact_with_the_same_name_is_erased_only_on_request(by_name: bool, registry: None) -> None:
    people = {"expert": person("expert"), "administrator": person("administrator")}
    namesake = replace(leaver.CONTACT, email="another@example.com")
    a_namespace(by=person("registrant"), **people, registrant=namesake, namespace_identifier="example-same")
    leaver.send_mails()
    row = Revision.objects.get(namespace__nid="example-same")
    erasure = erase_person(
        find_person(ADDRESS, [NAME] if by_name else []), by=None, reason=REASON, with_texts=True
    )
    listed = f"registered versions: {row.pk}" in erasure.remains
    erased = Revision.objects.get(pk=row.pk).template.registrant.contact_person == "[erased]"
    assert (listed, erased) == (not by_name, by_name)


@pytest.mark.parametrize(
    ("text", "is_named"),
    [
        (ADDRESS, True),
        (f"Write to <{ADDRESS.upper()}>.", True),
        ("Example\n  Leaver", True),
        (f"not-{ADDRESS}", False),
        (f"not.{ADDRESS}", False),
        (f"{ADDRESS}.example.com", False),
        (f"{NAME}-Example", False),
        (f"{NAME}s", False),
    ],
)
def test_part_of_another_name_or_address_is_not_the_person(text: str, is_named: bool, registry: None) -> None:
    assert find_person(ADDRESS).is_named_in(text) == is_named


@pytest.mark.exhaustive
def test_an_unconfirmed_address_belongs_to_no_one(registry: None) -> None:
    """Anyone can add the address of another person to an account."""
    EmailAddress.objects.create(user=person("expert"), email=ADDRESS, verified=False)
    EmailAddress.objects.create(user=account(), email="registrant@example.org", verified=False)
    assert find_person(ADDRESS).account == account()
    assert "registrant@example.org" not in find_person(ADDRESS).addresses
    erase()
    assert person("expert").is_active
    assert Invitation.objects.filter(email="co-editor@example.org").exists() is False
    assert EmailAddress.objects.filter(email="registrant@example.org").count() == 1
    assert not EmailAddress.objects.filter(email=ADDRESS).exists()


def test_an_address_that_only_a_stranger_claims_finds_no_account(registry: None) -> None:
    EmailAddress.objects.create(user=person("expert"), email="contact@example.org", verified=False)
    assert find_person("contact@example.org").account is None


@pytest.mark.exhaustive
def test_a_revision_of_an_erased_text_starts_without_a_contact(registry: None) -> None:
    erase()
    draft = start_revision(Namespace.objects.get(nid="example-oaks"), by=person("registrant")).draft_template
    assert (draft.registrant.contact_person, draft.registrant.email) == ("", "")
    assert draft.registrant.organization == "Example Arboretum"


@pytest.mark.exhaustive
def test_the_digests_of_a_text_and_its_version_stay(registry: None) -> None:
    before = list(Revision.objects.order_by("pk").values_list("digest", flat=True))
    erase()
    assert list(Revision.objects.order_by("pk").values_list("digest", flat=True)) == before
    submitted = Event.objects.get(verb="submit", nid="example-oaks")
    assert submitted.text_digest == Revision.objects.get(namespace__nid="example-oaks").digest


@pytest.mark.exhaustive
def test_unsent_mails_to_others_are_listed(registry: None) -> None:
    case = Case.objects.get(requested_nid="example-herbs")
    comments.comment(case, by=account(), round_number=1, text="Which herbs?")
    mail = Message.objects.get(to="registrant@example.org", sent_at=None)
    assert erase().remains == [f"unsent mails to others: {mail.pk}"]
    leaver.send_mails()
    assert erase_person(find_person(ADDRESS, [NAME]), by=None, reason=REASON).remains == []
    assert not traces_in(rows()["mail_message"])
