"""The transitions by role, state and procedure, as a table.

The table is written by hand from the RFC, independently of `cases.workflow.declarations.transitions`.

A cell is the result for a person with the role of the transition:  yes  it is made;  -  it is not open in that state
(TransitionNotAllowed);  if  the state is right but a condition is not met (ConditionNotMet);  no  they do not have the
permission in that state (NotPermitted). All others are refused (NotPermitted), in every cell. The reviewer is an expert who gave a verdict on the latest round.

In a case of an organisation, each part is in the cast: only its representatives submit, appeal, request completion and withdraw,
and no member decides, in any role.
"""

from datetime import timedelta
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.utils import timezone

from registry.accounts.models import Body, Recognition, RoleName, User
from registry.actions.declarations import ConditionNotMet
from registry.cases.drafts import drafts
from registry.cases.models import Case, CoEditor, Recusal, Review, State, Verdict
from registry.cases.workflow import functions
from registry.cases.workflow.declarations.definition import CaseAction
from registry.cases.workflow.declarations.parameters import DRAFT_STAMP
from registry.cases.workflow.declarations.transitions import TRANSITIONS
from registry.cases.workflow.exceptions import TransitionNotAllowed
from registry.core.exceptions import NotPermitted, RegistryError
from registry.namespaces.actions.registration import register_formal
from registry.namespaces.models import Kind, Namespace
from registry.organisations.actions.organisations import create_organisation
from registry.organisations.models import MemberRole, Membership
from tests.support.factories import a_body, a_draft, a_namespace, a_person, a_template, put_in_state

TRANSITION_BY_NAME = {transition.name: transition for transition in TRANSITIONS}
COLUMNS = [
    "draft",
    "in_review",
    "changes_requested",
    "awaiting_direction",
    "approved",
    "registered",
    "declined",
    "withdrawn",
]

# 6.2: reviews decide; nothing goes to an approval body unless the registrant appeals.
COMMUNITY = """
submit                registrant     yes  yes  yes  -    -    -    -    -
request_changes       expert         -    yes  -    -    -    -    -    -
advise                expert         -    if   -    -    -    -    -    -
approve               expert         -    yes  -    -    -    -    -    -
forward_report        expert         -    if   -    -    -    -    -    -
direct                liaison        -    -    -    yes  -    -    -    -
return_to_experts     liaison        -    -    -    yes  -    -    -    -
decline               expert         -    yes  -    -    -    -    -    -
take_back             reviewer      no   if   -    if   yes  -    -    -
appeal                registrant     -    -    -    -    -    -    yes  -
recognise             liaison        -    if   -    -    -    -    -    -
refuse_recognition    liaison        -    if   -    -    -    -    -    -
request_completion    registrant     -    if   -    -    -    -    -    -
cancel_completion     registrant     -    -    -    -    if   -    -    -
leave_fast_track      registrant     -    if   -    -    -    -    -    -
assign                administrator  -    -    -    -    yes  -    -    -
return_to_registrant  administrator  -    -    -    -    yes  -    -    -
withdraw              registrant     yes  yes  yes  yes  yes  -    -    -
"""

# 6.2, step 4: a standards action is anticipated, so the experts report and the body directs.
STANDARDS_ACTION = """
submit                registrant     yes  yes  yes  -    -    -    -    -
request_changes       expert         -    yes  -    -    -    -    -    -
advise                expert         -    if   -    -    -    -    -    -
approve               expert         -    if   -    -    -    -    -    -
forward_report        expert         -    yes  -    -    -    -    -    -
direct                liaison        -    -    -    yes  -    -    -    -
return_to_experts     liaison        -    -    -    yes  -    -    -    -
decline               expert         -    yes  -    -    -    -    -    -
take_back             reviewer      no   if   -    yes  if   -    -    -
appeal                registrant     -    -    -    -    -    -    yes  -
recognise             liaison        -    if   -    -    -    -    -    -
refuse_recognition    liaison        -    if   -    -    -    -    -    -
request_completion    registrant     -    if   -    -    -    -    -    -
cancel_completion     registrant     -    -    -    -    if   -    -    -
leave_fast_track      registrant     -    if   -    -    -    -    -    -
assign                administrator  -    -    -    -    yes  -    -    -
return_to_registrant  administrator  -    -    -    -    yes  -    -    -
withdraw              registrant     yes  yes  yes  yes  yes  -    -    -
"""

