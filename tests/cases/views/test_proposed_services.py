"""The services of a proposed profile: tried on the draft and the review page, confirmed at the assignment, without a host."""

from html import unescape

import pytest
from django.test import Client

from registry.accounts.models import User
from registry.cases.drafts import drafts
from registry.cases.models import Case, Round, State
from registry.cases.workflow import functions
from registry.namespaces.models import Namespace
from registry.namespaces.proposals.confirmation import ConfirmedProfile
from registry.namespaces.proposals.proposed_profile import MEMBERS, ProposedProfile
from registry.namespaces.proposals.trials import try_services
from registry.resolution.actions import confirm_host
from registry.resolution.models import Basis, ConfirmedHost
from tests.cases.conftest import opened, reread, sent_by_itself
from tests.cases.transitions.test_assign_profile import a_revision_with, approved_with
from tests.namespaces.proposals.samples import SERVICES, a_proposal
from tests.support.browser import fields_of, fill_in, page, signed_in, submit_draft
from tests.support.factories import a_draft, a_template

PROPOSED = a_proposal(services=SERVICES)
TYPED = {f"profile_{key}": text for key, text in PROPOSED.to_json().items()}
ADDRESSES = ("https://gardens.example/trees/4711?garden=12", "https://gardens.example/names/12%3A4711")
SERVICE_ON_OTHER_HOST = "I2L https://mirror.example/{nss}  Copy of the page"


@pytest.fixture
def proposing(registrant: User, expert: User) -> Case:
    return approved_with(PROPOSED, by=registrant, expert=expert)


@pytest.fixture
def namespace(proposing: Case, administrator: User) -> Namespace:
    assigned = functions.assign(
        proposing, by=administrator, profile=ConfirmedProfile(PROPOSED, ("science",))
    ).namespace
    assert assigned is not None
    return assigned


def remarks(text: str) -> str:
    """The errors, findings and addresses below the field of the services."""
    return unescape(text).partition('id="profile_services-remarks"')[2].partition("</div>")[0]


def notice_of_hosts(text: str) -> str:
    """What the page of an assignment says of the hosts to confirm; "" if it says nothing."""
    return text.partition("Hosts to confirm")[2].partition("</p>")[0]


# The form of a draft


@pytest.mark.exhaustive
def test_the_form_shows_where_the_services_lead(writer: Client, draft: Case) -> None:
    fill_in(writer, page("edit", draft.pk), save="1", **TYPED)
    shown = remarks(writer.get(page("edit", draft.pk)).text)
    assert "urn:example-trees:12:4711" in shown
    assert all(f">{address}<" in shown for address in ADDRESSES)
    assert "href" not in shown
    assert 'href="#id_profile_services"' in writer.get(page("edit", draft.pk)).text
    empty = fill_in(writer, page("edit", draft.pk), save="1", profile_services="")
    assert ADDRESSES[0] not in remarks(empty.text)


def test_autosave_shows_the_faulty_line_and_tries_the_others(writer: Client, draft: Case) -> None:
    fields = opened(writer, draft)
    faulty = f"{SERVICES}\nI2C https://{{nss}}.example/ A"
    answer = sent_by_itself(writer, draft, fields, **TYPED | {"profile_services": faulty})
    assert answer.status_code == 200
    assert reread(draft).proposed_profile.services == faulty
    shown = remarks(answer.text)
    assert (
        "Line 3, column 9 of the template: A variable is not allowed in the host. Write the host itself."
        in shown
    )
    assert all(f">{address}<" in shown for address in ADDRESSES)
    fixed = sent_by_itself(writer, draft, fields | TYPED | {"stamp": "1"})
    assert "column" not in remarks(fixed.text)


def test_the_example_of_the_guidance_is_true(writer: Client, draft: Case) -> None:
    samples = {member.key: member.sample for member in MEMBERS}
    trial = try_services(ProposedProfile(**samples), a_template(), None, nid="example-trees")
    assert trial is not None
    [tried] = trial.services
    guidance = unescape(writer.get(page("edit", draft.pk)).text).partition("Guidance on services")[2]
    for text in (samples["services"], trial.urn, tried.address):
        assert f">{text}<" in guidance.partition("</details>")[0]


def test_a_conflict_offers_the_saved_services(writer: Client, draft: Case) -> None:
    fields = opened(writer, draft)
    drafts.save_draft(draft, draft.draft_template, by=draft.registrant, stamp=0, profile=PROPOSED)
    mine = TYPED | {"profile_services": SERVICE_ON_OTHER_HOST}
    assert 'value="profile_services"' in sent_by_itself(writer, draft, fields, **mine).text
    answer = writer.post(page("edit", draft.pk), fields | mine | {"take": "profile_services"})
    assert fields_of(answer, page("edit", draft.pk))["profile_services"].replace("\r", "") == SERVICES


