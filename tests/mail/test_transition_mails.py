"""Mails about transitions: each transition is carried out and each mail compared in full."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings

from registry.cases.models import Case
from registry.cases.workflow.action_table import ACTIONS
from registry.cases.workflow.table import TRANSITIONS
from registry.namespaces.history import EVENT_LABELS as NAMESPACE_VERBS
from tests.mail.cases import Cast
from tests.mail.messages import check_says_how_to_unsubscribe, check_sound, recipients, the_mail

pytestmark = pytest.mark.django_db
EMAILS = Path(settings.BASE_DIR) / "templates" / "emails"


def test_every_move_has_its_words_and_every_word_its_move() -> None:
    of_cases = {transition.name for transition in (*TRANSITIONS, *ACTIONS)}
    of_cases |= {
        "post_to_list",
        "answer_of_first_expert",
        "competing_case_registered",
        "competing_case_submitted",
        "comment",
    }
    of_cases |= {"hand_over", "due_soon", "overdue", "escalated", "day_summary"}
    of_namespaces = {name for name in NAMESPACE_VERBS if not name.startswith(("assign", "import"))}
    of_bodies = {"recognise_body", "refuse_body", "withdraw_recognition"}
    expected = of_cases | of_namespaces | of_bodies
    layouts = {"layout", "body_layout", "namespace_layout"}
    assert {path.stem for path in EMAILS.iterdir()} == expected | layouts


# How the case comes to the move | the mail | who gets it | the end of the subject | what the body says.
SAID = [
    (
        Cast.submit,
        "submit",
        "expert registrant",
        "(example-trees): submitted for review, round 1",
        ["Registrant submitted round 1", "the namespace example-trees", "review it (RFC 8141, section 6.2)"],
    ),
    (
        Cast.submit_informal,
        "submit",
        "expert registrant",
        "(a new informal namespace): submitted for review, round 1",
        ["an informal namespace, whose number the registry will assign"],
    ),
    (
        Cast.submit_revision,
        "submit",
        "expert registrant",
        "(revision of example-trees): submitted for review, round 1",
        ["It revises the namespace example-trees, as its version 2."],
    ),
    (
        Cast.submit_on_the_fast_track,
        "submit",
        "expert liaison registrant",
        ": submitted for review, round 1",
        ["Example Standards Body asks for it on the fast track", "it binds nobody"],
    ),
    (
        Cast.request_changes,
        "request_changes",
        "registrant",
        ": changes requested in round 1",
        [
            "Expert reviewed round 1 and asks for changes.",
            "The reason given: Some of it is unclear.",
            "1. Syntax Say which q-components are allowed & why: word word",
            "2. Resolution Say whether names resolve. And <how>.",
            "change the draft, point by point, and submit it again",
        ],
    ),
    (
        Cast.request_changes_without_a_rationale,
        "request_changes",
        "registrant",
        ": changes requested in round 1",
        ["Expert reviewed round 1 and asks for changes. What is to change: 1. Purpose Which?"],
    ),
    (
        Cast.advise,
        "advise",
        "registrant",
        ": advice on round 1",
        ["Expert gave advice on round 1", "The advice: Name the standard.", "ask for completion"],
    ),
    (
        Cast.approve,
        "approve",
        "administrator registrant",
        ": round 1 approved",
        [
            "Expert approved round 1",
            "The rationale: Sound, and useful to gardens.",
            "Administrators: please assign the namespace",
        ],
    ),
    (
        Cast.approve_revision,
        "approve",
        "administrator registrant",
        ": round 1 approved",
        ["The rationale: A sound revision.", "Administrators: please register this version"],
    ),
    (
        Cast.forward_report,
        "forward_report",
        "liaison registrant",
        ": report forwarded to the approval body",
        ["The report: Fit for a standard.", "Liaisons: please bring the report to the approval body"],
    ),
    (
        Cast.direct_to_register,
        "direct",
        "administrator expert registrant",
        ": approved by the approval body",
        [
            "directs that this request be registered. Liaison recorded",
            "Its decision: Minutes, item 4",
            "Administrators: please assign",
        ],
    ),
    (
        Cast.direct_to_decline,
        "direct",
        "expert registrant",
        ": declined by the approval body",
        [
            "be declined. Liaison recorded",
            "Its decision: Minutes, item 5 The reason given: It overlaps.",
            "The registrant may appeal once",
        ],
    ),
    (
        Cast.direct_after_an_appeal,
        "direct",
        "expert registrant",
        ": declined by the approval body",
        ["Its decision: Minutes, item 6", "this direction is final"],
    ),
    (
        Cast.decline,
        "decline",
        "registrant",
        ": declined",
        [
            "Expert reviewed round 1 and declined",
            "The reason given: Not a namespace.",
            "The registrant may appeal once",
        ],
    ),
    (
        Cast.appeal,
        "appeal",
        "expert liaison registrant",
        ": appealed",
        [
            "Registrant appeals",
            "The reason given: It is one: look again.",
            "Liaisons: please bring the appeal",
        ],
    ),
    (
        Cast.recognise,
        "recognise",
        "expert registrant",
        ": requesting body recognised",
        ["recognises Example Standards Body", "for this case. Liaison recorded", "Its decision: Letter 7"],
    ),
    (
        Cast.recognise_for_later,
        "recognise",
        "expert registrant",
        ": requesting body recognised",
        ["for this case and for later ones. Liaison recorded", "you may now ask for completion"],
    ),
    (
        Cast.refuse_recognition,
        "refuse_recognition",
        "expert registrant",
        ": requesting body not recognised",
        [
            "does not recognise Example Standards Body",
            "Its decision: Letter 8",
            "under the community procedure",
            "Designated experts: please review round 1",
        ],
    ),
    (
        Cast.request_completion,
        "request_completion",
        "administrator registrant",
        ": completion requested",
        ["Registrant asks, for Example Standards Body,", "Administrators: please assign the namespace"],
    ),
    (
        Cast.assign,
        "assign",
        "expert registrant",
        ": example-trees is registered",
        [
            "Administrator registered the namespace example-trees.",
            "Its names begin with urn:example-trees:",
            "The namespace in the registry: http://localhost:8000/namespaces/example-trees/",
        ],
    ),
    (
        Cast.assign_revision,
        "assign",
        "expert registrant",
        ": example-trees is registered, version 2",
        ["Administrator registered version 2 of the namespace example-trees."],
    ),
    (
        Cast.assign_informal,
        "assign",
        "expert registrant",
        "(urn-1): urn-1 is registered",
        ["Administrator registered the namespace urn-1.", "begin with urn:urn-1:"],
    ),
    (
        Cast.return_to_registrant,
        "return_to_registrant",
        "expert registrant",
        ": returned to the registrant",
        [
            "Administrator could not assign the namespace as round 1 has it",
            "The reason given: It names no contact.",
            "submit it again, or withdraw",
        ],
    ),
    (
        Cast.withdraw,
        "withdraw",
        "expert registrant",
        ": withdrawn",
        ["Registrant withdrew this request. The reason given: It was a joke. The case is closed"],
    ),
    (
        Cast.withdraw_without_a_reason,
        "withdraw",
        "expert registrant",
        ": withdrawn",
        ["Registrant withdrew this request. The case is closed"],
    ),
    (
        Cast.recuse,
        "recuse",
        "registrant",
        ": Expert stepped back",
        ["Expert stepped back from this case, for good", "The reason given: A friend's case."],
    ),
    (
        Cast.anticipate_standards_action,
        "anticipate_standards_action",
        "expert registrant",
        ": a standards action is anticipated",
        ["Expert says that a standards action is anticipated", "It is a draft standard.", "please report"],
    ),
    (
        Cast.call_a_standards_action_off,
        "anticipate_standards_action",
        "expert registrant",
        ": no standards action is anticipated",
        ["Expert says that no standards action is anticipated", "the decision is yours again"],
    ),
    (
        Cast.require_two_experts,
        "require_two_experts",
        "expert registrant",
        ": two experts must agree",
        ["Expert says that two designated experts must be of one mind", "It touches many others."],
    ),
    (
        Cast.answer_of_first_expert,
        "answer_of_first_expert",
        "expert registrant",
        ": a second expert is needed",
        ["Expert has answered to round 1 as the first of two experts", "Sound.", "nothing is decided yet"],
    ),
    (
        Cast.add_co_editor,
        "add_co_editor",
        "administrator registrant",
        ": Administrator is a co-editor",
        ["Registrant made Administrator a co-editor of this case. A co-editor reads and writes the draft"],
    ),
    (
        Cast.remove_co_editor,
        "remove_co_editor",
        "administrator registrant",
        ": Administrator is no co-editor any more",
        ["Registrant ended that Administrator is a co-editor", "read or write any more. Nobody need"],
    ),
    (
        Cast.leave_as_a_co_editor_who_wrote,
        "remove_co_editor",
        "administrator registrant",
        ": Administrator is no co-editor any more",
        ["Administrator left this case", "They wrote in it, and so can't act"],
    ),
]


@pytest.mark.parametrize(
    ("come_to", "name", "readers", "subject", "phrases"), SAID, ids=[row[0].__name__ for row in SAID]
)
def test_a_transition_is_mailed_to_those_concerned(
    cast_of_a_case: Cast,
    come_to: Callable[[Cast], Case],
    name: str,
    readers: str,
    subject: str,
    phrases: list[str],
) -> None:
    case = come_to(cast_of_a_case)
    mail = the_mail(name, case)
    check_sound(mail, case)
    check_says_how_to_unsubscribe(mail, case)
    assert recipients(name, case, mail.event_number) == readers.split()
    assert mail.subject.startswith(f"Case {case.pk} (")
    assert mail.subject.endswith(subject)
    read = " ".join(mail.body.split())
    for phrase in phrases:
        assert phrase in read


def test_every_transition_and_every_action_sends_mail() -> None:
    assert {row[1] for row in SAID} == {transition.name for transition in (*TRANSITIONS, *ACTIONS)} | {
        "answer_of_first_expert"
    }