# 6.3, before the approval body has said whether it recognises the requesting body.
FAST_TRACK_PENDING = """
submit                registrant     yes  yes  yes  -    -    -    -    -
request_changes       expert         -    if   -    -    -    -    -    -
advise                expert         -    yes  -    -    -    -    -    -
approve               expert         -    if   -    -    -    -    -    -
forward_report        expert         -    if   -    -    -    -    -    -
direct                liaison        -    -    -    yes  -    -    -    -
return_to_experts     liaison        -    -    -    yes  -    -    -    -
decline               expert         -    if   -    -    -    -    -    -
take_back             reviewer      no   if   -    if   if   -    -    -
appeal                registrant     -    -    -    -    -    -    yes  -
recognise             liaison        -    yes  -    -    -    -    -    -
refuse_recognition    liaison        -    yes  -    -    -    -    -    -
request_completion    registrant     -    if   -    -    -    -    -    -
cancel_completion     registrant     -    -    -    -    yes  -    -    -
leave_fast_track      registrant     -    yes  -    -    -    -    -    -
assign                administrator  -    -    -    -    yes  -    -    -
return_to_registrant  administrator  -    -    -    -    if   -    -    -
withdraw              registrant     yes  yes  yes  yes  yes  -    -    -
"""

# 6.3, recognised: reviews are advice, and the body's representative asks for completion.
FAST_TRACK_RECOGNISED = """
submit                registrant     yes  yes  yes  -    -    -    -    -
request_changes       expert         -    if   -    -    -    -    -    -
advise                expert         -    yes  -    -    -    -    -    -
approve               expert         -    if   -    -    -    -    -    -
forward_report        expert         -    if   -    -    -    -    -    -
direct                liaison        -    -    -    yes  -    -    -    -
return_to_experts     liaison        -    -    -    yes  -    -    -    -
decline               expert         -    if   -    -    -    -    -    -
take_back             reviewer      no   if   -    if   if   -    -    -
appeal                registrant     -    -    -    -    -    -    yes  -
recognise             liaison        -    if   -    -    -    -    -    -
refuse_recognition    liaison        -    if   -    -    -    -    -    -
request_completion    registrant     -    yes  -    -    -    -    -    -
cancel_completion     registrant     -    -    -    -    yes  -    -    -
leave_fast_track      registrant     -    yes  -    -    -    -    -    -
assign                administrator  -    -    -    -    yes  -    -    -
return_to_registrant  administrator  -    -    -    -    if   -    -    -
withdraw              registrant     yes  yes  yes  yes  yes  -    -    -
"""

# 6.2: a revision whose namespace was transferred after it was started can't continue.
FORMER_REGISTRANT = """
submit                registrant     if   if   if   -    -    -    -    -
request_changes       expert         -    yes  -    -    -    -    -    -
advise                expert         -    if   -    -    -    -    -    -
approve               expert         -    yes  -    -    -    -    -    -
forward_report        expert         -    if   -    -    -    -    -    -
direct                liaison        -    -    -    yes  -    -    -    -
return_to_experts     liaison        -    -    -    yes  -    -    -    -
decline               expert         -    yes  -    -    -    -    -    -
take_back             reviewer      no   if   -    if   yes  -    -    -
appeal                registrant     -    -    -    -    -    -    yes  -
recognise             liaison        -    if   -    -    -    -    -    -
refuse_recognition    liaison        -    if   -    -    -    -    -    -
request_completion    registrant     -    if   -    -    -    -    -    -
cancel_completion     registrant     -    -    -    -    if   -    -    -
leave_fast_track      registrant     -    if   -    -    -    -    -    -
assign                administrator  -    -    -    -    if   -    -    -
return_to_registrant  administrator  -    -    -    -    yes  -    -    -
withdraw              registrant     yes  yes  yes  yes  yes  -    -    -
"""

