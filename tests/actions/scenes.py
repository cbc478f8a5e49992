"""Scenes for every action: subjects on which it is open, and everyone who could act on them.

People who have an interest in the subject have every role, so that what is refused to them is refused for the interest.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from operator import attrgetter
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.test import Client
from django.utils import timezone

from registry.accounts.closing import close_account
from registry.accounts.models import Body, Recognition, RoleName, User
from registry.audit_log.models import Event
from registry.cases.canned_texts import add_canned_text
from registry.cases.drafts import drafts
from registry.cases.models import CannedText, Case, CoEditor
from registry.cases.workflow import functions
from registry.cases.workflow.declarations.definition import CaseAction
from registry.cases.workflow.functions.people import invite_co_editor
from registry.custody.actions.claims import announce_claim, claim_namespace
from registry.custody.models import NamespaceClaim
from registry.domains.actions import add_domain
from registry.domains.models import OrganisationDomain
from registry.mail import outbox
from registry.mail.models import Message
from registry.namespaces.actions.profiles import set_profile as write_profile
from registry.namespaces.actions.registration import register_formal
from registry.namespaces.actions.transfers import offer_transfer
from registry.namespaces.models import Kind, Namespace, Transfer
from registry.organisations.actions.members import end_membership, invite_member
from registry.organisations.models import MemberRole, Membership, MembershipInvitation, Organisation
from registry.registers.actions import registers
from registry.registers.models import Entry, EntryOffer, EntryRequest, Register
from registry.resolution.actions import confirm_host
from registry.review_desk.models import CaseAssignment
from registry.sightings.actions import report_sighting
from registry.sightings.models import Sighting, SightingState
from registry.webhooks.actions import pause_webhook, register_webhook
from registry.webhooks.models import Webhook
from tests.actions.register_scenes import (
    ASKED,
    OPENED,
    change_request,
    entry,
    entry_offer,
    entry_request,
    held_entry,
    recalled_entry,
    register,
    suspended_register,
)
from tests.api.client import TokenClient
from tests.cases.workflow.matrix import ORGANISATION, place_of, put_down, rows, sample_body, the_cast
from tests.custody.conftest import a_claim
from tests.custody.test_claims import let_time_pass
from tests.organisations.conftest import an_organisation, join, membership_of
from tests.resolution.conftest import a_profile_with, a_service
from tests.support.browser import signed_in
from tests.support.factories import a_body, a_person, a_profile, a_template, an_imported_namespace, describe
from tests.support.webhooks import confirmed

EVERY_ROLE = tuple(RoleName)
MEMBERS = {
    "representative": MemberRole.REPRESENTATIVE,
    "editor": MemberRole.EDITOR,
    "contact": MemberRole.CONTACT,
    "former member": MemberRole.REPRESENTATIVE,
}


@dataclass
class Scene:
    """The people of a scene by their names, and what they act on.

    The account of "closed" is closed after its program and its browser signed in. The person has its roles as a request read
    them before.
    """

    people: dict[str, Any]
    case: Any = None
    namespace: Any = None
    organisation: Any = None
    webhook: Any = None
    programs: dict[str, TokenClient] = field(default_factory=dict)
    browsers: dict[str, Client] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.sign_in("stranger", "closed")
        assert self["closed"].roles == set(EVERY_ROLE)
        close_account(User.objects.get(pk=self["closed"].pk), by=None, reason="Left the registry.")

    def __getitem__(self, name: str) -> Any:
        return self.people[name]

    @property
    def holder(self) -> Any:
        """The registrant of the namespace, or who represents the organisation."""
        return self.people.get("registrant") or self["representative"]

    def sign_in(self, *names: str) -> None:
        """Give people browsers with a recent sign-in, and programs with every scope."""
        for name in names:
            person = self[name]
            if name not in self.browsers:
                self.browsers[name] = signed_in(person) if isinstance(person, User) else Client()
            if isinstance(person, User) and name not in self.programs:
                self.programs[name] = TokenClient(person)


def someone(name: str, *roles: RoleName) -> User:
    return a_person(email=f"{name.replace(' ', '-')}@example.org", roles=roles)


def usual_people() -> dict[str, Any]:
    """Those who have no interest in anything, with each role, and those who never act."""
    names = {
        "administrator": [RoleName.ADMINISTRATOR],
        "closed": EVERY_ROLE,
        "participant": [],
        "expert": [RoleName.EXPERT],
        "leader": [RoleName.LEADER],
        "liaison": [RoleName.LIAISON],
    }
    return {"stranger": AnonymousUser(), **{name: someone(name, *roles) for name, roles in names.items()}}


def case_of_a_person() -> Scene:
    return _case_scene(someone("registrant", *EVERY_ROLE))


def case_of_an_organisation() -> Scene:
    founder = someone("founder")
    return _case_scene(founder, an_organisation(by=founder))


def _case_scene(by: User, organisation: Organisation | None = None) -> Scene:
    """A case in review, with one finding, and with the cast of the matrix."""
    template = a_template(assignment="Each garden numbers its trees.")
    case = drafts.create_case(by=by, kind=Kind.FORMAL, template=template, organisation=organisation)
    case = functions.submit(case, by=by, draft_stamp=case.draft_stamp)
    cast: dict[str, Any] = the_cast(case, by)
    cast |= {"leader": someone("leader", RoleName.LEADER), "invited": someone("invited")}
    invite_co_editor(case, by=cast.get("representative", by), email=cast["invited"].email)
    CaseAssignment.objects.create(case=case, person=cast["reviewer"])
    return Scene({**cast, "closed": someone("closed", *EVERY_ROLE)}, case=case)


def namespace_of_a_person() -> Scene:
    people = usual_people() | {"registrant": someone("registrant", *EVERY_ROLE)}
    return _namespace_scene(people, people["registrant"])


def organisation_with_a_namespace() -> Scene:
    people = usual_people() | {name: someone(name, *EVERY_ROLE) for name in MEMBERS}
    founder = someone("founder")
    arboretum = an_organisation(by=founder)
    for name, part in MEMBERS.items():
        join(arboretum, people[name], part, by=founder)
    end_membership(membership_of(people["former member"]), by=founder)
    scene = _namespace_scene(people, arboretum)
    scene.organisation = arboretum
    return scene


def _namespace_scene(people: dict[str, Any], registrant: User | Organisation) -> Scene:
    people |= {"claimant": someone("claimant", *EVERY_ROLE), "recipient": someone("recipient")}
    an_imported_namespace("isbn")
    namespace = register_formal(a_template(), registrant=registrant).namespace
    return Scene(people, namespace=describe(namespace, a_profile_with(a_service())))


def registry_itself() -> Scene:
    people = usual_people() | {"owner": someone("owner", *EVERY_ROLE)}
    made = register_webhook(by=people["owner"], url="https://hooks.example.org/")
    return Scene(people, webhook=confirmed(made.record))


# The addresses of subjects: of their pages, and in the API. The page of a person's own account has none before it.
ADDRESSES: dict[type[Any], tuple[str, str]] = {
    Body: ("/desk/bodies/{0.pk}/", ""),
    CannedText: ("/desk/texts/{0.pk}/", ""),
    Case: ("/cases/{0.pk}/", "cases/{0.pk}/"),
    Event: ("/desk/corrections/{0.number}/", ""),
    Membership: ("/organisations/{0.organisation_id}/members/{0.pk}/",) * 2,
    MembershipInvitation: ("/organisations/{0.organisation_id}/invitations/{0.pk}/",) * 2,
    Message: ("/desk/outbox/{0.pk}/", ""),
    Namespace: ("/namespaces/{0.nid}/",) * 2,
    NamespaceClaim: ("/namespaces/{0.namespace.nid}/claims/{0.pk}/", "claims/{0.pk}/"),
    Organisation: ("/organisations/{0.pk}/",) * 2,
    Register: ("/namespaces/{0.namespace.nid}/register/",) * 2,
    EntryRequest: ("/namespaces/{0.register.namespace.nid}/register/requests/{0.pk}/",) * 2,
    Entry: ("/namespaces/{0.register.namespace.nid}/entries/{0.pk}/",) * 2,
    EntryOffer: ("/namespaces/{0.entry.register.namespace.nid}/entries/{0.entry_id}/offers/{0.pk}/",) * 2,
    Sighting: ("/sightings/{0.pk}/", "sightings/{0.pk}/"),
    OrganisationDomain: ("/organisations/{0.organisation_id}/domains/{0.pk}/",) * 2,
    Transfer: ("/namespaces/{0.namespace.nid}/transfers/{0.pk}/",) * 2,
    Webhook: ("/accounts/webhooks/{0.pk}/", "account/webhooks/{0.pk}/"),
    type(None): ("/", ""),
}


@dataclass(frozen=True)
class Attempt:
    """What carries out an action: the subject, the arguments of its function, and addresses, below that of the subject.

    The fields of the page and the members of the request follow from the arguments, unless `form` and `body` have them. `api`
    begins with a method. Without `page` or `api`, the action is not there.
    """

    subject: Any
    page: str | None = None
    api: str = ""
    arguments: dict[str, Any] = field(default_factory=dict)
    form: dict[str, Any] = field(default_factory=dict)
    body: dict[str, Any] | None = None

    @property
    def page_address(self) -> str:
        address = self.page or ""
        return address if address.startswith("/desk/") else self._root(0) + address

    @property
    def api_address(self) -> str:
        return self._root(1).removeprefix("/") + self.api.partition(" ")[2]

    def _root(self, channel: int) -> str:
        return ADDRESSES[type(self.subject)][channel].format(self.subject)


MakeAttempt = Callable[[Scene], Attempt]


def on(
    subject: Callable[[Scene], Any],
    page: str | None = None,
    api: str = "",
    *,
    decision: str = "",
    **arguments: Any,
) -> MakeAttempt:
    """An attempt with these arguments. `decision` is the field that names the action, on a page with several."""
    form = {"decision": decision} if decision else {}
    return lambda scene: Attempt(subject(scene), page, api, arguments, form)


def declaring_fields(scene: Scene) -> Attempt:
    """An attempt whose fields are rows on the page."""
    declared = {"label": "Opened on", "kind": "date"}
    rows = {"fields-TOTAL_FORMS": 1, "fields-INITIAL_FORMS": 0}
    rows |= {f"fields-0-{name}": value for name, value in declared.items()}
    given = {"fields": [declared], "replaces": 1}
    return Attempt(register(scene), "fields/", "post fields/", given, rows)


def nothing(scene: Scene) -> None:
    """The subject of an action on one's own account."""


