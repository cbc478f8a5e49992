"""What is next in a case, in sentences: for the reader of its page, for its editors, and for who submits a round."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone
from django.utils.formats import date_format

from registry.accounts.models import RoleName, User
from registry.cases.deadlines import due_at
from registry.cases.models import Case, State, Status
from registry.cases.permissions import Person, is_editor
from registry.cases.status import status_of
from registry.cases.workflow.available import transitions_open_in

# The role of those whom a status names as holders. Other holders are the registrant.
ROLE_BY_HOLDER = {
    "The designated experts": RoleName.EXPERT,
    "The approval body": RoleName.LIAISON,
    "The administrators": RoleName.ADMINISTRATOR,
}


@dataclass(frozen=True, slots=True)
class NextStep:
    """What the reader of a case page does now: a heading and a sentence."""

    heading: str
    text: str
    is_yours: bool = False


def for_reader(case: Case, status: Status, *, reader: Person) -> NextStep:
    """The status of the case for this reader."""
    if not status.holder:
        return NextStep("This case is closed", status.task)
    if _is_turn_of(reader, case, status):
        return NextStep("Your turn", status.task, is_yours=True)
    described = status.described or status.task
    if is_editor(reader, case):
        return NextStep(_expectation(case), described)
    return NextStep(f"With {status.holder[0].lower()}{status.holder[1:]}", described)


def for_editor(case: Case) -> str:
    """In a line: what an editor of an open case does now, or by when to expect an answer."""
    status = status_of(case)
    if not status.holder or case.state == State.DRAFT:
        return ""
    return f"{_expectation(case)}." if status.holder in ROLE_BY_HOLDER else f"Your turn: {status.task}"


def _is_turn_of(reader: Person, case: Case, status: Status) -> bool:
    role = ROLE_BY_HOLDER.get(status.holder)
    if role is None:
        return is_editor(reader, case)
    return (
        isinstance(reader, User)
        and role in reader.roles
        and any(
            each.permission(reader, case) and not each.obstacle(reader, case)
            for each in transitions_open_in(case)
        )
    )


def _expectation(case: Case) -> str:
    due = due_at(case)
    if due is None:
        return "Nothing to do: you get e-mail when there is an answer"
    if due < timezone.now():
        return f"Nothing to do: an answer was due by {_day(due)}"
    return f"Nothing to do: expect an answer by {_day(due)}"


def after_submission(case: Case) -> Iterator[str]:
    """What happens to the round that is submitted now, in sentences: who acts, by when, and what can be changed."""
    yield f"{_reviewers(case)} Anyone can comment."
    yield (
        "You get an e-mail about each comment, request and decision. If you are asked for changes, answer each "
        f"action point and submit the next round{_within('changes_requested')}. If you take longer, you are "
        "reminded; the case stays open."
    )
    if case.is_fast_track:
        yield "Once your body is recognised, you request completion when the registration is ready."
    elif case.standards_action:
        yield "The experts report to the approval body, which decides whether the namespace is registered."
    else:
        yield f"If the round is approved, an administrator registers it{_within('approved')}."
    yield "To change the text during the review, edit the draft and submit it as the next round."
    yield "You can withdraw the request on the page of the case until it is registered. Submitted rounds stay public."


def _reviewers(case: Case) -> str:
    days = settings.DAYS_TO_ACT.get(State.IN_REVIEW)
    by = f" by {_day(timezone.now() + timedelta(days=days))}" if days else ""
    if case.is_with_body:
        return "The experts give advice, and your body decides how long that takes."
    if case.is_fast_track:
        return f"The approval body decides whether to recognise your body{by}. The experts give advice."
    return f"The designated experts answer{by}."


def _within(state: str) -> str:
    days = settings.DAYS_TO_ACT.get(state)
    return f" within {days} days" if days else ""


def _day(moment: datetime) -> str:
    return date_format(timezone.localtime(moment), "j F Y")
