"""Scenarios that lead to each mail about a case."""

from registry.accounts.models import Recognition, User
from registry.cases.drafts import drafts
from registry.cases.models import Case
from registry.cases.workflow import functions
from registry.cases.workflow.functions import people
from registry.namespaces.models import Kind
from tests.support.factories import (
    a_body,
    a_case_in_review,
    a_namespace,
    a_template,
    an_approved_case,
)


def on_the_fast_track(registrant: User, recognition: Recognition = Recognition.PENDING) -> Case:
    body = a_body(recognition=recognition)
    body.representatives.add(registrant)
    return a_case_in_review(by=registrant, body=body)


def with_a_standards_action(registrant: User, expert: User) -> Case:
    case = a_case_in_review(by=registrant)
    return people.anticipate_standards_action(
        case, by=expert, anticipated=True, reason="It is a draft standard."
    )


def a_revision(namespace_registrant: User, expert: User, administrator: User) -> Case:
    namespace = a_namespace(by=namespace_registrant, expert=expert, administrator=administrator)
    case = drafts.start_revision(namespace, by=namespace_registrant)
    template = a_template(version=2, revision_information="Version 2 allows hyphens.")
    case = drafts.save_draft(case, template, by=namespace_registrant, stamp=case.draft_stamp)
    return functions.submit(case, by=namespace_registrant, draft_stamp=case.draft_stamp)


