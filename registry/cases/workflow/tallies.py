"""The verdicts of the two experts on a round that both decide."""

from collections.abc import Iterable
from dataclasses import dataclass

from registry.cases.models import DECIDING_VERDICTS, Case, Review, State
from registry.cases.workflow.tables.experts import verdict_in_words

NEEDED = 2


@dataclass(frozen=True, slots=True)
class Tally:
    """The deciding verdicts on the latest round, by their label in lower case, with the experts who gave them."""

    experts: dict[str, list[str]]

    @property
    def is_split(self) -> bool:
        """Whether the experts disagree."""
        return len(self.experts) > 1

    def __str__(self) -> str:
        given = (f"{len(who)} of {NEEDED}: {label} ({', '.join(who)})" for label, who in self.experts.items())
        return "; ".join(given)


def tally_of(case: Case, reviews: Iterable[Review]) -> Tally | None:
    """The tally of a case in review that two experts decide; None without a verdict."""
    if not case.needs_two_experts or case.state != State.IN_REVIEW:
        return None
    experts: dict[str, list[str]] = {}
    for review in reviews:
        if review.verdict in DECIDING_VERDICTS and not review.is_taken_back and review.at >= case.state_since:
            experts.setdefault(verdict_in_words(review.verdict), []).append(str(review.expert))
    return Tally(experts) if experts else None