its_case, its_namespace, its_organisation, its_webhook = map(
    attrgetter, ("case", "namespace", "organisation", "webhook")
)


def imported(scene: Scene) -> Namespace:
    return Namespace.objects.get(nid="isbn")


def case_action(action: CaseAction) -> MakeAttempt:
    """An action of a case, with the example of the API's description, in a state of the matrix in which it is open."""
    name = action.name

    def attempt(scene: Scene) -> Attempt:
        case, form = scene.case, dict[str, Any]()
        if name in rows(ORGANISATION):
            case = put_down(case, *_table_and_state(name, is_of_organisation=case.organisation is not None))
        body = sample_body(action, case)
        if "email" in body:
            whom = {"withdraw_invitation": "invited", "remove_co_editor": "co-editor with every role"}.get(
                name
            )
            body["email"] = scene[whom].email if whom else "new@example.org"
        arguments = {each.argument: body[each.member] for each in action.parameters if each.member in body}
        if name == "remove_co_editor":
            form["person"] = CoEditor.objects.get(case=case).user_id
        if points := body.get("action_points"):
            arguments["action_points"] = [(point["section"], point["text"]) for point in points]
            form = {"points-TOTAL_FORMS": 1, "points-INITIAL_FORMS": 0}
            form |= {f"points-0-{key}": value for key, value in points[0].items()}
        desk = f"/desk/cases/{case.pk}/" if name == "dismiss_finding" else ""
        return Attempt(case, f"{desk}{action.slug}/", f"post {action.slug}/", arguments, form, body)

    return attempt