def test_faulty_services_cannot_be_submitted(writer: Client, draft: Case) -> None:
    typed = TYPED | {"profile_services": "I2C https://gardens.example/{leaf}  Leaf"}
    answer = submit_draft(writer, page("edit", draft.pk), **typed)
    assert answer.status_code == 422
    assert "Line 1, column 25 of the template: The grammar has no rule or group “leaf”." in remarks(
        answer.text
    )
    assert fields_of(answer, page("edit", draft.pk))["profile_services"] == typed["profile_services"]
    assert reread(draft).state == State.DRAFT


@pytest.mark.exhaustive
def test_services_are_part_of_the_round_and_of_its_page(writer: Client, draft: Case, client: Client) -> None:
    submit_draft(writer, page("edit", draft.pk), **TYPED)
    assert Round.objects.get().proposed_profile == PROPOSED
    assert f"{SERVICES}</pre>" in unescape(client.get(page("detail", draft.pk)).text)


def test_rounds_are_compared_with_their_services(registrant: User, client: Client) -> None:
    case = a_draft(by=registrant)
    for proposed in (PROPOSED, a_proposal(services=SERVICE_ON_OTHER_HOST)):
        case = reread(case)
        stamp = case.draft_stamp
        case = drafts.save_draft(case, case.draft_template, by=registrant, stamp=stamp, profile=proposed)
        case = functions.submit(case, by=registrant, draft_stamp=case.draft_stamp)
    answer = client.get(page("compare", case.pk))
    assert [section.key for section in answer.context["changes"].changed] == ["profile_services"]


def test_a_revision_shows_the_current_services_and_proposes_none(
    writer: Client, namespace: Namespace, registrant: User
) -> None:
    case = drafts.start_revision(namespace, by=registrant)
    assert opened(writer, case)["profile_services"] == ""
    assert f"{SERVICES}</pre>" in unescape(writer.get(page("edit", case.pk)).text)


# The review


def test_the_review_page_shows_where_the_services_lead(proposing: Case, expert: User) -> None:
    shown = unescape(signed_in(expert).get(f"/desk/cases/{proposing.pk}/").text)
    section = shown.partition('id="section-profile"')[2]
    assert f"{SERVICES}</pre>" in section
    assert all(f">{address}<" in section for address in ADDRESSES)


# The assignment


def test_the_assignment_sets_the_services_and_confirms_no_host(
    proposing: Case, administrator: User, client: Client
) -> None:
    desk, address = signed_in(administrator), page("transition", proposing.pk, "assign")
    shown = desk.get(address).text
    assert ADDRESSES[0] in remarks(shown)
    assert ">gardens.example<" in notice_of_hosts(shown)
    assert "Registered." in fill_in(desk, address, profile_subjects="science").text

    profile = Namespace.objects.get().current_profile
    assert profile is not None
    assert [(each.kind, each.title) for each in profile.services] == [
        ("I2R", "Photograph of the tree"),
        ("I2C", "Page of the tree"),
    ]
    assert not ConfirmedHost.objects.exists()
    assert "Confirm gardens.example" in desk.get("/namespaces/example-trees/").text
    answer = client.get("/resolve/urn:example-trees:12:4711", headers={"Accept": "text/html"})
    assert answer.status_code == 300
    assert ADDRESSES[0] in unescape(answer.text)


def test_only_hosts_that_are_not_confirmed_are_listed(
    namespace: Namespace, expert: User, administrator: User
) -> None:
    confirm_host(
        namespace, by=administrator, host="gardens.example", basis=Basis.ADMINISTRATOR, evidence="A call."
    )
    proposed = ProposedProfile(services=f"{SERVICES}\n{SERVICE_ON_OTHER_HOST}")
    case = a_revision_with(namespace, proposed, expert=expert)
    desk, address = signed_in(administrator), page("transition", case.pk, "assign")
    shown = desk.get(address).text
    assert ">mirror.example<" in notice_of_hosts(shown)
    assert "gardens.example" not in notice_of_hosts(shown)
    assert "Registered." in fill_in(desk, address).text
    assert [each.host for each in ConfirmedHost.objects.all()] == ["gardens.example"]
    profile = Namespace.objects.get().current_profile
    assert profile is not None
    assert [each.title for each in profile.services][-1] == "Copy of the page"


@pytest.mark.exhaustive
def test_a_proposal_without_services_names_no_host(
    namespace: Namespace, expert: User, administrator: User
) -> None:
    case = a_revision_with(namespace, ProposedProfile(title="Oaks"), expert=expert)
    desk, address = signed_in(administrator), page("transition", case.pk, "assign")
    assert notice_of_hosts(desk.get(address).text) == ""
    assert "Registered." in fill_in(desk, address).text
    profile = Namespace.objects.get().current_profile
    assert profile is not None
    assert len(profile.services) == 2
