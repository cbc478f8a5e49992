"""The line of steps, in every state and procedure: what is behind a case, where it is, what it has ahead."""

from collections.abc import Callable
from functools import partial

import pytest

from registry.accounts.models import Recognition, User
from registry.cases.drafts import drafts
from registry.cases.history import record_of, timeline_of
from registry.cases.models import Case, State
from registry.cases.status import status_of
from registry.cases.workflow import functions
from registry.cases.workflow.functions import people
from registry.namespaces.actions.transfers import accept_transfer, offer_transfer
from registry.namespaces.models import Kind
from tests.cases.transitions.rounds import a_revision_in_review, next_round
from tests.support.factories import (
    a_body,
    a_case_in_review,
    a_draft,
    a_namespace,
    an_approved_case,
    put_in_state,
)


class Journey:
    """The ways that a case can go, each to the end of its name."""

    def __init__(self, registrant: User, expert: User, administrator: User, liaison: User) -> None:
        self.registrant, self.expert = registrant, expert
        self.administrator, self.liaison = administrator, liaison

    def draft(self) -> Case:
        return a_draft(by=self.registrant)

    def draft_withdrawn(self) -> Case:
        return functions.withdraw(self.draft(), by=self.registrant)

    def draft_for_a_standard(self) -> Case:
        case = self.draft()
        return drafts.save_draft(
            case, case.draft_template, by=self.registrant, stamp=0, standards_action=True
        )

    def review(self) -> Case:
        return a_case_in_review(by=self.registrant)

    def review_withdrawn(self) -> Case:
        return functions.withdraw(self.review(), by=self.registrant)

    def changes(self) -> Case:
        points = [("purpose", "Say who benefits.")]
        case = self.review()
        return functions.request_changes(
            case, by=self.expert, round_number=1, rationale="", action_points=points
        )

    def changes_withdrawn(self) -> Case:
        return functions.withdraw(self.changes(), by=self.registrant)

    def second_round(self) -> Case:
        return next_round(self.changes())

    def approved(self) -> Case:
        return an_approved_case(by=self.registrant, expert=self.expert)

    def returned(self) -> Case:
        return functions.return_to_registrant(self.approved(), by=self.administrator, reason="No contact.")

    def registered(self) -> Case:
        return functions.assign(self.approved(), by=self.administrator)

    def informal_approved(self) -> Case:
        return an_approved_case(by=self.registrant, expert=self.expert, kind=Kind.INFORMAL)

    def for_a_standard(self) -> Case:
        return people.anticipate_standards_action(
            self.review(), by=self.expert, anticipated=True, reason="It is a draft."
        )

    def reported(self) -> Case:
        return functions.forward_report(
            self.for_a_standard(), by=self.expert, round_number=1, report="Sound."
        )

    def directed(self) -> Case:
        return functions.direct(self.reported(), by=self.liaison, is_approved=True, reference="Minutes 1")

    def directed_to_decline(self) -> Case:
        return functions.direct(self.reported(), by=self.liaison, is_approved=False, reference="Minutes 1")

    def declined(self) -> Case:
        return functions.decline(self.review(), by=self.expert, round_number=1, reason="Not needed.")

    def appealed(self) -> Case:
        return functions.appeal(self.declined(), by=self.registrant, reason="It is needed.")

    def appealed_in_vain(self) -> Case:
        return functions.direct(self.appealed(), by=self.liaison, is_approved=False, reference="Minutes 2")

    def appealed_with_success(self) -> Case:
        return functions.direct(self.appealed(), by=self.liaison, is_approved=True, reference="Minutes 2")

    def fast_track_draft(self) -> Case:
        return a_draft(by=self.registrant, body=a_body())

    def fast_track(self) -> Case:
        return a_case_in_review(by=self.registrant, body=a_body())

    def fast_track_withdrawn(self) -> Case:
        return functions.withdraw(self.fast_track(), by=self.registrant)

    def recognised(self) -> Case:
        return functions.recognise(self.fast_track(), by=self.liaison, reference="Letter 1")

    def not_recognised(self) -> Case:
        return functions.refuse_recognition(self.fast_track(), by=self.liaison, reference="Letter 1")

    def left_fast_track(self) -> Case:
        return functions.leave_fast_track(self.fast_track(), by=self.registrant)

    def completed(self) -> Case:
        return functions.request_completion(self.recognised(), by=self.registrant)

    def completed_and_cancelled(self) -> Case:
        return functions.cancel_completion(self.completed(), by=self.registrant)

    def _namespace(self) -> Case:
        namespace = a_namespace(by=self.registrant, expert=self.expert, administrator=self.administrator)
        return a_revision_in_review(namespace, by=self.registrant)

    def revision(self) -> Case:
        return self._namespace()

    def revision_registered(self) -> Case:
        case = functions.approve(self.revision(), by=self.expert, round_number=1, rationale="Sound.")
        return functions.assign(case, by=self.administrator)