def _table_and_state(transition: str, *, is_of_organisation: bool) -> tuple[str, str]:
    if not is_of_organisation:
        return place_of(transition)[:2]
    _, cells = rows(ORGANISATION)[transition]
    return "organisation", next(state for state, cell in cells.items() if cell == "yes")


def at_the_desk(what: str, **arguments: Any) -> MakeAttempt:
    return lambda scene: Attempt(scene.case, f"/desk/cases/{scene.case.pk}/{what}/", arguments=arguments)


def take_case(scene: Scene) -> Attempt:
    CaseAssignment.objects.all().delete()
    return at_the_desk("claim")(scene)


def hand_over_case(scene: Scene) -> Attempt:
    heir = someone("heir", RoleName.EXPERT)
    page = f"/desk/cases/{scene.case.pk}/hand-over/"
    return Attempt(scene.case, page, arguments={"to": heir}, form={"to": heir.pk})


def set_profile(scene: Scene) -> Attempt:
    removal = {"profile": None, "basis": "It is wrong.", "replaces": 1}
    return Attempt(scene.namespace, "profile/edit/", "post profile/", removal, {"profile": ""})


def import_subnamespaces(scene: Scene) -> Attempt:
    set_levels(scene.namespace)
    sent = {
        "document": '{"prefix": "12", "title": "Kew", "source": "List", "as_of": "2026-01-31"}',
        "list_format": "jsonl",
        "basis": "The list of trees.",
        "replaces": 0,
    }
    return Attempt(scene.namespace, "subnamespaces/import/", "post subnamespaces/import/", sent)


