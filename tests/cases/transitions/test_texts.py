"""What must be said with a move: that something is, that it can be kept, and that it is no book."""

from dataclasses import dataclass
from typing import Any

import pytest

from registry.accounts.models import User
from registry.cases.models import Case
from registry.cases.workflow import transitions
from registry.core.validators import TextMissing, TextTooLong, UnstorableCharacter
from tests.cases.traces import NO_WORDS, UNSTORABLE, refused

# The fixtures that need it are asked for by name, so pytest-django can't see it.
pytestmark = pytest.mark.django_db


@dataclass(frozen=True, slots=True)
class Saying:
    """A move that must say something, in a case of conftest.py, by one of the cast."""

    transition: str
    by: str
    place: str
    said: str  # the argument
    what: str  # as the refusal calls it
    longest: int
    rest: dict[str, Any]


SAYINGS = [
    Saying("advise", "expert", "fast_track", "rationale", "the rationale", 50_000, {"round_number": 1}),
    Saying("approve", "expert", "in_review", "rationale", "the rationale", 50_000, {"round_number": 1}),
    Saying("decline", "expert", "in_review", "reason", "the rationale", 50_000, {"round_number": 1}),
    Saying("forward_report", "expert", "anticipated", "report", "the rationale", 50_000, {"round_number": 1}),
    Saying("appeal", "registrant", "declined", "reason", "why the decision should be", 50_000, {}),
    Saying("return_to_registrant", "administrator", "approved", "reason", "why it can't be", 50_000, {}),
    Saying("recognise", "liaison", "fast_track", "reference", "the reference to the recognition", 500, {}),
    Saying("refuse_recognition", "liaison", "fast_track", "reference", "the reference to the", 500, {}),
    Saying(
        "direct",
        "liaison",
        "reported",
        "reference",
        "the reference to the body's decision",
        500,
        {"is_approved": True},
    ),
]


@dataclass(frozen=True, slots=True)
class Attempt:
    """The move, ready to be made with these words or those."""

    saying: Saying
    case: Case
    person: User

    def say(self, words: str) -> Case:
        transition = getattr(transitions, self.saying.transition)
        moved: Case = transition(self.case, by=self.person, **{self.saying.said: words}, **self.saying.rest)
        return moved


@pytest.fixture(params=SAYINGS, ids=lambda saying: saying.transition)
def attempt(request: pytest.FixtureRequest) -> Attempt:
    saying: Saying = request.param
    case = request.getfixturevalue(saying.place)
    return Attempt(saying, case, request.getfixturevalue(saying.by))


@pytest.mark.parametrize("words", NO_WORDS)
@pytest.mark.sampled(4)
def test_something_must_be_said(words: str, attempt: Attempt) -> None:
    with refused(TextMissing, attempt.saying.what):
        attempt.say(words)


@pytest.mark.parametrize("words", UNSTORABLE)
@pytest.mark.sampled(4)
def test_what_can_not_be_kept_is_refused(words: str, attempt: Attempt) -> None:
    with refused(UnstorableCharacter, "U+"):
        attempt.say(f"x{words}")


def test_too_many_words_are_refused(attempt: Attempt) -> None:
    longest = attempt.saying.longest
    with refused(TextTooLong, f"{longest:,}"):
        attempt.say("x" * (longest + 1))
    assert attempt.say("x" * longest).pk == attempt.case.pk
