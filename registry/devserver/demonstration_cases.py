"""The cases of the demonstration, one in each state and those of its informal namespaces, and its organisations."""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

from django.conf import settings
from django.utils import timezone

from registry.accounts.models import Body, Recognition, User
from registry.cases import audiences, comments
from registry.cases.drafts import drafts
from registry.cases.drafts.replies import DraftReply, open_points_of
from registry.cases.models import Case, Outcome
from registry.cases.workflow import functions
from registry.cases.workflow.functions.people import invite_co_editor
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.models import Kind, Namespace
from registry.namespaces.proposals.confirmation import ConfirmedProfile
from registry.namespaces.proposals.proposed_profile import ProposedProfile
from registry.organisations.actions.members import accept_membership, invite_member
from registry.organisations.actions.organisations import create_organisation
from registry.organisations.models import MemberRole, Organisation
from registry.registration_template.parsing.parser import parse_template
from registry.registration_template.template import RegistrationTemplate
from urnsyntax.profiles import load_profile


def make_arboretum(registrant: User, participant: User) -> Organisation:
    """Create an organisation with two representatives, and an open invitation."""
    arboretum: Organisation = create_organisation(
        by=registrant, name="Example Arboretum", homepage="https://arboretum.example.org/"
    )
    _join(arboretum, participant, MemberRole.REPRESENTATIVE, by=registrant)
    invite_member(arboretum, by=registrant, email="curator@example.org", part=MemberRole.CONTACT)
    return arboretum


def make_weather_service(second: User, registrant: User) -> Organisation:
    """Create an organisation with one representative, an editor, and an open invitation."""
    service: Organisation = create_organisation(by=second, name="Example Weather Service")
    _join(service, registrant, MemberRole.EDITOR, by=second)
    invite_member(service, by=second, email="participant@example.org", part=MemberRole.CONTACT)
    return service


def _join(organisation: Organisation, person: User, part: MemberRole, *, by: User) -> None:
    accept_membership(invite_member(organisation, by=by, email=person.email, part=part), by=person)


FIXTURES = settings.BASE_DIR / "fixtures"
# Advances the simulated time by a number of days.
AdvanceDays = Callable[[float], None]

MUSEUMS = ProposedProfile(
    title="Museums as institutions",
    summary="A museum keeps its name if it moves or changes its own. Catalogues of loans use the names.",
    abnf="museum = number check\nnumber = 5DIGIT\ncheck  = DIGIT ; as the specification defines",
    examples="urn:example-museums:004217  A museum of bridges\nurn:example-museums:000018\nurn:example-museums:900101",
    services="I2C https://museums.example/{nss}  Page of the museum, with its former names",
)
LIST_GRAMMAR = 'name = label ":" number\nlabel = 1*(ALPHA / DIGIT / "-")\nnumber = 1*6DIGIT'
# The informal namespaces below which `demonstration_registers` opens registers, and one without.
LISTS: list[dict[str, Any]] = tomllib.loads(
    (FIXTURES / "cases" / "registers.toml").read_text(encoding="utf-8")
)["namespaces"]


def person(name: str) -> User:
    return User.objects.get(email=f"{name}@example.org")


def template_of(name: str) -> RegistrationTemplate:
    text = (FIXTURES / "cases" / f"{name}.txt").read_text(encoding="utf-8")
    return replace(parse_template(text).template, date=timezone.now().date().isoformat())


def drafted(name: str, registrant: str, **options: Any) -> Case:
    defaults: dict[str, Any] = {"kind": Kind.FORMAL, "template": template_of(name)}
    return drafts.create_case(by=person(registrant), **(defaults | options))


def submitted(name: str, registrant: str, **options: Any) -> Case:
    return _submit(drafted(name, registrant, **options))


def _submit(case: Case) -> Case:
    return functions.submit(case, by=case.registrant, draft_stamp=case.draft_stamp)


def _save(case: Case, template: RegistrationTemplate, **choices: Any) -> Case:
    return drafts.save_draft(case, template, by=case.registrant, stamp=case.draft_stamp, **choices)


