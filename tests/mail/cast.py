"""The people of a case, and the ways in which it comes to each mail about it."""

from registry.accounts.models import Recognition, User
from registry.namespaces.models import Kind
from registry.registrations import actions, acts, drafts, editors
from registry.registrations.models import Registration
from tests.factories import a_body, a_case_in_review, a_namespace, a_submission, an_approved_case


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
