"""Every way to read gives each person the same rows: the queryset of a model, its page, the API, the export and the admin.

Who reads which row is written by hand, from the descriptions of the pages.
"""

from collections.abc import Callable
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import AnonymousUser
from django.db.models import Model, QuerySet
from django.utils import timezone

from registry.accounts.export import EXPORTS
from registry.accounts.models import Token, User
from registry.actions.declarations import EventType
from registry.audit_log import log
from registry.audit_log.models import Event
from registry.cases.canned_texts import CHANGE_CANNED_TEXT
from registry.cases.drafts import drafts
from registry.cases.models import CannedText, Case, DraftVersion, Invitation
from registry.cases.permissions import is_editor, may_see
from registry.cases.workflow.functions.people import invite_co_editor
from registry.core.reading import declares_readers, may_read, readable_by
from registry.custody.actions import claims
from registry.custody.actions.claims import announce_claim, claim_namespace
from registry.custody.models import NamespaceClaim
from registry.custody.permissions import may_object, may_see_evidence
from registry.domains.actions import add_domain
from registry.domains.models import Method, OrganisationDomain
from registry.mail.models import Message
from registry.namespaces.actions.registration import register_formal
from registry.namespaces.actions.transfers import offer_transfer, withdraw_transfer
from registry.namespaces.models import Kind, Transfer
from registry.namespaces.permissions import may_offer_transfer
from registry.organisations.actions.members import end_membership, invite_member
from registry.organisations.models import MemberRole, Membership, MembershipInvitation, Organisation
from registry.organisations.permissions import is_representative
from registry.registers.models import EntryRequest
from registry.review_desk.admin import admin_site
from registry.review_desk.models import StaffNote, VerdictDraft
from registry.sightings.actions import confirm_sighting, report_sighting
from registry.sightings.models import Sighting
from registry.webhooks.models import Webhook
from tests.actions.scenes import (
    ADDRESSES,
    EVERY_ROLE,
    EVIDENCE,
    Scene,
    entry_request,
    imported,
    organisation_with_a_namespace,
    someone,
)
from tests.api.client import TokenClient
from tests.custody.conftest import a_claim
from tests.organisations.conftest import an_organisation, join, membership_of
from tests.review_desk.test_admin import a_request
from tests.support.browser import signed_in
from tests.support.factories import a_case_in_review, a_template, add_co_editor

MEMBERS = {"representative", "editor", "contact"}
# Those who have the role of an administrator, and are not members.
ADMINISTRATORS = {"administrator", "claimant", "co-editor", "former member", "registrant"}
EVERYONE = {"stranger", "participant", "expert", "leader", "liaison", "recipient"} | MEMBERS | ADMINISTRATORS
READ_BY: dict[str, set[str]] = {
    "case": EVERYONE,
    "draft": MEMBERS | {"co-editor"},
    "draft of a person": {"participant"},
    "draft of a hidden organisation": {"editor"},
    "claim": ADMINISTRATORS,
    "claim for an organisation": (ADMINISTRATORS | {"representative"}),
    "announced claim": ADMINISTRATORS | MEMBERS,
    "offer": {"representative", "recipient"},
    "withdrawn offer": {"representative", "participant"},
    "offer of an import": ADMINISTRATORS | MEMBERS | {"recipient"},
    "organisation": EVERYONE,
    "hidden organisation": {"editor", "recipient"},
    "invitation": {"representative", "recipient"},
    "membership": MEMBERS,
    "ended membership": MEMBERS | {"former member"},
    "membership of a hidden organisation": {"editor"},
    "reported sighting": ADMINISTRATORS | MEMBERS | {"participant"},
    "confirmed sighting": EVERYONE,
    "request for an entry": ADMINISTRATORS | MEMBERS | {"participant"},
    "domain": {"representative"},
    "verified domain": EVERYONE,
    "verified domain of a hidden organisation": {"editor", "recipient"},
}
# The pages of all others ask to sign in.
OPEN_TO_STRANGERS = {Case, Organisation, OrganisationDomain, Sighting}
# What people read on pages that is not in their tables at /admin/: claims without the evidence, and the drafts that they edit.
NOT_IN_TABLES = {"announced claim": {"registrant"}} | {name: EVERYONE for name in READ_BY if "draft" in name}
# The models whose rows have a page for everyone who reads them, with the address of the API below that of the row. The API
# lists offers alone, and has the public organisations for everyone.
HAVE_PAGES = {
    Case: "actions/",
    NamespaceClaim: "",
    MembershipInvitation: "",
    Transfer: None,
    Organisation: None,
    Sighting: None,
    EntryRequest: "",
}