def _with_purpose(case: Case, addition: str) -> RegistrationTemplate:
    """Return the template of the draft with one more paragraph in the purpose."""
    return replace(case.draft_template, purpose=f"{case.draft_template.purpose}\n\n{addition}")


def _assigned(case: Case, advance_days: AdvanceDays, rationale: str, **options: Any) -> Case:
    functions.approve(case, by=person("expert"), round_number=1, rationale=rationale)
    advance_days(2)
    return functions.assign(case, by=person("administrator"), **options)


def _registered_twice(advance_days: AdvanceDays) -> Case:
    arboretum = make_arboretum(person("registrant"), person("participant"))
    first = submitted("example-trees-1", "registrant", organisation=arboretum)
    advance_days(9)
    _assigned(first, advance_days, "The names are well designed, and there is demand for them.")
    advance_days(30)
    case = drafts.start_revision(Namespace.objects.get(nid="example-trees"), by=person("registrant"))
    case = _submit(_save(case, template_of("example-trees-2")))
    advance_days(6)
    case = _assigned(
        case, advance_days, "All names of version 1 stay valid, and the differences are described."
    )
    set_profile(
        Namespace.objects.get(nid="example-trees"),
        by=person("administrator"),
        profile=load_profile(FIXTURES / "cases" / "example-trees.toml"),
        basis="Syntax, version 2: the grammar, and “the letter is equivalent in upper and lower case”.",
        replaces=0,
    )
    return case


def _registered_with_profile(stated: Mapping[str, Any], advance_days: AdvanceDays) -> Case:
    """Create a case of an informal namespace, in which labels are assigned, and whose profile was proposed and confirmed."""
    proposed = ProposedProfile(
        title=stated["title"],
        summary=stated["summary"],
        abnf=LIST_GRAMMAR,
        examples="\n".join(f"urn:urn-N:{label}:1" for label in stated["examples"]),
    )
    template = replace(template_of("informal-lists"), purpose=stated["summary"])
    case = submitted("informal-lists", "registrant", kind=Kind.INFORMAL, template=template, profile=proposed)
    advance_days(1)
    confirmed = ConfirmedProfile(proposed, (stated["subject"],))
    return _assigned(case, advance_days, "The labels and the numbers are unique.", profile=confirmed)


def _approved(advance_days: AdvanceDays) -> Case:
    """Create a case in its second round, which replies to the requests of the first and proposes a profile."""
    reviewer, complete = person("second-expert"), template_of("example-museums")
    vague = replace(complete, syntax=complete.syntax.replace(" Names are compared digit by digit.", ""))
    advance_days(1)
    case = submitted("example-museums", "second-registrant", template=vague)
    advance_days(3)
    case = functions.request_changes(
        case,
        by=reviewer,
        round_number=1,
        rationale="Two sections need more detail.",
        action_points=[
            ("syntax", "State how two names are compared."),
            ("resolution", "State whether a resolver is planned."),
        ],
    )
    done, not_done = (point.pk for point in open_points_of(case))
    replies = {
        done: DraftReply(Outcome.DONE, "Digit by digit, as the section now states."),
        not_done: DraftReply(Outcome.NOT_DONE, "Only the pages are planned, so the section stays as it is."),
    }
    advance_days(1)
    case = _submit(_save(case, complete, replies=replies, profile=MUSEUMS))
    advance_days(3)
    rationale = "Uniqueness and persistence are explained; the check digit is a good idea."
    return functions.approve(case, by=reviewer, round_number=2, rationale=rationale)


def _in_review(advance_days: AdvanceDays) -> Case:
    """Create a case with a discussion that leads to a second round and continues there."""
    advance_days(5)
    case = submitted("example-bridges", "second-registrant")
    audiences.subscribe(case, by=person("liaison"))
    comment = partial(comments.comment, case)
    question = comment(
        by=person("participant"),
        round_number=1,
        section="purpose",
        text="Does this include tunnels? Some crossings are half bridge and half tunnel.",
    )
    comment(
        by=person("expert"), round_number=1, text="Thank you for the request. I will review it this week."
    )
    advance_days(1)
    case = _submit(_save(case, _with_purpose(case, "A crossing that is partly a tunnel is one bridge.")))
    reply = comment(
        by=case.registrant, round_number=2, text="Yes, the purpose now states this.", reply_to=question.pk
    )
    comment(by=person("participant"), round_number=2, text="Thank you, that is clear.", reply_to=reply.pk)
    return case


