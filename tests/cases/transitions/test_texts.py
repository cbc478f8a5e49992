"""Validation of required texts."""

from dataclasses import dataclass
from typing import Any

import pytest

from registry.accounts.models import User
from registry.cases.models import Case
from registry.cases.workflow.declarations.definition import Transition
from registry.cases.workflow.declarations.reviews import (
    ADVISE,
    APPROVE,
    DECLINE,
    DIRECT,
    FORWARD_REPORT,
    RECOGNISE,
    REFUSE_RECOGNITION,
)
from registry.cases.workflow.declarations.transitions import APPEAL, RETURN_TO_REGISTRANT
from registry.core.validators import TextMissing, TextTooLong, UnstorableCharacter
from tests.cases.traces import NO_WORDS, UNSTORABLE, refused

# The fixtures that need it are asked for by name, so pytest-django can't see it.
pytestmark = pytest.mark.django_db


@dataclass(frozen=True, slots=True)
class RequiredText:
    """A required text of a transition, in a case of conftest.py, by one of the cast."""

    transition: Transition
    by: str
    place: str
    argument: str  # the argument
    what: str  # as the refusal calls it
    longest: int
    rest: dict[str, Any]


REQUIRED_TEXTS = [
    RequiredText(ADVISE, "expert", "fast_track", "rationale", "the rationale", 50_000, {"round_number": 1}),
    RequiredText(APPROVE, "expert", "in_review", "rationale", "the rationale", 50_000, {"round_number": 1}),
    RequiredText(DECLINE, "expert", "in_review", "reason", "the rationale", 50_000, {"round_number": 1}),
    RequiredText(
        FORWARD_REPORT, "expert", "anticipated", "report", "the rationale", 50_000, {"round_number": 1}
    ),
    RequiredText(APPEAL, "registrant", "declined", "reason", "the reason for the appeal", 50_000, {}),
    RequiredText(RETURN_TO_REGISTRANT, "administrator", "approved", "reason", "the reason", 50_000, {}),
    RequiredText(
        RECOGNISE, "liaison", "fast_track", "reference", "the reference to the recognition", 500, {}
    ),
    RequiredText(REFUSE_RECOGNITION, "liaison", "fast_track", "reference", "the reference to the", 500, {}),
    RequiredText(
        DIRECT,
        "liaison",
        "reported",
        "reference",
        "the reference to the decision",
        500,
        {"is_approved": True},
    ),
]


@dataclass(frozen=True, slots=True)
class Attempt:
    """A transition that can be attempted with different texts."""

    required: RequiredText
    case: Case
    person: User

    def run(self, text: str) -> Case:
        transition = self.required.transition.function
        return transition(self.case, by=self.person, **{self.required.argument: text}, **self.required.rest)


@pytest.fixture(params=REQUIRED_TEXTS, ids=lambda required: required.transition.name)
def attempt(request: pytest.FixtureRequest) -> Attempt:
    required: RequiredText = request.param
    case = request.getfixturevalue(required.place)
    return Attempt(required, case, request.getfixturevalue(required.by))


def test_only_words_that_can_be_kept_are_accepted(attempt: Attempt) -> None:
    """Each transition with other words: one function checks them all."""
    at, longest = REQUIRED_TEXTS.index(attempt.required), attempt.required.longest
    for words in {"", NO_WORDS[at % len(NO_WORDS)]}:
        with refused(TextMissing, attempt.required.what):
            attempt.run(words)
    with refused(UnstorableCharacter, "U+"):
        attempt.run(f"x{UNSTORABLE[at % len(UNSTORABLE)]}")
    with refused(TextTooLong, f"{longest:,}"):
        attempt.run("x" * (longest + 1))
    assert attempt.run("x" * longest).pk == attempt.case.pk