@pytest.fixture
def scene(db: None) -> Scene:
    return organisation_with_a_namespace()


@pytest.fixture
def rows(scene: Scene) -> dict[str, Any]:
    """The rows of `READ_BY`."""
    request = entry_request(scene)  # of the organisation, before there is another registrant
    for name in ("registrant", "co-editor"):
        scene.people[name] = someone(name, *EVERY_ROLE)
    editor, representative, recipient = (scene[name] for name in ("editor", "representative", "recipient"))
    oaks = a_template(namespace_identifier="example-oaks", syntax="Opaque.")
    of_registrant = register_formal(oaks, registrant=scene["registrant"]).namespace
    hidden = an_organisation(by=editor, name="Hidden Garden")
    invite_member(hidden, by=editor, email=recipient.email, part="editor")
    elms = a_template(namespace_identifier="example-elms", syntax="Opaque.")
    found = {
        "case": a_case_in_review(by=scene["liaison"], namespace_identifier="example-firs", syntax="Opaque."),
        "draft": add_co_editor(
            drafts.create_case(
                by=representative, kind=Kind.FORMAL, template=elms, organisation=scene.organisation
            ),
            by=representative,
            user=scene["co-editor"],
        ),
        "draft of a person": drafts.create_case(by=scene["participant"], kind=Kind.FORMAL, template=elms),
        "draft of a hidden organisation": drafts.create_case(
            by=editor, kind=Kind.FORMAL, template=elms, organisation=hidden
        ),
        "claim": a_claim(scene.namespace, by=scene["claimant"]),
        "claim for an organisation": claim_namespace(
            imported(scene), by=representative, organisation=scene.organisation, **EVIDENCE
        ),
        "announced claim": announce_claim(
            a_claim(of_registrant, by=scene["claimant"]), by=scene["administrator"], reason="Mails bounce."
        ),
        "withdrawn offer": withdraw_transfer(
            offer_transfer(scene.namespace, by=representative, to=scene["participant"].email),
            by=representative,
        ),
        "offer": offer_transfer(scene.namespace, by=representative, to=recipient.email),
        "offer of an import": offer_transfer(imported(scene), by=scene["administrator"], to=recipient.email),
        "organisation": scene.organisation,
        "hidden organisation": hidden,
        "invitation": invite_member(
            scene.organisation, by=representative, email=recipient.email, part="editor"
        ),
        "membership": Membership.objects.get(user=editor, organisation=scene.organisation),
        "ended membership": Membership.objects.get(user=scene["former member"]),
        "membership of a hidden organisation": Membership.objects.get(user=editor, organisation=hidden),
        "request for an entry": request,
        "domain": add_domain(scene.organisation, by=representative, domain="trees.example.org"),
    }
    for state in ("reported", "confirmed"):
        seen = report_sighting(
            by=scene["participant"], nid=f"weeds-{state}", used_by="Weeds", source="A book"
        )
        found[f"{state} sighting"] = seen
    confirm_sighting(seen, by=scene["administrator"], reason="Read.")
    proof: dict[str, Any] = {"domain": "example.org", "verified_at": timezone.now(), "method": Method.DNS}
    for name, organisation in {"": scene.organisation, " of a hidden organisation": hidden}.items():
        found[f"verified domain{name}"] = OrganisationDomain.objects.create(
            organisation=organisation, checked_at=proof["verified_at"], **proof
        )
    assert found.keys() == READ_BY.keys()
    return found


@pytest.mark.exhaustive
@pytest.mark.slow
def test_the_models_and_the_tables_give_each_person_the_same_rows(scene: Scene, rows: dict[str, Any]) -> None:
    for name, row in rows.items():
        asking = EVERYONE if type(row) in OPEN_TO_STRANGERS else EVERYONE - {"stranger"}
        assert {each for each in asking if row in readable_by(scene[each], type(row))} == READ_BY[name], name
        if admin_site.is_registered(type(row)):
            table, administrators = admin_site.get_model_admin(type(row)), MEMBERS | ADMINISTRATORS
            listed = {each for each in administrators if row in table.get_queryset(a_request(scene[each]))}
            assert listed == READ_BY[name] & administrators - NOT_IN_TABLES.get(name, set()), name