# A case of an organisation: its change controller (RFC 8126, Section 2.3) acts by its representatives.
ORGANISATION = """
submit                representative yes  yes  yes  -    -    -    -    -
request_changes       expert         -    yes  -    -    -    -    -    -
advise                expert         -    if   -    -    -    -    -    -
approve               expert         -    yes  -    -    -    -    -    -
forward_report        expert         -    if   -    -    -    -    -    -
direct                liaison        -    -    -    yes  -    -    -    -
return_to_experts     liaison        -    -    -    yes  -    -    -    -
decline               expert         -    yes  -    -    -    -    -    -
take_back             reviewer       no   if   -    if   yes  -    -    -
appeal                representative -    -    -    -    -    -    yes  -
recognise             liaison        -    if   -    -    -    -    -    -
refuse_recognition    liaison        -    if   -    -    -    -    -    -
request_completion    representative -    if   -    -    -    -    -    -
cancel_completion     representative -    -    -    -    if   -    -    -
leave_fast_track      representative -    if   -    -    -    -    -    -
assign                administrator  -    -    -    -    yes  -    -    -
return_to_registrant  administrator  -    -    -    -    yes  -    -    -
withdraw              representative yes  yes  yes  yes  yes  -    -    -
"""

TABLES = {
    "community": COMMUNITY,
    "informal": COMMUNITY,
    "revision": COMMUNITY,
    "revision of a former registrant": FORMER_REGISTRANT,
    "standards action": STANDARDS_ACTION,
    "fast track, recognition pending": FAST_TRACK_PENDING,
    "fast track, recognised": FAST_TRACK_RECOGNISED,
    "organisation": ORGANISATION,
    "revision of an organisation": ORGANISATION,
}
# The roles that act for the registrant, and see the draft.
FOR_THE_REGISTRANT = {"registrant", "representative"}
# The people of the cast who have a role under another name.
ROLES = {"reviewer": "expert", "representative with every role": "representative"}
EXPECTED: dict[str, type[RegistryError] | None] = {
    "yes": None,
    "-": TransitionNotAllowed,
    "if": ConditionNotMet,
    "no": NotPermitted,  # a draft has no verdict, so no one gave the latest
}


def sample_body(definition: CaseAction, case: Case) -> dict[str, Any]:
    """The example of the API's description, for the draft as it is."""
    stamp = {"draft_stamp": case.draft_stamp} if DRAFT_STAMP in definition.parameters else {}
    return definition.sample | stamp


def rows(table: str) -> dict[str, tuple[str, dict[str, str]]]:
    """{transition: (role, {state: cell})}"""
    split = [line.split() for line in table.strip().splitlines()]
    return {transition: (role, dict(zip(COLUMNS, cells, strict=True))) for transition, role, *cells in split}


def has_role(name: str, role: str) -> bool:
    """Whether this member of the cast has the role of a transition."""
    return role in {name, ROLES.get(name)}


def place_of(transition: str) -> tuple[str, str, str]:
    """The first table and state in which a transition is made, and the role of the person."""
    for name, table in TABLES.items():
        role, cells = rows(table)[transition]
        for state, cell in cells.items():
            if cell == "yes":
                return name, state, role
    raise AssertionError(f"the matrix does not make {transition}")


def a_case(table: str, state: str, registrant: User, expert: User, administrator: User) -> Case:
    """A case of the table's kind and procedure, with one round unless it is a draft, set down in `state`."""
    body = a_body() if table.startswith("fast track") else None
    if table.endswith("organisation"):
        case = of_an_organisation(registrant, is_revision=table.startswith("revision"))
    elif table.startswith("revision"):
        case = a_revision(registrant, expert, administrator)
    else:
        kind = Kind.INFORMAL if table == "informal" else Kind.FORMAL
        case = a_draft(by=registrant, kind=kind, body=body if state != "registered" else None)
    if state != "draft":
        case = functions.submit(case, by=registrant, draft_stamp=case.draft_stamp)
    if state == "registered":
        case = functions.approve(case, by=expert, round_number=1, rationale="Sound.")
        case = functions.assign(case, by=administrator)
    if table == "revision of a former registrant":
        heir = a_person(email="heir@example.org")
        Namespace.objects.filter(pk=case.namespace_id).update(registrant=heir)
    return put_down(case, table, state, body)