class Cast:
    """The people of a case, and methods that lead to each transition."""

    def __init__(self, registrant: User, expert: User, administrator: User, liaison: User) -> None:
        self.registrant, self.expert = registrant, expert
        self.administrator, self.liaison = administrator, liaison

    def submit(self) -> Case:
        return a_case_in_review(by=self.registrant)

    def submit_informal(self) -> Case:
        return a_case_in_review(by=self.registrant, kind=Kind.INFORMAL)

    def submit_revision(self) -> Case:
        return a_revision(self.registrant, self.expert, self.administrator)

    def submit_on_the_fast_track(self) -> Case:
        return on_the_fast_track(self.registrant)

    def request_changes(self) -> Case:
        return functions.request_changes(
            self.submit(),
            by=self.expert,
            round_number=1,
            rationale="Some of it is unclear.",
            action_points=[
                ("syntax", "Say which q-components are allowed & why: " + "word " * 20),
                ("resolution", "Say whether names resolve.\nAnd <how>."),
            ],
        )

    def request_changes_without_a_rationale(self) -> Case:
        return functions.request_changes(
            self.submit(), by=self.expert, round_number=1, rationale="", action_points=[("purpose", "Which?")]
        )

    def advise(self) -> Case:
        case = on_the_fast_track(self.registrant)
        return functions.advise(case, by=self.expert, round_number=1, rationale="Name the standard.")

    def approve(self) -> Case:
        return an_approved_case(by=self.registrant, expert=self.expert)

    def approve_revision(self) -> Case:
        case = self.submit_revision()
        return functions.approve(case, by=self.expert, round_number=1, rationale="A sound revision.")

    def forward_report(self) -> Case:
        case = with_a_standards_action(self.registrant, self.expert)
        return functions.forward_report(case, by=self.expert, round_number=1, report="Fit for a standard.")

    def direct_to_register(self) -> Case:
        case = self.forward_report()
        return functions.direct(case, by=self.liaison, is_approved=True, reference="Minutes, item 4")

    def direct_to_decline(self) -> Case:
        case = self.forward_report()
        return functions.direct(
            case, by=self.liaison, is_approved=False, reference="Minutes, item 5", reason="It overlaps."
        )

    def direct_after_an_appeal(self) -> Case:
        return functions.direct(
            self.appeal(), by=self.liaison, is_approved=False, reference="Minutes, item 6"
        )

    def return_to_experts(self) -> Case:
        return functions.return_to_experts(
            self.forward_report(), by=self.liaison, reason="Who assigns the names?"
        )

    def take_back(self) -> Case:
        return functions.take_back(self.approve(), by=self.expert, reason="It was meant for another case.")

    def decline(self) -> Case:
        return functions.decline(self.submit(), by=self.expert, round_number=1, reason="Not a namespace.")

    def appeal(self) -> Case:
        return functions.appeal(self.decline(), by=self.registrant, reason="It is one: look again.")

    def recognise(self) -> Case:
        case = on_the_fast_track(self.registrant)
        return functions.recognise(case, by=self.liaison, reference="Letter 7")

    def recognise_for_later(self) -> Case:
        case = on_the_fast_track(self.registrant)
        return functions.recognise(case, by=self.liaison, reference="Letter 7", for_later_cases=True)

    def refuse_recognition(self) -> Case:
        case = on_the_fast_track(self.registrant)
        return functions.refuse_recognition(case, by=self.liaison, reference="Letter 8")

    def leave_fast_track(self) -> Case:
        return functions.leave_fast_track(on_the_fast_track(self.registrant), by=self.registrant)

    def request_completion(self) -> Case:
        case = on_the_fast_track(self.registrant, Recognition.RECOGNISED)
        return functions.request_completion(case, by=self.registrant)

    def cancel_completion(self) -> Case:
        return functions.cancel_completion(self.request_completion(), by=self.registrant)

    def assign(self) -> Case:
        return functions.assign(self.approve(), by=self.administrator)

    def assign_revision(self) -> Case:
        return functions.assign(self.approve_revision(), by=self.administrator)

    def assign_informal(self) -> Case:
        case = an_approved_case(by=self.registrant, expert=self.expert, kind=Kind.INFORMAL)
        return functions.assign(case, by=self.administrator)

    def return_to_registrant(self) -> Case:
        return functions.return_to_registrant(
            self.approve(), by=self.administrator, reason="It names no contact."
        )

    def recuse(self) -> Case:
        case = self.submit()
        people.recuse(case, by=self.expert, reason="A friend's case.")
        return case

    def anticipate_standards_action(self) -> Case:
        return with_a_standards_action(self.registrant, self.expert)

    def call_a_standards_action_off(self) -> Case:
        case = self.anticipate_standards_action()
        return people.anticipate_standards_action(
            case, by=self.expert, anticipated=False, reason="It is a report by now."
        )

    def require_two_experts(self) -> Case:
        return people.require_two_experts(
            self.submit(), by=self.expert, required=True, reason="It touches many others."
        )

    def first_verdict(self) -> Case:
        return functions.approve(
            self.require_two_experts(), by=self.expert, round_number=1, rationale="Sound."
        )

    def invite_co_editor(self) -> Case:
        email = self.administrator.email
        return people.invite_co_editor(self.submit(), by=self.registrant, email=email)

    def withdraw_invitation(self) -> Case:
        email = self.administrator.email
        return people.withdraw_invitation(self.invite_co_editor(), by=self.registrant, email=email)

    def accept_invitation(self) -> Case:
        return people.accept_invitation(self.invite_co_editor(), by=self.administrator)

    def decline_invitation(self) -> Case:
        return people.decline_invitation(self.invite_co_editor(), by=self.administrator)

    def remove_co_editor(self) -> Case:
        case = self.accept_invitation()
        people.remove_co_editor(case, by=self.registrant, email=self.administrator.email)
        return case

    def leave_as_a_co_editor_who_wrote(self) -> Case:
        case = self.accept_invitation()
        drafts.save_draft(case, case.draft_template, by=self.administrator, stamp=case.draft_stamp)
        people.remove_co_editor(case, by=self.administrator, email=self.administrator.email)
        return case

    def withdraw(self) -> Case:
        return functions.withdraw(self.submit(), by=self.registrant, reason="It was a joke.")

    def withdraw_without_a_reason(self) -> Case:
        return functions.withdraw(self.submit(), by=self.registrant)
