"""What the mails say: every move made for real, every mail read whole."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings

from registry.accounts.models import Recognition, User
from registry.mail.models import Message
from registry.namespaces.history import WORDS as NAMESPACE_VERBS
from registry.namespaces.models import Kind
from registry.registrations import actions, acts, discussion, drafts, editors
from registry.registrations.actions import RoundOvertaken
from registry.registrations.models import CoEditor, Registration
from registry.registrations.workflow import ACTS, MOVES
from tests.factories import (
    a_body,
    a_case_in_review,
    a_draft,
    a_namespace,
    a_submission,
    an_approved_case,
)

pytestmark = pytest.mark.django_db
EMAILS = Path(settings.BASE_DIR) / "templates" / "emails"


def mails(name: str, case: Registration | None = None) -> list[Message]:
    found = Message.objects.filter(name=name)
    return list(found.filter(thread=f"case-{case.pk}") if case else found)


def the_mail(name: str, case: Registration) -> Message:
    """The words of the latest mail of this name, which must be the same for all who got it."""
    written = mails(name, case)
    newest = [message for message in written if message.event_number == written[-1].event_number]
    assert len({(message.subject, message.body) for message in newest}) == 1
    return newest[0]


def recipients(name: str, case: Registration, event_number: int | None = None) -> list[str]:
    """Who got the mails of this name, or those of one event."""
    written = [each for each in mails(name, case) if event_number in {None, each.event_number}]
    return sorted(message.to.partition("@")[0] for message in written)


def check_sound(message: Message, case: Registration) -> None:
    """What holds of every mail of a case: it is plain, and shows the way to the case."""
    check_plain(message)
    assert f"\n{settings.PUBLIC_ORIGIN}/registrations/{case.pk}/\n" in message.body


def check_says_where_watching_ends(message: Message, case: Registration) -> None:
    assert message.body.endswith(f"\n{settings.PUBLIC_ORIGIN}/registrations/{case.pk}/stop-watching/\n")


def check_plain(message: Message) -> None:
    """What holds of every mail: plain text, no holes, no leftovers of the template."""
    body = message.body.partition("-" * 70)[0]  # what follows is the registrant's own
    assert not re.search(r"\{\{|\}\}|\{%|%\}|None|&(amp|lt|gt|quot|#)", message.subject + body), body
    assert "\n\n\n" not in body, body
    assert not re.search(r"[ \t]$", body, re.MULTILINE), body
    assert not re.search(r"\s[.,;:]|\S  |^ {1,3}\S", body, re.MULTILINE), body
    assert max(len(line) for line in body.splitlines() if "://" not in line) <= 76


def on_the_fast_track(registrant: User, recognition: Recognition = Recognition.PENDING) -> Registration:
    body = a_body(recognition=recognition)
    body.representatives.add(registrant)
    return a_case_in_review(by=registrant, body=body)


def with_a_standards_action(registrant: User, expert: User) -> Registration:
    case = a_case_in_review(by=registrant)
    return acts.anticipate_standards_action(
        case, by=expert, anticipated=True, reason="It is a draft standard."
    )


def a_revision(namespace_registrant: User, expert: User, administrator: User) -> Registration:
    namespace = a_namespace(by=namespace_registrant, expert=expert, administrator=administrator)
    case = drafts.begin_revision(namespace, by=namespace_registrant)
    content = a_submission(version=2, revision_information="Version 2 allows hyphens.")
    case = drafts.save_draft(case, content, by=namespace_registrant, stamp=case.draft_stamp)
    return actions.submit(case, by=namespace_registrant, draft_stamp=case.draft_stamp)


def test_every_move_has_its_words_and_every_word_its_move() -> None:
    of_cases = {move.name for move in (*MOVES, *ACTS)}
    of_cases |= {"post_to_list", "answer_first", "rival_registered", "rival_submitted", "comment"}
    of_cases |= {"hand_over", "due_soon", "overdue", "escalated", "day_summary"}
    of_namespaces = {name for name in NAMESPACE_VERBS if not name.startswith(("assign", "import"))}
    of_bodies = {"recognise_body", "refuse_body", "withdraw_recognition"}
    expected = of_cases | of_namespaces | of_bodies
    assert {folder.name for folder in EMAILS.iterdir() if folder.is_dir()} == expected
    for name in expected:
        assert (EMAILS / name / "subject.txt").is_file()
        assert (EMAILS / name / "body.txt").is_file()


class Cast:
    """The people of a case, and the ways in which it comes to each move."""

    def __init__(self, registrant: User, expert: User, administrator: User, liaison: User) -> None:
        self.registrant, self.expert = registrant, expert
        self.administrator, self.liaison = administrator, liaison

    def submit(self) -> Registration:
        return a_case_in_review(by=self.registrant)

    def submit_informal(self) -> Registration:
        return a_case_in_review(by=self.registrant, kind=Kind.INFORMAL)

    def submit_revision(self) -> Registration:
        return a_revision(self.registrant, self.expert, self.administrator)

    def submit_on_the_fast_track(self) -> Registration:
        return on_the_fast_track(self.registrant)

    def request_changes(self) -> Registration:
        return actions.request_changes(
            self.submit(),
            by=self.expert,
            round_number=1,
            rationale="Some of it is unclear.",
            action_points=[
                ("syntax", "Say which q-components are allowed & why: " + "word " * 20),
                ("resolution", "Say whether names resolve.\nAnd <how>."),
            ],
        )

    def request_changes_without_a_rationale(self) -> Registration:
        return actions.request_changes(
            self.submit(), by=self.expert, round_number=1, rationale="", action_points=[("purpose", "Which?")]
        )

    def advise(self) -> Registration:
        case = on_the_fast_track(self.registrant)
        return actions.advise(case, by=self.expert, round_number=1, rationale="Name the standard.")

    def approve(self) -> Registration:
        return an_approved_case(by=self.registrant, expert=self.expert)

    def approve_revision(self) -> Registration:
        case = self.submit_revision()
        return actions.approve(case, by=self.expert, round_number=1, rationale="A sound revision.")

    def forward_report(self) -> Registration:
        case = with_a_standards_action(self.registrant, self.expert)
        return actions.forward_report(case, by=self.expert, round_number=1, report="Fit for a standard.")

    def direct_to_register(self) -> Registration:
        case = self.forward_report()
        return actions.direct(case, by=self.liaison, is_approved=True, reference="Minutes, item 4")

    def direct_to_decline(self) -> Registration:
        case = self.forward_report()
        return actions.direct(
            case, by=self.liaison, is_approved=False, reference="Minutes, item 5", reason="It overlaps."
        )

    def direct_after_an_appeal(self) -> Registration:
        return actions.direct(self.appeal(), by=self.liaison, is_approved=False, reference="Minutes, item 6")

    def decline(self) -> Registration:
        return actions.decline(self.submit(), by=self.expert, round_number=1, reason="Not a namespace.")

    def appeal(self) -> Registration:
        return actions.appeal(self.decline(), by=self.registrant, reason="It is one: look again.")

    def recognise(self) -> Registration:
        case = on_the_fast_track(self.registrant)
        return actions.recognise(case, by=self.liaison, reference="Letter 7")

    def recognise_for_later(self) -> Registration:
        case = on_the_fast_track(self.registrant)
        return actions.recognise(case, by=self.liaison, reference="Letter 7", for_later_cases=True)

    def refuse_recognition(self) -> Registration:
        case = on_the_fast_track(self.registrant)
        return actions.refuse_recognition(case, by=self.liaison, reference="Letter 8")

    def request_completion(self) -> Registration:
        case = on_the_fast_track(self.registrant, Recognition.RECOGNISED)
        return actions.request_completion(case, by=self.registrant)

    def assign(self) -> Registration:
        return actions.assign(self.approve(), by=self.administrator)

    def assign_revision(self) -> Registration:
        return actions.assign(self.approve_revision(), by=self.administrator)

    def assign_informal(self) -> Registration:
        case = an_approved_case(by=self.registrant, expert=self.expert, kind=Kind.INFORMAL)
        return actions.assign(case, by=self.administrator)

    def return_to_registrant(self) -> Registration:
        return actions.return_to_registrant(
            self.approve(), by=self.administrator, reason="It names no contact."
        )

    def recuse(self) -> Registration:
        case = self.submit()
        acts.recuse(case, by=self.expert, reason="A friend's case.")
        return case

    def anticipate_standards_action(self) -> Registration:
        return with_a_standards_action(self.registrant, self.expert)

    def call_a_standards_action_off(self) -> Registration:
        case = self.anticipate_standards_action()
        return acts.anticipate_standards_action(
            case, by=self.expert, anticipated=False, reason="It is a report by now."
        )

    def require_two_experts(self) -> Registration:
        return acts.require_two_experts(
            self.submit(), by=self.expert, required=True, reason="It touches many others."
        )

    def answer_first(self) -> Registration:
        return actions.approve(self.require_two_experts(), by=self.expert, round_number=1, rationale="Sound.")

    def add_co_editor(self) -> Registration:
        case = self.submit()
        editors.add_co_editor(case, by=self.registrant, user=self.administrator)
        return case

    def remove_co_editor(self) -> Registration:
        case = self.add_co_editor()
        editors.remove_co_editor(case, by=self.registrant, user=self.administrator)
        return case

    def leave_as_a_co_editor_who_wrote(self) -> Registration:
        case = self.add_co_editor()
        drafts.save_draft(case, case.content, by=self.administrator, stamp=case.draft_stamp)
        editors.remove_co_editor(case, by=self.administrator, user=self.administrator)
        return case

    def withdraw(self) -> Registration:
        return actions.withdraw(self.submit(), by=self.registrant, reason="It was a joke.")

    def withdraw_without_a_reason(self) -> Registration:
        return actions.withdraw(self.submit(), by=self.registrant)


@pytest.fixture
def cast_of_a_case(registrant: User, expert: User, administrator: User, liaison: User) -> Cast:
    return Cast(registrant, expert, administrator, liaison)


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
        Cast.answer_first,
        "answer_first",
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
def test_a_move_is_told_to_those_concerned_in_plain_words(
    cast_of_a_case: Cast,
    come_to: Callable[[Cast], Registration],
    name: str,
    readers: str,
    subject: str,
    phrases: list[str],
) -> None:
    case = come_to(cast_of_a_case)
    mail = the_mail(name, case)
    check_sound(mail, case)
    check_says_where_watching_ends(mail, case)
    assert recipients(name, case, mail.event_number) == readers.split()
    assert mail.subject.startswith(f"Case {case.pk} (")
    assert mail.subject.endswith(subject)
    read = " ".join(mail.body.split())
    for phrase in phrases:
        assert phrase in read


def test_every_move_and_every_act_was_told() -> None:
    assert {row[1] for row in SAID} == {move.name for move in (*MOVES, *ACTS)} | {"answer_first"}


def test_a_submission_is_posted_to_the_discussion_list_word_for_word(cast_of_a_case: Cast) -> None:
    purpose = "Names trees & <shrubs>.\n\n    {{ indented }}\n\n\nThree lines further: “ü”. " + "long " * 40
    draft = a_draft(by=cast_of_a_case.registrant, purpose=purpose)
    case = actions.submit(draft, by=cast_of_a_case.registrant, draft_stamp=draft.draft_stamp)
    (mail,) = mails("post_to_list", case)
    check_sound(mail, case)
    submission = case.latest_submission
    assert submission is not None
    assert mail.to == settings.DISCUSSION_LIST
    assert mail.subject == f"URN namespace request: example-trees (case {case.pk}, round 1)"
    assert "section 6.2, step 2" in mail.body
    assert mail.body.endswith(f"{'-' * 70}\n\n{submission.text.strip()}\n")
    assert "<shrubs>" in mail.body


@pytest.mark.parametrize(
    ("come_to", "subject", "phrase"),
    [
        (Cast.submit_informal, "Request for an informal URN namespace", "asks for an informal namespace"),
        (Cast.submit_revision, "Revision of the URN namespace example-trees", "as its version 2"),
        (Cast.submit_on_the_fast_track, "URN namespace request: example-trees", "where reviews are advice"),
    ],
)
def test_the_list_is_told_what_kind_of_request_it_is(
    cast_of_a_case: Cast, come_to: Callable[[Cast], Registration], subject: str, phrase: str
) -> None:
    case = come_to(cast_of_a_case)
    mail = the_mail("post_to_list", case)
    check_sound(mail, case)
    assert mail.subject == f"{subject} (case {case.pk}, round 1)"
    assert phrase in " ".join(mail.body.split())


def test_a_second_round_says_that_it_replaces_the_first(cast_of_a_case: Cast) -> None:
    case = cast_of_a_case.submit()
    by = cast_of_a_case.registrant
    case = drafts.save_draft(case, a_submission(purpose="Another."), by=by, stamp=case.draft_stamp)
    case = actions.submit(case, by=by, draft_stamp=case.draft_stamp)
    mail = the_mail("post_to_list", case)
    check_sound(mail, case)
    assert mail.subject.endswith("round 2)")
    assert "It is round 2 of this case and replaces the rounds before." in " ".join(mail.body.split())


def test_who_asked_for_the_same_identifier_is_told_that_it_is_gone(
    cast_of_a_case: Cast, participant: User
) -> None:
    a_case_in_review(by=participant)
    case = cast_of_a_case.assign()
    mail = the_mail("rival_registered", case)
    check_sound(mail, case)
    assert recipients("rival_registered", case) == ["participant"]
    assert mail.subject == "The namespace example-trees, which you ask for, was registered in another case"
    assert "choose another identifier" in " ".join(mail.body.split())
    assert "\nhttp://localhost:8000/namespaces/example-trees/\n" in mail.body


def test_who_asks_for_the_same_identifier_is_told_who_came(cast_of_a_case: Cast, participant: User) -> None:
    a_case_in_review(by=participant)
    case = cast_of_a_case.submit()
    mail = the_mail("rival_submitted", case)
    check_sound(mail, case)
    assert recipients("rival_submitted", case) == ["participant"]
    assert mail.subject == "Another case asks for example-trees, as yours does"
    read = " ".join(mail.body.split())
    assert f"Round 1 of case {case.pk} was submitted for review. It asks for the namespace" in read
    assert "Nothing is decided by who asked first" in read


def test_who_revises_the_same_namespace_is_told_who_came(cast_of_a_case: Cast, co_editor: User) -> None:
    first = cast_of_a_case.submit_revision()
    CoEditor.objects.create(registration=first, user=co_editor)
    by = cast_of_a_case.registrant
    assert first.namespace is not None
    case = drafts.begin_revision(first.namespace, by=by)
    content = a_submission(version=2, purpose="Trees.", revision_information="Another purpose.")
    case = drafts.save_draft(case, content, by=by, stamp=case.draft_stamp)
    case = actions.submit(case, by=by, draft_stamp=case.draft_stamp)
    mail = the_mail("rival_submitted", case)
    check_sound(mail, case)
    assert recipients("rival_submitted", case) == ["co-editor"]
    assert mail.subject == "Another case asks for a revision of example-trees, as yours does"
    assert "Whichever is registered first becomes version 2" in " ".join(mail.body.split())


def test_a_comment_is_told_word_for_word_with_where_it_stands(
    cast_of_a_case: Cast, participant: User
) -> None:
    case = cast_of_a_case.submit()
    said = discussion.comment(
        case, by=participant, round_number=1, section="purpose", text="And <elms>?\n\nOr & oaks?"
    )
    mail = the_mail("comment", case)
    check_sound(mail, case)
    check_says_where_watching_ends(mail, case)
    assert recipients("comment", case) == ["registrant"]
    assert mail.subject.endswith(": comment by Participant on round 1, section Purpose")
    assert mail.body.startswith("Participant commented on round 1, section Purpose:\n\n    And <elms>?\n\n")
    assert f"\n{settings.PUBLIC_ORIGIN}/registrations/{case.pk}/#comment-{said.pk}\n" in mail.body


def test_an_answer_is_told_with_what_it_answers(cast_of_a_case: Cast, participant: User) -> None:
    case = cast_of_a_case.submit()
    asked = discussion.comment(case, by=participant, round_number=1, text="And elms? " * 100)
    Message.objects.all().delete()
    discussion.comment(
        case, by=cast_of_a_case.registrant, round_number=1, text="Elms too.", answered=asked.pk
    )
    mail = the_mail("comment", case)
    check_sound(mail, case)
    assert recipients("comment", case) == ["participant"]
    assert mail.subject.endswith(": answer by Registrant on round 1, as a whole")
    read = " ".join(mail.body.split())
    assert "Registrant answered Participant, on round 1, as a whole: Elms too. What was answered:" in read
    assert read.count("And elms?") < 100


def test_somebody_with_a_name_of_several_lines_writes_no_header(
    cast_of_a_case: Cast, participant: User
) -> None:
    User.objects.filter(pk=participant.pk).update(name="Eve\r\nBcc: all@example.org")
    case = cast_of_a_case.submit()
    discussion.comment(case, by=User.objects.get(pk=participant.pk), round_number=1, text="And elms?")
    mail = the_mail("comment", case)
    check_sound(mail, case)
    assert "comment by Eve Bcc: all@example.org on round 1" in mail.subject


def test_co_editors_are_told_too(cast_of_a_case: Cast, co_editor: User) -> None:
    draft = a_draft(by=cast_of_a_case.registrant)
    CoEditor.objects.create(registration=draft, user=co_editor)
    case = actions.submit(draft, by=cast_of_a_case.registrant, draft_stamp=draft.draft_stamp)
    assert recipients("submit", case) == ["co-editor", "expert", "registrant"]


def test_a_name_of_several_lines_stays_on_one(cast_of_a_case: Cast) -> None:
    User.objects.filter(pk=cast_of_a_case.registrant.pk).update(name="Eve\n\nYour password expired.\r\n")
    cast_of_a_case.registrant.refresh_from_db()
    case = cast_of_a_case.submit()
    body = the_mail("submit", case).body
    assert body.startswith("Eve Your password expired. submitted round 1 of this case for review.\n")


def test_somebodys_words_are_set_in_and_addresses_of_pages_stay_whole(cast_of_a_case: Cast) -> None:
    address = "https://example.org/" + "a-very-long-path/" * 8
    case = actions.decline(
        cast_of_a_case.submit(),
        by=cast_of_a_case.expert,
        round_number=1,
        reason=f"Read this:\n\n{address}\nNow.",
    )
    mail = the_mail("decline", case)
    check_sound(mail, case)
    assert f"\n    Read this:\n\n    {address}\n    Now.\n" in mail.body


def test_a_move_that_fails_is_not_told(cast_of_a_case: Cast) -> None:
    case = cast_of_a_case.submit()
    before = Message.objects.count()
    with pytest.raises(RoundOvertaken):
        actions.approve(case, by=cast_of_a_case.expert, round_number=2, rationale="Sound.")
    assert Message.objects.count() == before