def is_shown_offer(person: User, offer: Transfer) -> bool:
    is_addressed = person.is_verified and person.owns_address(offer.email)
    return offer.offered_by == person or is_addressed or may_offer_transfer(person, offer.namespace)


# The rules that are stated twice: by a predicate, for a row that was read, and by a queryset, for a table.
STATED_TWICE: dict[str, tuple[Callable[[Any, Any], bool], Callable[[Any], QuerySet[Any]]]] = {
    "edit a case": (is_editor, Case.objects.edited_by),
    "see a case": (may_see, Case.objects.visible_to),
    "read evidence": (may_see_evidence, NamespaceClaim.objects.with_evidence_for),
    "see a claim": (
        lambda person, claim: may_see_evidence(person, claim) or may_object(person, claim),
        NamespaceClaim.objects.visible_to,
    ),
    "see an offer": (is_shown_offer, Transfer.objects.visible_to),
}


@pytest.mark.exhaustive
@pytest.mark.slow
def test_predicates_and_querysets_state_the_same_rules(scene: Scene, rows: dict[str, Any]) -> None:
    # A claim for the organisation of the registrant, who does not object to it.
    pines = a_template(namespace_identifier="example-pines", syntax="Opaque.")
    of_contact = register_formal(pines, registrant=scene["contact"]).namespace
    own = claim_namespace(of_contact, by=scene["representative"], organisation=scene.organisation, **EVIDENCE)
    announce_claim(own, by=scene["administrator"], reason="Mails bounce.")
    for rule, (predicate, queryset) in STATED_TWICE.items():
        differing = set()
        for name in EVERYONE - {"stranger"}:
            person = scene[name]
            every = queryset(person).model._default_manager.all()
            found = {row for row in every if predicate(person, row)}
            assert found == set(queryset(person)), (rule, name)
            differing.add(frozenset(found))
        assert len(differing) > 2, rule


# When people may read what they once wrote, by the predicates of pages.
STILL_SHOWN_TO: dict[type[Model], Callable[[Any, Any], bool]] = {
    Case: is_editor,
    DraftVersion: lambda person, version: is_editor(person, version.case),
    Invitation: lambda person, invitation: is_editor(person, invitation.case),
    CannedText: CHANGE_CANNED_TEXT.permission,
    MembershipInvitation: lambda person, sent: is_representative(person, sent.organisation_id),
}


def test_the_export_has_what_a_person_wrote_while_pages_show_it_to_them(scene: Scene) -> None:
    organisation, editor, former = scene.organisation, scene["editor"], scene["recipient"]
    join(organisation, former, MemberRole.EDITOR, by=scene["representative"])
    begun = {}
    for person in (editor, former):
        case = drafts.create_case(
            by=person, kind=Kind.FORMAL, template=a_template(), organisation=organisation
        )
        begun[person] = drafts.save_draft(
            case, a_template(purpose="Mine."), by=person, stamp=case.draft_stamp
        )
    end_membership(membership_of(former), by=scene["representative"])
    for person, case in begun.items():
        Invitation.objects.create(case=case, email="someone@example.org", invited_by=person)
    for name in ("representative", "recipient"):
        sent = {"email": f"by-{name}@example.org", "part": MemberRole.EDITOR, "invited_by": scene[name]}
        MembershipInvitation.objects.create(organisation=organisation, **sent)
    for name in ("expert", "administrator"):
        CannedText.objects.create(title=name, text="Mine.", changed_by=scene[name])
    for model, is_shown in STILL_SHOWN_TO.items():
        # Of a case, the draft: its other columns, which come before it, are shown to more people.
        each = [each for each in EXPORTS if each.model is model][-1]
        found = {"shown": 0, "hidden": 0}
        for name in sorted(scene.people.keys() - {"stranger", "closed"}):
            written = model._default_manager.filter(each.about(scene[name]))
            expected = {row for row in written if is_shown(scene[name], row)}
            assert set(each.readable(scene[name]).filter(each.about(scene[name]))) == expected, (name, model)
            found["shown"] += len(expected)
            found["hidden"] += len(written) - len(expected)
        assert all(found.values()), (model, found)