def set_levels(namespace: Namespace) -> None:
    """Set a profile with a level whose list is free, so that any list fits it."""
    profile = a_profile(levels=[{"name": "garden", "coverage": "free"}])
    last = namespace.profile_versions.last()
    write_profile(namespace, by=None, profile=profile, basis="Levels.", replaces=last.version if last else 0)
    namespace.refresh_from_db()


def offer(scene: Scene) -> Transfer:
    return offer_transfer(scene.namespace, by=scene.holder, to=scene["recipient"].email)


EVIDENCE = {"ground": "domain", "statement": "I work there."}


def recover(scene: Scene) -> Attempt:
    body = {**EVIDENCE, "is_recovery": True}
    return Attempt(scene.namespace, "recover/", "post claims/", EVIDENCE, body=body)


def claim(scene: Scene) -> NamespaceClaim:
    return a_claim(scene.namespace, by=scene["claimant"])


def claim_of_import(scene: Scene) -> NamespaceClaim:
    return a_claim(imported(scene), by=scene["claimant"])


def claim_for_organisation(scene: Scene) -> NamespaceClaim:
    claimed = imported(scene)
    return claim_namespace(claimed, by=scene.holder, organisation=scene.organisation, **EVIDENCE)


def announced_claim(scene: Scene) -> NamespaceClaim:
    another = someone("announcer", RoleName.ADMINISTRATOR)
    return announce_claim(claim(scene), by=another, reason="Mails bounce.")


def due_claim(scene: Scene) -> NamespaceClaim:
    return let_time_pass(announced_claim(scene))


SEEN = {
    "nid": "example-weeds",
    "used_by": "A garden program",
    "example": "",
    "source": "https://example.org/",
}
READ = {"reason": "The page says so."}


def sighting(scene: Scene) -> Sighting:
    """One that the owner reported, who is an administrator."""
    return report_sighting(by=scene["owner"], **SEEN)


def loaded_sighting(scene: Scene) -> Sighting:
    """One that comes with the registry."""
    now = timezone.now()
    return Sighting.objects.create(state=SightingState.CONFIRMED, decided_at=now, **SEEN)


def name_reviewer(scene: Scene) -> Attempt:
    sent = {"email": scene["contact"].email}
    at = "reviewers/", "post name-reviewer/"
    return Attempt(register(scene), *at, sent, {"decision": "name", **sent})


def remove_reviewer(scene: Scene) -> Attempt:
    attempt = name_reviewer(scene)
    registers.name_reviewer(attempt.subject, by=scene.holder, **attempt.arguments)
    form = attempt.form | {"decision": "remove"}
    return replace(attempt, api="post remove-reviewer/", form=form)


HOST = "trees.example"
BASIS = {"basis": "dns", "evidence": "Its TXT record, read today."}


def with_confirmed_host(scene: Scene) -> Any:
    confirm_host(scene.namespace, by=scene["administrator"], host=HOST, **BASIS)
    return scene.namespace


def event_of_namespace(scene: Scene) -> Event:
    return Event.objects.filter(nid=scene.namespace.nid).latest("number")


def event_of_case(scene: Scene) -> Event:
    return Event.objects.get(verb="submit")


def invitation(scene: Scene) -> MembershipInvitation:
    return invite_member(scene.organisation, by=scene.holder, email=scene["recipient"].email, part="editor")


def membership_of_the_editor(scene: Scene) -> Membership:
    return membership_of(scene["editor"])


def domain(scene: Scene) -> OrganisationDomain:
    return add_domain(scene.organisation, by=scene.holder, domain="arboretum.example.org")


def move_to_organisation(scene: Scene) -> Attempt:
    oaks = a_template(namespace_identifier="example-oaks")
    own = register_formal(oaks, registrant=scene["representative"]).namespace
    moved, form, body = {"namespaces": [own]}, {"namespaces": own.pk}, {"nids": [own.nid]}
    return Attempt(scene.organisation, "namespaces/", "post namespaces/", moved, form, body)


def unconfirmed_webhook(scene: Scene) -> Webhook:
    return register_webhook(by=scene["owner"], url="https://hooks.example.org/unconfirmed").record