def put_down(case: Case, table: str, state: str, body: Body | None = None) -> Case:
    """The case in `state`, in the procedure of the table. On the fast track, it is one of `body`, or of a new one."""
    body = body or (a_body() if table.startswith("fast track") else None)
    return put_in_state(
        case,
        State(state),
        body=body,
        procedure="fast_track" if body else "community",
        standards_action=table == "standards action",
        recognition=_recognition(table),
        draft={**case.draft, "additional_information": "Changed since the last round."},
    )


def a_revision(registrant: User, expert: User, administrator: User) -> Case:
    """The draft of version 2."""
    return revised(a_namespace(by=registrant, expert=expert, administrator=administrator), registrant)


def of_an_organisation(representative: User, *, is_revision: bool) -> Case:
    """A draft of an organisation, which `representative` begins."""
    arboretum = create_organisation(by=representative, name="Example Arboretum")
    if is_revision:
        namespace = register_formal(a_template(), registrant=arboretum).namespace
        return revised(namespace, representative)
    return drafts.create_case(
        by=representative, kind=Kind.FORMAL, template=a_template(), organisation=arboretum
    )


def revised(namespace: Namespace, registrant: User) -> Case:
    case = drafts.start_revision(namespace, by=registrant)
    template = a_template(version=2, revision_information="Groups of trees are named too.")
    return drafts.save_draft(case, template, by=registrant, stamp=case.draft_stamp)


def _recognition(table: str) -> Recognition:
    return Recognition.RECOGNISED if table.endswith("recognised") else Recognition.PENDING


def members_of(case: Case) -> dict[str, User | AnonymousUser]:
    """Each part in the organisation of a case, and people who left it. The person who began the case is the registrant."""
    if case.organisation is None:
        return {}
    parts = {
        "representative": (MemberRole.REPRESENTATIVE, ()),
        "representative with every role": (MemberRole.REPRESENTATIVE, tuple(RoleName)),
        "editor": (MemberRole.EDITOR, ()),
        "contact": (MemberRole.CONTACT, ()),
        "member with every role": (MemberRole.CONTACT, tuple(RoleName)),
        "former member with every role": (MemberRole.REPRESENTATIVE, tuple(RoleName)),
    }
    people: dict[str, User | AnonymousUser] = {}
    for name, (part, roles) in parts.items():
        person = people[name] = a_person(email=f"{name.replace(' ', '-')}@arboretum.example.org", roles=roles)
        ended = timezone.now() + timedelta(seconds=1) if name.startswith("former") else None
        Membership.objects.create(organisation=case.organisation, user=person, part=part, ended_at=ended)
    # The person who began the case has left.
    own = Membership.objects.filter(organisation=case.organisation, user=case.registrant)
    own.update(ended_at=timezone.now())
    return people


def the_cast(case: Case, registrant: User) -> dict[str, User | AnonymousUser]:
    """Everyone who could act: each role once, and people with all roles who are excluded from the case."""
    every_role = tuple(RoleName)
    co_editor = a_person(email="interested@example.org", roles=every_role)
    CoEditor.objects.create(case=case, user=co_editor)
    recused = a_person(email="recused@example.org", roles=every_role)
    Recusal.objects.create(case=case, user=recused)
    reviewer = a_person(email="reviewer@example.org", roles=(RoleName.EXPERT,))
    if case.latest_round:
        verdict = Verdict.REPORT if case.standards_action else Verdict.APPROVE
        Review.objects.create(round=case.latest_round, expert=reviewer, verdict=verdict, rationale="Sound.")
    return members_of(case) | {
        "reviewer": reviewer,
        "stranger": AnonymousUser(),
        "participant": a_person(email="someone@example.org"),
        "registrant": registrant,
        "co-editor with every role": co_editor,
        "recused with every role": recused,
        "expert": a_person(email="expert-2@example.org", roles=(RoleName.EXPERT,)),
        "administrator": a_person(email="administrator-2@example.org", roles=(RoleName.ADMINISTRATOR,)),
        "liaison": a_person(email="liaison-2@example.org", roles=(RoleName.LIAISON,)),
    }