def check_pages_and_api(scene: Scene, rows: dict[str, Any], people: set[str]) -> None:
    def is_listed(program: TokenClient, offer: Transfer) -> bool:
        offers = program.get(f"namespaces/{offer.namespace.nid}/transfers/").json()["results"]
        return offer.pk in {each["number"] for each in offers}

    scene.sign_in(*people)
    programs = {each: scene.programs[each] for each in people - {"stranger"}}
    for name, row in rows.items():
        page, resource = (address.format(row) for address in ADDRESSES[type(row)])
        seen = {each for each in people if scene.browsers[each].get(page).status_code == 200}
        assert seen == READ_BY[name] & people, name
        below = HAVE_PAGES[type(row)]
        if isinstance(row, Transfer):
            seen = {each for each, program in programs.items() if is_listed(program, row)}
        elif below is not None:
            path = resource.removeprefix("/") + below
            seen = {each for each, program in programs.items() if program.get(path).status_code == 200}
        assert seen - {"stranger"} == READ_BY[name] & programs.keys(), name


@pytest.mark.slow
def test_pages_and_api_show_a_row_of_each_kind_to_those_who_read_it(
    scene: Scene, rows: dict[str, Any]
) -> None:
    people = {"stranger", "participant", "representative", "administrator", "recipient"}
    names = (
        "draft",
        "claim for an organisation",
        "invitation",
        "offer",
        "hidden organisation",
        "reported sighting",
        "request for an entry",
    )
    assert {type(rows[each]) for each in names} == HAVE_PAGES.keys()
    assert all(READ_BY[each] & people and people - READ_BY[each] for each in names)
    check_pages_and_api(scene, {each: rows[each] for each in names}, people)


@pytest.mark.exhaustive
def test_pages_and_api_show_every_row_to_those_who_read_it(scene: Scene, rows: dict[str, Any]) -> None:
    """To one of those who read it, and to a quarter of all people, others for the next row."""
    with_pages = [name for name, row in rows.items() if type(row) in HAVE_PAGES]
    for number, name in enumerate(with_pages):
        readers, everyone = sorted(READ_BY[name]), sorted(EVERYONE)
        people = {readers[number % len(readers)], *everyone[number % 4 :: 4]}
        check_pages_and_api(scene, {name: rows[name]}, people)


def test_a_model_that_does_not_declare_its_readers_has_none() -> None:
    """The finding: everyone could read every token."""
    silent = [each for each in apps.get_models() if not declares_readers(each)]
    assert {Token, Webhook, StaffNote, Message, VerdictDraft, DraftVersion, Invitation} <= set(silent)
    for model in silent:
        with pytest.raises(TypeError, match="does not declare who may read a row"):
            may_read(AnonymousUser(), model(pk=1))


def test_the_tables_have_no_private_events_of_organisations_and_claims(scene: Scene) -> None:
    """Their actors and details name members and claimants."""
    announce_claim(
        a_claim(scene.namespace, by=scene["claimant"]), by=scene["administrator"], reason="Mails bounce."
    )
    private = Event.objects.filter(verb__in=["create_organisation", "accept_membership", "claim_namespace"])
    assert private.count() > 5
    for name in ("administrator", "representative"):
        readable = admin_site.get_model_admin(Event).get_queryset(a_request(scene[name]))
        assert not readable.filter(pk__in=private).exists()
        assert readable.filter(verb="announce_claim").exists()


@pytest.mark.exhaustive
def test_the_tables_have_no_event_of_a_claim_that_is_declared_as_private(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether or not the page of the claim has a line for it."""
    for is_public in (True, False):
        name = f"probe_{is_public}".lower()
        monkeypatch.setattr(claims, name.upper(), EventType(name=name, is_public=is_public), raising=False)
        log.append(name, by=scene["claimant"], nid=scene.namespace.nid, claim=1)
    listed = admin_site.get_model_admin(Event).get_queryset(a_request(scene["administrator"]))
    assert set(listed.filter(verb__startswith="probe").values_list("verb", flat=True)) == {"probe_true"}


@pytest.mark.exhaustive
def test_who_sees_a_draft_is_led_back_to_it_after_an_invitation(scene: Scene) -> None:
    """The finding: the page of an action had a rule of its own, which forgot members who do not edit."""
    draft = drafts.create_case(
        by=scene["representative"], kind=Kind.FORMAL, template=a_template(), organisation=scene.organisation
    )
    address = f"{draft.get_absolute_url()}decline-invitation/"
    for name, is_seen in (("contact", True), ("participant", False)):
        invite_co_editor(draft, by=scene["representative"], email=scene[name].email)
        client = signed_in(scene[name])
        assert (f'href="{draft.get_absolute_url()}"' in client.get(address).text) == is_seen
        answer = client.post(address)
        assert answer.headers["Location"] == (draft.get_absolute_url() if is_seen else "/mine/")