def paused_webhook(scene: Scene) -> Webhook:
    return pause_webhook(scene.webhook, by=scene["owner"])


def canned_text(scene: Scene) -> CannedText:
    return add_canned_text(by=scene["expert"], title="Syntax", text="The syntax is clear.")


def mail(scene: Scene) -> Message:
    return outbox.post_rendered("email_added", to="someone@example.org", subject="Added", body="An address.")


def recognised_body(scene: Scene) -> Body:
    return a_body(recognition=Recognition.RECOGNISED)


def recognise_body(scene: Scene) -> Attempt:
    """To recognise a body again records another representative."""
    arguments = {"reference": "Minutes 7", "representative": scene["participant"]}
    form = {"decision": "recognise_body", "representative": scene["participant"].email}
    return Attempt(recognised_body(scene), "", arguments=arguments, form=form)


TODAY = timezone.now().date()
ABSENCE = {"first_day": TODAY, "last_day": TODAY + timedelta(days=3)}
NAMED = {"name": "Example Garden", "homepage": ""}
TARGET = {"url": "https://other.example.org/", "verbs": [], "nids": []}
TEXT = {"title": "Uniqueness", "text": "The names are unique."}
CONTACT = {"name": "Trees", "email": "trees@example.org", "reason": "They answer."}
CHECKED = {"reason": "The domain is theirs."}
# How each action is tried. All others are actions of a case.
ATTEMPTS: dict[str, MakeAttempt] = {
    "take_case": take_case,
    "hand_over_case": hand_over_case,
    "release_case": at_the_desk("release"),
    "comment": on(its_case, "comment/", "post comments/", round_number=1, text="Which trees?"),
    "add_note": at_the_desk("notes", text="Noted."),
    "deprecate": on(its_namespace, "deprecate/", "post deprecate/", statement="It is no longer used."),
    "set_profile": set_profile,
    "import_subnamespaces": import_subnamespaces,
    "offer_transfer": on(its_namespace, "offer-transfer/", "post transfers/", to="new@example.org"),
    "offer_transfer of an import": on(imported, "offer-transfer/", "post transfers/", to="new@example.org"),
    "accept_transfer": on(offer, "", "post accept/", decision="accept"),
    "decline_transfer": on(offer, "", "post decline/", decision="decline"),
    "withdraw_transfer": on(offer, "", "post withdraw/", decision="withdraw"),
    "change_contact": on(its_namespace, "contact/", "post contact/", **CONTACT),
    "confirm_contact": on(its_namespace, None, "post contact/confirm/"),
    "claim_namespace": on(its_namespace, "claim/", "post claims/", **EVIDENCE),
    "recover_organisation": recover,
    "withdraw_claim": on(claim, "", "post withdraw/", decision="withdraw"),
    "announce_claim": on(claim, "", "post announce/", decision="announce", **CHECKED),
    "decline_claim": on(claim, "", "post decline/", decision="decline", **CHECKED),
    "decline_claim for an organisation": on(
        claim_for_organisation, "", "post decline/", decision="decline", **CHECKED
    ),
    "approve_claim": on(due_claim, "", "post approve/", decision="approve", **CHECKED),
    "approve_claim of an import": on(claim_of_import, "", "post approve/", decision="approve", **CHECKED),
    "object_to_claim": on(announced_claim, "", "post object/", decision="object"),
    "open_register": on(its_namespace, "register/open/", "post register/", **OPENED),
    "change_register": on(register, "change/", "post change/", policy="closed", title="Gardens", replaces=1),
    "declare_fields": declaring_fields,
    "suspend_register": on(register, "suspend/", "post suspend/", reason="Order 17."),
    "resume_register": on(suspended_register, "resume/", "post resume/", reason="It was lifted."),
    "register_entry": on(register, "entries/", "post entries/", label="17", title="Kew Gardens"),
    "write_entries": on(
        register,
        "entries/import/",
        "post entries/bulk/",
        document='{"label": "17", "title": "Kew Gardens"}',
        list_format="jsonl",
        replaces=0,
    ),
    "request_entry": on(register, "request/", "post requests/", **ASKED),
    "comment_on_request": on(entry_request, "", "post comments/", decision="comments", text="Which?"),
    "accept_request": on(entry_request, "accept/", "post accept/", revision=1),
    "ask_for_changes": on(entry_request, "", "post ask/", decision="ask", text="Say more.", revision=1),
    "refuse_request": on(entry_request, "refuse/", "post refuse/", reason="There is none.", revision=1),
    "revise_request": on(entry_request, "revise/", "post revise/", **ASKED | {"label": "18", "revision": 1}),
    "withdraw_request": on(entry_request, "", "post withdraw/", decision="withdraw"),
    "change_entry": on(
        entry, "change/", "post change/", title="Kew", status="active", register_version=1, replaces=1
    ),
    "revise_change": on(
        change_request,
        "revise-change/",
        "post revise-change/",
        title="Kew",
        status="deprecated",
        register_version=1,
        replaces=1,
        revision=1,
    ),
    "offer_entry": on(entry, "offer/", "post offers/", to="heir@example.org"),
    "accept_entry": on(entry_offer, "", "post accept/", decision="accept"),
    "decline_entry": on(entry_offer, "", "post decline/", decision="decline"),
    "withdraw_offer": on(entry_offer, "", "post withdraw/", decision="withdraw"),
    "recall_entry": on(held_entry, "recall/", "post recall/", reason="No answer."),
    "keep_entry": on(recalled_entry, "keep/", "post keep/"),
    "open_branch": on(entry, "open/", "post register/", policy="closed", title="Trees"),
    "name_reviewer": name_reviewer,
    "remove_reviewer": remove_reviewer,
    "confirm_host": on(its_namespace, f"hosts/{HOST}/confirm/", host=HOST, **BASIS),
    "withdraw_host": on(with_confirmed_host, f"hosts/{HOST}/withdraw/", host=HOST, reason="It was sold."),
    "correct": on(event_of_namespace, "", wrong="The day.", right="A day before."),
    "correct of a case": on(event_of_case, "", wrong="The day.", right="A day before."),
    "describe_organisation": on(its_organisation, "edit/", "put ", **NAMED),
    "invite_member": on(
        its_organisation, "members/", "post invitations/", email="new@example.org", part="editor"
    ),
    "accept_membership": on(invitation, "", "post accept/", decision="accept"),
    "decline_membership": on(invitation, "", "post decline/", decision="decline"),
    "withdraw_membership_invitation": on(invitation, "", "post withdraw/", decision="withdraw"),
    "change_part": on(membership_of_the_editor, "", "put ", part="contact"),
    "remove_member": on(membership_of_the_editor, "end/", "delete "),
    # Its page and its endpoint are those of removing a member.
    "leave_organisation": on(membership_of_the_editor),
    "add_domain": on(its_organisation, "domains/", "post domains/", domain="trees.example.org"),
    "request_check": on(domain, "check/", "post check/"),
    "remove_domain": on(domain, "remove/", "delete "),
    "move_to_organisation": move_to_organisation,
    "create_organisation": on(nothing, "organisations/new/", "post organisations/", **NAMED),
    "report_sighting": on(nothing, "sightings/new/", "post sightings/", **SEEN),
    "confirm_sighting": on(sighting, "", "post confirm/", decision="confirm", **READ),
    "decline_sighting": on(sighting, "", "post decline/", decision="decline", **READ),
    "remove_sighting": on(loaded_sighting, "", "post remove/", decision="remove", **READ),
    "create_webhook": on(nothing, "accounts/webhooks/register/", "post account/webhooks/", **TARGET),
    "change_webhook": on(its_webhook, "change/", "put ", **TARGET),
    "challenge_webhook": on(unconfirmed_webhook, "", "post challenge/", decision="challenge"),
    "pause_webhook": on(its_webhook, "", "post pause/", decision="pause"),
    "resume_webhook": on(paused_webhook, "", "post resume/", decision="resume"),
    "rotate_webhook_secret": on(its_webhook, "secret/", "post rotate-secret/"),
    "test_webhook": on(its_webhook, "", "post test/", decision="test"),
    "replay_webhook": on(its_webhook, "", "post replay/", decision="replay", since=0),
    "delete_webhook": on(its_webhook, "delete/", "delete "),
    "add_absence": on(nothing, "desk/absences/", **ABSENCE),
    "add_canned_text": on(nothing, "desk/texts/new/", **TEXT),
    "change_canned_text": on(canned_text, "", **TEXT),
    "remove_canned_text": on(canned_text, "remove/"),
    "retry_mail": on(mail, "", decision="retry"),
    "discard_mail": on(mail, "", decision="discard", reason="No such address."),
    "recognise_body": recognise_body,
    "refuse_body": on(recognised_body, "", decision="refuse_body", reference="Minutes 7"),
    "withdraw_recognition": on(recognised_body, "", decision="withdraw_recognition", reference="Minutes 7"),
}
