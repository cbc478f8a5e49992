"""The actions of a case that do not change its state, and the events that belong to no action of their own."""

from registry.audit_log.models import Event
from registry.cases import permissions
from registry.cases.models import OPEN_STATES, State
from registry.cases.workflow.conditions import COMMUNITY, HAS_CO_EDITORS
from registry.cases.workflow.definition import INFORMED, Action, Audience, EventType
from registry.cases.workflow.exceptions import (
    AlreadyAnEditor,
    FindingBlocks,
    HasActed,
    NoSuchFinding,
    NotAnEditor,
)
from registry.cases.workflow.parameters import (
    ROUND_NUMBER,
    Account,
    CoEditorAccount,
    Text,
    YesOrNo,
    optional_reason,
)


def _anticipated(event: Event) -> str:
    return f"{'A' if event.details['anticipated'] else 'No'} standards action is anticipated"


def _required(event: Event) -> str:
    return "Two experts must agree" if event.details["required"] else "The first answer decides"


def _left_or_removed(event: Event) -> str:
    has_left = event.details.get("person") == event.actor_id
    return "Left the case as a co-editor" if has_left else "Removed {person} as a co-editor"


ANTICIPATE_STANDARDS_ACTION = Action(
    name="anticipate_standards_action",
    label="Say whether a standards action is anticipated",
    effect=(
        "Where the namespace or its definition is to become part of a standard, the experts report to the "
        "approval body, which directs. Otherwise they approve or decline themselves."
    ),
    success="The decision is recorded.",
    past=_anticipated,
    permission=permissions.is_expert,
    sources=frozenset({State.IN_REVIEW}),
    conditions=(COMMUNITY,),
    parameters=(
        YesOrNo(
            "anticipated", "A standards action", sample=True, yes="is anticipated", no="is not anticipated"
        ),
        Text("reason", "Reason", lines=4, sample="A specification is on its way."),
    ),
)
REQUIRE_TWO_EXPERTS = Action(
    name="require_two_experts",
    label="Say whether two experts must agree",
    effect=(
        "Where two are required, a round is approved, declined or reported on when two experts say the same of "
        "it. One expert can always ask for changes."
    ),
    success="The decision is recorded.",
    past=_required,
    permission=permissions.is_expert,
    sources=frozenset({State.IN_REVIEW}),
    conditions=(COMMUNITY,),
    parameters=(
        YesOrNo(
            "required",
            "Two experts",
            sample=True,
            yes="must agree",
            no="are not required: the first answer decides",
        ),
        Text("reason", "Reason", lines=4, sample="It touches many others."),
    ),
)
RECUSE = Action(
    name="recuse",
    label="Step back from this case",
    effect="You step back for good: no more acting in this case as expert, administrator or liaison.",
    success="You are recused from this case.",
    past="Stepped back from the case",
    permission=permissions.may_recuse,
    sources=frozenset(OPEN_STATES),
    parameters=(optional_reason("It may stay empty. Everyone can read it."),),
    is_grave=True,
)
ADD_CO_EDITOR = Action(
    name="add_co_editor",
    label="Add a co-editor",
    effect=(
        "A co-editor sees and writes the draft, is told of every move, and can't act in the case as expert, "
        "administrator or liaison. You alone submit it, and can withdraw it."
    ),
    success="The co-editor is added.",
    past="Added {person} as a co-editor",
    permission=permissions.is_registrant,
    sources=frozenset(OPEN_STATES),
    parameters=(Account("user", "E-mail address of their account", sample="co-editor@example.org"),),
    refusals=(AlreadyAnEditor, HasActed),
    mailed_to=(*INFORMED, Audience.PERSON),
)
REMOVE_CO_EDITOR = Action(
    name="remove_co_editor",
    label="Remove a co-editor",
    effect=(
        "They don't see the draft any more. Whoever wrote in it stays barred from acting in the case as "
        "expert, administrator or liaison."
    ),
    success="The co-editor is removed.",
    past=_left_or_removed,
    permission=permissions.is_editor,
    sources=frozenset(OPEN_STATES),
    conditions=(HAS_CO_EDITORS,),
    parameters=(CoEditorAccount("user", "Co-editor", sample="co-editor@example.org"),),
    refusals=(NotAnEditor,),
    mailed_to=(*INFORMED, Audience.PERSON),
    is_grave=True,
)
ACTIONS = (ANTICIPATE_STANDARDS_ACTION, REQUIRE_TWO_EXPERTS, RECUSE, ADD_CO_EDITOR, REMOVE_CO_EDITOR)

# It has no page of its own: the form is beside the finding.
DISMISS_FINDING = Action(
    name="dismiss_finding",
    label="Set a finding aside",
    effect=(
        "Says of one piece of advice on the latest round why it need not be followed. It holds while its section "
        "says the same, is a part of the public record, and binds nobody. A blocking finding can't be set aside."
    ),
    success="The finding is set aside.",
    past="Set a finding on {section} aside",
    permission=permissions.is_expert,
    sources=frozenset({State.IN_REVIEW}),
    parameters=(
        ROUND_NUMBER,
        Text("section", "The key of the section that the finding is on.", sample="assignment"),
        Text("code", "The code of the finding.", sample="uniqueness-not-explained"),
        Text("reason", "Why it need not be followed.", sample="The specification explains it."),
    ),
    refusals=(NoSuchFinding, FindingBlocks),
    mailed_to=(),
)

# Recorded in place of a verdict, while a second expert is needed.
ANSWER_OF_FIRST_EXPERT = EventType(
    name="answer_of_first_expert",
    past="Answered as the first of two experts",
    mailed_to=(*INFORMED, Audience.ABLE_TO_ACT),
)
# An administrator's correction; `cases.corrections` mails it.
CORRECT = EventType(name="correct", past="Corrected event {corrects} of the record", mailed_to=())