# Behind the case | where it is, in brackets | ahead; and who has it.
LINES: list[tuple[Callable[[Journey], Case], str, str]] = [
    (Journey.draft, "[Draft] Expert review, Assignment, Registered", "The registrant"),
    (Journey.draft_withdrawn, "Draft [Withdrawn]", ""),
    (
        Journey.draft_for_a_standard,
        "[Draft] Expert review, Direction, Assignment, Registered",
        "The registrant",
    ),
    (Journey.review, "Draft [Expert review] Assignment, Registered", "The designated experts"),
    (Journey.review_withdrawn, "Draft, Expert review [Withdrawn]", ""),
    (
        Journey.changes,
        "Draft, Expert review [Changes] Expert review again, Assignment, Registered",
        "The registrant",
    ),
    (Journey.changes_withdrawn, "Draft, Expert review, Changes [Withdrawn]", ""),
    (Journey.second_round, "Draft [Expert review] Assignment, Registered", "The designated experts"),
    (Journey.approved, "Draft, Expert review [Assignment] Registered", "The administrators"),
    (
        Journey.returned,
        "Draft, Expert review [Changes] Expert review again, Assignment, Registered",
        "The registrant",
    ),
    (Journey.registered, "Draft, Expert review, Assignment [Registered]", ""),
    (Journey.informal_approved, "Draft, Expert review [Assignment] Registered", "The administrators"),
    (
        Journey.for_a_standard,
        "Draft [Expert review] Direction, Assignment, Registered",
        "The designated experts",
    ),
    (Journey.reported, "Draft, Expert review [Direction] Assignment, Registered", "The approval body"),
    (Journey.directed, "Draft, Expert review, Direction [Assignment] Registered", "The administrators"),
    (Journey.directed_to_decline, "Draft, Expert review, Direction [Declined]", ""),
    (Journey.declined, "Draft, Expert review [Declined]", ""),
    (
        Journey.appealed,
        "Draft, Expert review, Declined [Direction on the appeal] Assignment, Registered",
        "The approval body",
    ),
    (
        Journey.appealed_in_vain,
        "Draft, Expert review, Declined, Direction on the appeal [Finally declined]",
        "",
    ),
    (
        Journey.appealed_with_success,
        "Draft, Expert review, Declined, Direction on the appeal [Assignment] Registered",
        "The administrators",
    ),
    (Journey.fast_track_draft, "[Draft] Recognition, Advice, Assignment, Registered", "The registrant"),
    (Journey.fast_track, "Draft [Recognition] Advice, Assignment, Registered", "The approval body"),
    (Journey.fast_track_withdrawn, "Draft, Advice [Withdrawn]", ""),
    (Journey.recognised, "Draft, Recognition [Advice] Assignment, Registered", "The requesting body"),
    (Journey.not_recognised, "Draft [Expert review] Assignment, Registered", "The designated experts"),
    (Journey.left_fast_track, "Draft [Expert review] Assignment, Registered", "The designated experts"),
    (Journey.completed, "Draft, Recognition, Advice [Assignment] Registered", "The administrators"),
    (
        Journey.completed_and_cancelled,
        "Draft, Recognition [Advice] Assignment, Registered",
        "The requesting body",
    ),
    (
        Journey.revision,
        "Draft [Expert review] Registration, Version 2 registered",
        "The designated experts",
    ),
    (Journey.revision_registered, "Draft, Expert review, Registration [Version 2 registered]", ""),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("come_to", "line", "holder"), LINES, ids=[row[0].__name__ for row in LINES])
def test_a_case_shows_its_way(
    come_to: Callable[[Journey], Case],
    line: str,
    holder: str,
    registrant: User,
    expert: User,
    administrator: User,
    liaison: User,
) -> None:
    case = come_to(Journey(registrant, expert, administrator, liaison))
    record = record_of(case)
    timeline = timeline_of(Case.objects.get(pk=case.pk), record)
    behind, rest = line.split("[")
    here, ahead = rest.split("]")
    current = next(at for at, step in enumerate(timeline) if step.is_current)
    assert [step.label for step in timeline[:current]] == [
        each for each in behind.strip().split(", ") if each
    ]
    assert timeline[current].label == here
    assert [step.label for step in timeline[current + 1 :]] == [
        each for each in ahead.strip().split(", ") if each
    ]
    assert sum(step.is_current for step in timeline) == 1
    positions = [step.position for step in timeline]
    assert positions[:current] == ["done"] * current
    assert positions[current] == ("now" if case.is_open else "closed")
    assert set(positions[current + 1 :]) <= {"next"}
    status = status_of(case, lambda: record)
    assert status.holder == holder
    assert bool(status.holder) == case.is_open
    assert status.task.endswith(".")
    assert status.afterwards.endswith(".")


@pytest.mark.parametrize("state", sorted(set(State) - {State.REGISTERED}))
@pytest.mark.parametrize("recognition", Recognition)
@pytest.mark.parametrize("is_fast_track", [False, True])
def test_every_state_has_a_timeline_even_with_few_events(
    state: State, recognition: Recognition, is_fast_track: bool, registrant: User
) -> None:
    case = a_case_in_review(by=registrant, body=a_body() if is_fast_track else None)
    case = put_in_state(case, state, recognition=recognition)
    (here,) = [step for step in timeline_of(case, record_of(case)) if step.is_current]
    assert here.position == ("now" if case.is_open else "closed")


def test_a_former_registrant_can_only_withdraw(
    registrant: User, participant: User, expert: User, administrator: User
) -> None:
    namespace = a_namespace(by=registrant, expert=expert, administrator=administrator)
    case = a_revision_in_review(namespace, by=registrant)
    accept_transfer(offer_transfer(namespace, by=registrant, to=participant.email), by=participant)
    case = Case.objects.get(pk=case.pk)
    assert status_of(case, partial(record_of, case)).task.startswith("Withdraw the request")


def test_the_status_of_a_returned_case_names_the_administrator(
    registrant: User, expert: User, administrator: User, liaison: User
) -> None:
    journey = Journey(registrant, expert, administrator, liaison)
    case = journey.returned()
    assert "as the administrator requested" in status_of(case, partial(record_of, case)).task
    case = functions.withdraw(case, by=registrant)
    asked = journey.changes()
    assert "action points" in status_of(asked, partial(record_of, asked)).task