def _informal_in_review(advance_days: AdvanceDays) -> Case:
    """Create a resubmitted case: the second round replies to the first and waits for an expert."""
    advance_days(2)
    case = submitted("informal-trails", "second-registrant", kind=Kind.INFORMAL)
    advance_days(2)
    case = functions.request_changes(
        case,
        by=person("expert"),
        round_number=1,
        rationale="One section needs more detail.",
        action_points=[("purpose", "State who will use the names.")],
    )
    advance_days(3)
    replies = {point.pk: DraftReply(Outcome.DONE) for point in open_points_of(case)}
    return _submit(_save(case, _with_purpose(case, "All hikers may use the names."), replies=replies))


def _changes_requested(advance_days: AdvanceDays) -> Case:
    advance_days(20)
    case = submitted("example-recipes", "registrant")
    advance_days(10)
    return functions.request_changes(
        case,
        by=person("expert"),
        round_number=1,
        rationale="A useful idea. Two sections need more detail before it can be approved.",
        action_points=[
            ("syntax", "State whether leading zeros are allowed, and which components are used."),
            ("assignment", "State what happens to a number if a book was catalogued twice."),
        ],
    )


def _declined(advance_days: AdvanceDays) -> Case:
    advance_days(3)
    arboretum = Organisation.objects.get(name="Example Arboretum")
    case = submitted("example-everything", "registrant", organisation=arboretum)
    advance_days(12)
    reason = "Nothing prevents two people from assigning one name to two things, which RFC 8141 rules out."
    return functions.decline(case, by=person("expert"), round_number=1, reason=reason)


def _withdrawn(advance_days: AdvanceDays) -> Case:
    advance_days(2)
    service = make_weather_service(person("second-registrant"), person("registrant"))
    case = submitted("example-weather", "second-registrant", organisation=service)
    advance_days(5)
    return functions.withdraw(case, by=case.registrant, reason="The stations will use existing names.")


def _awaiting_direction(advance_days: AdvanceDays) -> Case:
    advance_days(8)
    case = drafted("example-protocols", "second-registrant")
    case = _submit(_save(case, case.draft_template, standards_action=True))
    advance_days(14)
    report = (
        "The namespace is sound. Whether the specification is published is for the approval body to decide."
    )
    return functions.forward_report(case, by=person("expert"), round_number=1, report=report)


def _fast_track(advance_days: AdvanceDays) -> Case:
    decision = {
        "recognition": Recognition.RECOGNISED,
        "recognition_reference": "https://example.org/decisions/17",
    }
    body, _ = Body.objects.get_or_create(name="Example Standards Body", defaults=decision)
    body.representatives.add(person("registrant"))
    advance_days(1)
    case = submitted("example-beacons", "registrant", body=body)
    advance_days(1)
    rationale = "Consider stating in the syntax how long a name may be."
    return functions.advise(case, by=person("second-expert"), round_number=1, rationale=rationale)


def _fast_track_unrecognised(advance_days: AdvanceDays) -> Case:
    advance_days(1)
    body, _ = Body.objects.get_or_create(name="Example Society of Timetables")
    return submitted("example-timetables", "second-registrant", body=body)


def _begun(advance_days: AdvanceDays) -> Case:
    """Create a draft with an open invitation."""
    advance_days(0.5)
    case = drafted("example-lighthouses", "registrant")
    return invite_co_editor(case, by=case.registrant, email="participant@example.org")


# The start of the simulated history: the days of all `CASES` and of the registers, plus half a day.
PAST = timedelta(days=167)
# In chronological order.
CASES: tuple[Callable[[AdvanceDays], Case], ...] = (
    _registered_twice,
    *(partial(_registered_with_profile, each) for each in LISTS),
    _declined,
    _withdrawn,
    _changes_requested,
    _awaiting_direction,
    _in_review,
    _informal_in_review,
    _approved,
    _fast_track,
    _fast_track_unrecognised,
    _begun,
)
