"""Two actions at once, and what they may leave: what one after the other would have left."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from registry.audit_log.models import Event
from registry.core.exceptions import RegistryError
from tests.accounts.test_closing_races import one_after_the_other
from tests.cases.traces import check_record_holds
from tests.support.databases import a_fresh_database, at_once

Job = Callable[[], object]


@dataclass(frozen=True)
class Race:
    """Two actions. `after` is the reason for which the second one is refused after the first, and `before` that for which the first
    one is refused after the second; None if it is not refused.
    """

    first: Callable[[], Job]
    second: Callable[[], Job]
    after: type[RegistryError] | None = None
    before: type[RegistryError] | None = None

    def check(self, filled: str, left: Callable[[int], dict[str, Any]]) -> None:
        """Try both orders and both at once, each in a copy of a database. `left` reads what is there after the event of a number."""
        serial = []
        for is_first, refusal in ((True, self.after), (False, self.before)):
            with a_fresh_database(filled):
                jobs, before = [self.first(), self.second()], last_event()
                earlier, later = jobs if is_first else reversed(jobs)
                answer = one_after_the_other(earlier, later)
                found = _outcome([None, answer] if is_first else [answer, None], left(before))
                assert found["refusals"] == ([None, refusal] if is_first else [refusal, None])
                serial.append(found)
        with a_fresh_database(filled):
            jobs, before = [self.first(), self.second()], last_event()
            assert _outcome(at_once(jobs), left(before)) in serial
            check_record_holds()


def last_event() -> int:
    return Event.objects.latest("number").number


def _outcome(answers: Sequence[object], left: dict[str, Any]) -> dict[str, Any]:
    """The refusal of each action, and what is left."""
    return {"refusals": [type(each) if isinstance(each, Exception) else None for each in answers], **left}
