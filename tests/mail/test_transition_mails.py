"""Mails about transitions: each transition is carried out and each mail compared in full."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings

from registry.actions.declarations import nothing
from registry.cases.models import Case
from registry.cases.workflow.declarations.actions import ACTIONS
from registry.cases.workflow.declarations.transitions import TRANSITIONS
from registry.namespaces.history import event_types
from registry.organisations.history import event_types as organisation_events
from tests.mail.cases import Cast
from tests.mail.messages import (
    check_plain,
    check_says_how_to_unsubscribe,
    check_sound,
    recipients,
    the_mail,
    the_mail_to_editors,
)

pytestmark = pytest.mark.django_db
EMAILS = Path(settings.BASE_DIR) / "templates" / "emails"


def test_mail_templates_match_event_types() -> None:
    of_cases = {transition.name for transition in (*TRANSITIONS, *ACTIONS)}
    of_cases |= {
        "post_to_list",
        "first_verdict",
        "experts_disagree",
        "competing_case_registered",
        "competing_case_submitted",
        "comment",
        "mention",
    }
    of_cases |= {"hand_over", "due_soon", "overdue", "escalated", "day_summary", "digest"}
    of_namespaces = {name for name in event_types() if not name.startswith(("assign", "import"))}
    # The mail about an organisation or a person goes with another event, if there is one.
    of_namespaces -= {"contact_unverified", "rename_organisation", "change_domains", "erase_personal_data"}
    of_namespaces.remove("change_event_format")  # concerns no namespace
    of_bodies = {"recognise_body", "refuse_body", "withdraw_recognition"}
    of_claims = {"claim_namespace", "announce_claim", "approve_claim", "decline_claim", "withdraw_claim"}
    of_claims |= {"object_to_claim", "announce_claim_to_registrant", "approve_claim_to_registrant"}
    of_claims.add("restore_representative_to_registrant")
    of_accounts = {"grant_role", "withdraw_role", "remove_second_factors", "token_changed", "account_closed"}
    of_accounts.add("check_address")
    # Those without a mail of their own are told of in the history alone.
    of_organisations = {name for name, each in organisation_events().items() if each.notify is not nothing}
    of_organisations |= {"restore_representative", "domain_failing"}
    expected = of_organisations | of_cases | of_namespaces | of_bodies | of_accounts | of_claims
    expected |= {"report_sighting", "confirm_sighting", "decline_sighting", "remove_sighting"}
    expected.add("import_subnamespaces")
    # Of registers, those of events that are not public.
    expected |= {"name_reviewer", "remove_reviewer", "request_entry", "revise_request", "comment_on_request"}
    expected |= {"ask_for_changes", "refuse_request", "withdraw_request", "request_change", "revise_change"}
    expected |= {"change_contact_of_entry", "keep_entry"}
    expected |= {"offer_entry", "decline_entry", "withdraw_offer"}
    expected |= {"signed_head", "service_health", "webhook_paused", "confirm_contact"}
    layouts = {
        "layout",
        "account_layout",
        "body_layout",
        "entry_layout",
        "entry_offer_layout",
        "entry_request_layout",
        "namespace_layout",
        "organisation_layout",
        "register_layout",
        "role_layout",
        "sighting_layout",
    }
    assert {path.stem for path in EMAILS.iterdir()} == expected | layouts


# The transition | the mail | the recipients | the end of the subject | texts in the body.
SAID = [
    (
        Cast.submit,
        "submit",
        "expert registrant",
        "(example-trees): round 1 submitted for review",
        [
            "“Registrant” submitted round 1",
            "the namespace example-trees",
            "The next step is due on ",
            "review the template (RFC 8141, Section 6.2)",
            "The template: Namespace Identifier:",
            "Purpose: Names trees in the care of botanical gardens",
            "Designated experts review it here: http://localhost:8000/desk/cases/",
        ],
    ),
    (
        Cast.submit_informal,
        "submit",
        "expert registrant",
        "(a new informal namespace): round 1 submitted for review",
        ["an informal namespace. The registry will assign its number."],
    ),
    (
        Cast.submit_revision,
        "submit",
        "expert registrant",
        "(revision of example-trees): round 1 submitted for review",
        [
            "It revises the namespace example-trees, as its version 2.",
            "Changes to the registered version 1:",
            "Revision Information (added) + Version 2 allows hyphens.",
        ],
    ),
    (
        Cast.submit_on_the_fast_track,
        "submit",
        "expert liaison registrant",
        ": round 1 submitted for review",
        ["“Example Standards Body” requests the fast track", "does not bind the requesting body"],
    ),
    (
        Cast.request_changes,
        "request_changes",
        "registrant",
        ": changes requested in round 1",
        [
            "“Expert” reviewed round 1 and requested changes.",
            "Reason: Some of it is unclear.",
            "1. Syntax Say which q-components are allowed & why: word word",
            "2. Resolution Say whether names resolve. And <how>.",
            "edit the draft, answer each action point, and, as registrant, submit the draft again",
            "Edit the draft here: http://localhost:8000/cases/",
            "/edit/ Your next step is due on ",
        ],
    ),
    (
        Cast.request_changes_without_a_rationale,
        "request_changes",
        "registrant",
        ": changes requested in round 1",
        ["“Expert” reviewed round 1 and requested changes. Action points: 1. Purpose Which?"],
    ),
    (
        Cast.advise,
        "advise",
        "registrant",
        ": advice on round 1",
        ["“Expert” gave advice on round 1", "Advice: Name the standard.", "request completion"],
    ),
    (
        Cast.approve,
        "approve",
        "administrator registrant",
        ": round 1 approved",
        [
            "“Expert” approved round 1",
            "Rationale: Sound, and useful to gardens.",
            "Administrators: assign the namespace",
            "The next step is due on ",
            "Administrators register it here: http://localhost:8000/desk/assignments/#case-",
        ],
    ),
    (
        Cast.approve_revision,
        "approve",
        "administrator registrant",
        ": round 1 approved",
        ["Rationale: A sound revision.", "Administrators: register this version"],
    ),
    (
        Cast.forward_report,
        "forward_report",
        "liaison registrant",
        ": report forwarded to the approval body",
        [
            "Report: Fit for a standard.",
            "Liaisons: bring the report to the approval body",
            "The next step is due on ",
            "Liaisons record decisions of the approval body here: http://localhost:8000/desk/liaison/#case-",
        ],
    ),
    (
        Cast.direct_to_register,
        "direct",
        "administrator expert registrant",
        ": approved by the approval body",
        [
            "decided to register the namespace. “Liaison” recorded",
            "Reference: Minutes, item 4",
            "Administrators: assign",
        ],
    ),
    (
        Cast.direct_to_decline,
        "direct",
        "expert registrant",
        ": declined by the approval body",
        [
            "decided to decline the request. “Liaison” recorded",
            "Reference: Minutes, item 5 Reason: It overlaps.",
            "This direction is final.",
        ],
    ),
    (
        Cast.direct_after_an_appeal,
        "direct",
        "expert registrant",
        ": declined by the approval body",
        ["Reference: Minutes, item 6", "This direction is final."],
    ),
    (
        Cast.decline,
        "decline",
        "registrant",
        ": declined",
        [
            "“Expert” reviewed round 1 and declined",
            "Reason: Not a namespace.",
            "As registrant, you can appeal once",
        ],
    ),
    (
        Cast.appeal,
        "appeal",
        "expert liaison registrant",
        ": appealed",
        [
            "“Registrant” appealed",
            "Reason: It is one: look again.",
            "Liaisons: bring the appeal",
            "here: http://localhost:8000/desk/liaison/#case-",
        ],
    ),
    (
        Cast.recognise,
        "recognise",
        "expert registrant",
        ": requesting body recognised",
        [
            "recognises “Example Standards Body”",
            "in this case only. “Liaison” recorded",
            "Reference: Letter 7",
        ],
    ),
    (
        Cast.recognise_for_later,
        "recognise",
        "expert registrant",
        ": requesting body recognised",
        ["in this case and in later cases. “Liaison” recorded", "requests completion"],
    ),
    (
        Cast.refuse_recognition,
        "refuse_recognition",
        "expert registrant",
        ": requesting body not recognised",
        [
            "does not recognise “Example Standards Body”",
            "Reference: Letter 8",
            "continues under the community procedure",
            "Designated experts: review round 1",
        ],
    ),
    (
        Cast.leave_fast_track,
        "leave_fast_track",
        "expert registrant",
        ": no longer on the fast track",
        [
            "“Registrant” decided, for “Example Standards Body”, to leave the fast track",
            "continues under the community procedure",
            "Designated experts: review round 1",
        ],
    ),
    (
        Cast.request_completion,
        "request_completion",
        "administrator registrant",
        ": completion requested",
        ["“Registrant” requested, for “Example Standards Body”,", "Administrators: assign the namespace"],
    ),
    (
        Cast.cancel_completion,
        "cancel_completion",
        "administrator registrant",
        ": completion cancelled",
        [
            "“Registrant” cancelled, for “Example Standards Body”,",
            "Administrators: no action is needed until completion is requested again.",
        ],
    ),
    (
        Cast.assign,
        "assign",
        "expert registrant",
        ": example-trees is registered",
        [
            "“Administrator” registered the namespace example-trees.",
            "Its names begin with urn:example-trees:",
            "The namespace in the registry: http://localhost:8000/namespaces/example-trees/",
        ],
    ),
    (
        Cast.assign_revision,
        "assign",
        "expert registrant",
        ": example-trees is registered, version 2",
        ["“Administrator” registered version 2 of the namespace example-trees."],
    ),
    (
        Cast.assign_informal,
        "assign",
        "expert registrant",
        "(urn-1): urn-1 is registered",
        ["“Administrator” registered the namespace urn-1.", "begin with urn:urn-1:"],
    ),
    (
        Cast.take_back,
        "take_back",
        "administrator expert registrant",
        ": verdict on round 1 taken back",
        [
            "“Expert” took back their verdict on round 1: Approve.",
            "An earlier mail reported it.",
            "Reason: It was meant for another case.",
            "the same as before the verdict",
        ],
    ),
    (
        Cast.return_to_experts,
        "return_to_experts",
        "expert registrant",
        ": report returned to the experts",
        [
            "The approval body returned the report on round 1. “Liaison” recorded it.",
            "Reason: Who assigns the names?",
            "review the round again",
        ],
    ),
    (
        Cast.return_to_registrant,
        "return_to_registrant",
        "expert registrant",
        ": returned to the registrant",
        [
            "“Administrator” could not assign the namespace with round 1",
            "Reason: It names no contact.",
            "submits it again, or withdraws",
        ],
    ),
    (
        Cast.withdraw,
        "withdraw",
        "expert registrant",
        ": withdrawn",
        ["“Registrant” withdrew this request. Reason: It was a joke. The case is closed"],
    ),
    (
        Cast.withdraw_without_a_reason,
        "withdraw",
        "expert registrant",
        ": withdrawn",
        ["“Registrant” withdrew this request. The case is closed"],
    ),
    (
        Cast.recuse,
        "recuse",
        "registrant",
        ": “Expert” is recused",
        ["“Expert” can no longer act in this case", "Reason: A friend's case."],
    ),
    (
        Cast.anticipate_standards_action,
        "anticipate_standards_action",
        "expert registrant",
        ": a standards action is anticipated",
        [
            "“Expert” recorded that a standards action is anticipated",
            "It is a draft standard.",
            "report to the approval body",
        ],
    ),
    (
        Cast.call_a_standards_action_off,
        "anticipate_standards_action",
        "expert registrant",
        ": no standards action is anticipated",
        ["“Expert” recorded that no standards action is anticipated", "you decide the case again"],
    ),
    (
        Cast.require_two_experts,
        "require_two_experts",
        "expert registrant",
        ": two experts must agree",
        ["“Expert” recorded that two designated experts must agree", "It touches many others."],
    ),
    (
        Cast.first_verdict,
        "first_verdict",
        "expert registrant",
        ": a second expert is needed",
        [
            "“Expert” reviewed round 1 as the first of two experts. Their verdict: Approve.",
            "Sound.",
            "it is not decided yet",
        ],
    ),
    (
        Cast.accept_invitation,
        "accept_invitation",
        "registrant",
        ": “Administrator” is a co-editor",
        [
            "“Administrator” accepted the invitation and is a co-editor of this case. A co-editor can edit the draft"
        ],
    ),
    (
        Cast.decline_invitation,
        "decline_invitation",
        "registrant",
        ": “Administrator” declined the invitation",
        ["“Administrator” declined the invitation to be a co-editor of this case. No action is needed."],
    ),
    (
        Cast.remove_co_editor,
        "remove_co_editor",
        "administrator registrant",
        ": “Administrator” is no longer a co-editor",
        [
            "“Registrant” removed “Administrator” as a co-editor",
            "see or edit the draft. No action is needed.",
        ],
    ),
    (
        Cast.leave_as_a_co_editor_who_wrote,
        "remove_co_editor",
        "administrator registrant",
        ": “Administrator” is no longer a co-editor",
        ["“Administrator” left this case", "“Administrator” has edited it, so they can't act"],
    ),
]


# The same mails, to the editors of the case.
SAID_TO_THE_EDITORS = [
    (Cast.submit, "submit", "No action is needed from you. Comments may be a reason"),
    (
        Cast.submit_on_the_fast_track,
        "submit",
        "As registrant, you can submit more rounds and, if the body is recognised",
    ),
    (Cast.advise, "advise", "Your turn: decide for “Example Standards Body” whether to follow the advice."),
    (Cast.request_changes, "request_changes", "Your turn: edit the draft, answer each action point"),
    (Cast.approve, "approve", "No action is needed from you. You get another mail"),
    (Cast.forward_report, "forward_report", "No action is needed from you. The approval body decides."),
    (Cast.direct_to_register, "direct", "No action is needed from you. You get another mail"),
    (Cast.appeal, "appeal", "No action is needed from you. The approval body decides"),
    (
        Cast.recognise,
        "recognise",
        "request completion as registrant. Until then, designated experts can give advice",
    ),
    (Cast.refuse_recognition, "refuse_recognition", "No action is needed from you."),
    (Cast.leave_fast_track, "leave_fast_track", "No action is needed from you."),
    (Cast.request_completion, "request_completion", "No action is needed from you."),
    (Cast.cancel_completion, "cancel_completion", "Request completion again when the registration is ready."),
    (Cast.assign, "assign", "you can, as registrant, start a revision"),
    (Cast.take_back, "take_back", "No action is needed from you."),
    (Cast.return_to_experts, "return_to_experts", "No action is needed from you."),
    (
        Cast.return_to_registrant,
        "return_to_registrant",
        "Your turn: change the draft. As registrant, submit it again",
    ),
    (Cast.recuse, "recuse", "No action is needed from you."),
    (Cast.anticipate_standards_action, "anticipate_standards_action", "No action is needed from you."),
    (Cast.require_two_experts, "require_two_experts", "No action is needed from you."),
    (Cast.first_verdict, "first_verdict", "No action is needed from you."),
]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("come_to", "name", "phrase"), SAID_TO_THE_EDITORS, ids=[row[0].__name__ for row in SAID_TO_THE_EDITORS]
)
def test_the_mail_to_the_editors_addresses_them(
    cast_of_a_case: Cast, come_to: Callable[[Cast], Case], name: str, phrase: str
) -> None:
    case = come_to(cast_of_a_case)
    mail = the_mail_to_editors(name, case)
    check_sound(mail, case)
    assert phrase in " ".join(mail.body.split())
    assert not re.search(
        r"^(Registrant|Administrators|Designated experts|Liaisons):", mail.body, re.MULTILINE
    )
    assert "/desk/" not in mail.body


@pytest.mark.parametrize(
    ("come_to", "name", "is_linked"),
    [(Cast.submit_on_the_fast_track, "submit", True), (Cast.recognise, "recognise", False)],
)
def test_the_page_of_the_liaisons_is_linked_until_the_body_is_recognised(
    cast_of_a_case: Cast, come_to: Callable[[Cast], Case], name: str, is_linked: bool
) -> None:
    body = the_mail(name, come_to(cast_of_a_case)).body
    assert ("Liaisons record decisions of the approval body here:" in body) is is_linked


# The same, to the person who is invited and has no part in the case.
SAID_TO_THE_INVITED = [
    (
        Cast.invite_co_editor,
        "invite_co_editor",
        ": you are invited to be a co-editor",
        ["“Registrant” invites you to be a co-editor of this case. A co-editor can edit the draft"],
    ),
    (
        Cast.withdraw_invitation,
        "withdraw_invitation",
        ": the invitation was withdrawn",
        ["“Registrant” withdrew the invitation to be a co-editor of this case. No action is needed."],
    ),
]


@pytest.mark.parametrize(
    ("come_to", "name", "subject", "phrases"),
    SAID_TO_THE_INVITED,
    ids=[row[0].__name__ for row in SAID_TO_THE_INVITED],
)
def test_an_invitation_is_mailed_to_the_invited_alone(
    cast_of_a_case: Cast, come_to: Callable[[Cast], Case], name: str, subject: str, phrases: list[str]
) -> None:
    case = come_to(cast_of_a_case)
    mail = the_mail(name, case)
    check_plain(mail)
    assert recipients(name, case) == ["administrator"]
    assert mail.subject.startswith(f"Case {case.pk} (")
    assert mail.subject.endswith(subject)
    read = " ".join(mail.body.split())
    for phrase in phrases:
        assert phrase in read
    answers = [
        f"{settings.PUBLIC_ORIGIN}/cases/{case.pk}/{answer}-invitation/" for answer in ("accept", "decline")
    ]
    assert all((answer in mail.body) == (name == "invite_co_editor") for answer in answers)


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
    assert {row[1] for row in (*SAID, *SAID_TO_THE_INVITED)} == {
        transition.name for transition in (*TRANSITIONS, *ACTIONS)
    } | {"first_verdict"}
