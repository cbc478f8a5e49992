"""Comparison of the states and texts of cases with the audit log."""

from collections.abc import Iterable, Iterator
from typing import Any

from registry.audit_log.committed_texts import NamedText, differences, text_check
from registry.audit_log.models import Event
from registry.audit_log.personal_data import erasures
from registry.cases.models import (
    ActionPoint,
    Case,
    Comment,
    Dismissal,
    Recusal,
    Reply,
    Review,
    Round,
    State,
    TakenBackReview,
    Verdict,
)
from registry.cases.models.states import COMMENT_NAME, FIRST_VERDICT_NAME
from registry.core.digests import digest_of
from registry.namespaces.actions.registrants import REGISTRANT_EVENTS, controller_after
from registry.namespaces.committed_texts import digest_of_template
from registry.namespaces.models import Namespace
from registry.organisations.models import NO_CONTROLLER, Controller


@text_check
def changed_states() -> Iterator[str]:
    def recorded() -> Iterator[NamedText]:
        transitions = Event.objects.filter(case_number__isnull=False).exclude(to_state="")
        latest = transitions.order_by("case_number", "-number").distinct("case_number")
        for number, state in latest.values_list("case_number", "to_state").iterator():
            yield f"the state of case {number}", state

    def stored() -> Iterator[NamedText]:
        for number, state in Case.objects.exclude(state=State.DRAFT).values_list("pk", "state").iterator():
            yield f"the state of case {number}", state

    yield from differences(recorded(), stored())


@text_check
def changed_registrants() -> Iterator[str]:
    """Compare who controls public cases and namespaces: a person or an organisation."""
    of_cases = _controllers_of_cases()

    def recorded() -> Iterator[NamedText]:
        for number, controller in of_cases.items():
            yield f"the registrant of case {number}", str(controller)
        for nid, controller in _controllers_of_namespaces(of_cases).items():
            if controller.is_known:
                yield f"the registrant of “{nid}”", str(controller)

    def stored() -> Iterator[NamedText]:
        cases = Case.objects.public().only("registrant", "organisation")
        for case in cases.iterator():
            yield f"the registrant of case {case.pk}", str(case.controller)
        held = Namespace.objects.exclude(registrant=None, organisation=None)
        for namespace in held.only("nid", "registrant", "organisation").iterator():
            yield f"the registrant of “{namespace.nid}”", str(namespace.controller)

    yield from differences(recorded(), stored())


def _controllers_of_cases() -> dict[int | None, Controller]:
    """The person who submitted the rounds of each case, as its registrant, or the organisation for which they did."""
    rounds = Event.objects.filter(verb="submit").order_by("number")
    return {
        number: Controller(organisation=details["organisation"])
        if "organisation" in details
        else Controller(person=actor)
        for number, actor, details in rounds.values_list("case_number", "actor", "details").iterator()
    }


def _controllers_of_namespaces(of_cases: dict[int | None, Controller]) -> dict[str, Controller]:
    """Who controls each namespace: who registered it first, until a transfer or a claim. A revision changes nothing.

    NO_CONTROLLER if the account was erased.
    """
    found: dict[str, Controller] = {}
    for event in Event.objects.filter(verb__in=("assign", *REGISTRANT_EVENTS)).order_by("number").iterator():
        if event.verb == "assign":
            found.setdefault(event.nid, of_cases.get(event.case_number, NO_CONTROLLER))
        else:
            found[event.nid] = controller_after(event)
    return found


REVIEWING_VERBS = (*Verdict.values, FIRST_VERDICT_NAME)
# A recusal from a draft is part of the event of the first submission.
RECUSING_VERBS = ("recuse", "remove_co_editor", "submit")


def digest_of_points(points: Iterable[tuple[str, str]]) -> str:
    """Return the digest of action points, given as section and text, that the event of a review contains."""
    return digest_of([list(point) for point in points])


def digest_of_replies(replies: Iterable[Reply]) -> str:
    """Return the digest of the answers to action points that the event of a submission contains."""
    ordered = sorted(replies, key=lambda reply: reply.point_id)
    return digest_of([[reply.point_id, reply.outcome, reply.text] for reply in ordered])


def digest_of_comment(comment: Comment) -> str:
    """Return the digest of a comment that its event contains, with its place in the discussion."""
    return digest_of([comment.section, comment.reply_to_id, comment.text])


def _in_round(what: str, case: int | None, number: int) -> str:
    return f"{what} round {number} of case {case}"


def _events(*verbs: str) -> Iterator[Event]:
    return Event.objects.filter(verb__in=verbs).order_by("number").iterator()


@text_check
def changed_rounds() -> Iterator[str]:
    def recorded() -> Iterator[NamedText]:
        for event in _events("submit"):
            round_ = _in_round("the text of", event.case_number, event.details["round"])
            yield (
                round_,
                _submission(
                    event.text_digest,
                    event.actor_id,
                    *(event.details.get(name, "") for name in ("replies_digest", "profile_digest")),
                ),
            )

    def stored() -> Iterator[NamedText]:
        erased = erasures()
        for row in Round.objects.order_by("pk").prefetch_related("replies").iterator(chunk_size=500):
            replies, digest = list(row.replies.all()), digest_of_template(row, erased)
            answers = digest_of_replies(replies) if replies else ""
            profile = digest_of(row.profile) if row.profile else ""
            stated = _submission(digest, row.submitted_by_id, answers, profile) if digest else None
            yield _in_round("the text of", row.case_id, row.number), stated

    yield from differences(recorded(), stored())


def _submission(*parts: Any) -> str:
    return digest_of(list(parts))


@text_check
def changed_reviews() -> Iterator[str]:
    def recorded() -> Iterator[NamedText]:
        for event in _events(*REVIEWING_VERBS):
            verdict = event.details.get("verdict", event.verb)
            points = event.details.get("points_digest", "")
            said = digest_of([event.actor_id, verdict, event.reason, points])
            yield _in_round("a review of", event.case_number, event.details["round"]), said

    def stored() -> Iterator[NamedText]:
        reviews = Review.objects.order_by("pk").select_related("round").prefetch_related("action_points")
        for row in reviews.iterator(chunk_size=500):
            points = [(point.section, point.text) for point in _in_order(row.action_points.all())]
            digest = digest_of_points(points) if points else ""
            said = digest_of([row.expert_id, row.verdict, row.rationale, digest])
            yield _in_round("a review of", row.round.case_id, row.round.number), said

    yield from differences(recorded(), stored())


@text_check
def changed_taken_back_reviews() -> Iterator[str]:
    def recorded() -> Iterator[NamedText]:
        for event in _events("take_back"):
            name = _in_round("a review taken back in", event.case_number, event.details["round"])
            yield name, digest_of([event.actor_id, event.details["verdict"]])

    def stored() -> Iterator[NamedText]:
        rows = TakenBackReview.objects.order_by("pk").select_related("review__round")
        for review in (row.review for row in rows.iterator()):
            name = _in_round("a review taken back in", review.round.case_id, review.round.number)
            yield name, digest_of([review.expert_id, review.verdict])

    yield from differences(recorded(), stored())


def _in_order(points: Iterable[ActionPoint]) -> list[ActionPoint]:
    return sorted(points, key=lambda point: point.pk)


@text_check
def changed_dismissals() -> Iterator[str]:
    def recorded() -> Iterator[NamedText]:
        for event in _events("dismiss_finding"):
            details = event.details
            finding = [details["section"], details["code"], details["message_digest"]]
            stated = digest_of([event.actor_id, *finding, event.reason])
            yield _in_round("a dismissal in", event.case_number, details["round"]), stated

    def stored() -> Iterator[NamedText]:
        for row in Dismissal.objects.select_related("round").iterator():
            finding = [row.section, row.code, digest_of(row.message)]
            stated = digest_of([row.by_id, *finding, row.reason])
            yield _in_round("a dismissal in", row.round.case_id, row.round.number), stated

    yield from differences(recorded(), stored())


@text_check
def changed_comments() -> Iterator[str]:
    def recorded() -> Iterator[NamedText]:
        for event in _events(COMMENT_NAME):
            details = event.details
            name = _in_round(f"comment {details['comment']} on", event.case_number, details["round"])
            yield name, digest_of([event.actor_id, details["comment_digest"]])

    def stored() -> Iterator[NamedText]:
        for row in Comment.objects.select_related("round").defer("round__text", "round__content").iterator():
            name = _in_round(f"comment {row.pk} on", row.round.case_id, row.round.number)
            yield name, digest_of([row.author_id, digest_of_comment(row)])

    yield from differences(recorded(), stored())


@text_check
def changed_recusals() -> Iterator[str]:
    def recorded() -> Iterator[NamedText]:
        """The first recusal of each person from a case: later ones change nothing."""
        first: dict[tuple[int | None, int | None], str] = {}
        for event in _events(*RECUSING_VERBS):
            for person, reason in _recusals_in(event):
                first.setdefault((event.case_number, person), reason)
        for (case, person), reason in first.items():
            yield _recusal(case, person), digest_of(reason)

    def stored() -> Iterator[NamedText]:
        public = Recusal.objects.filter(case__in=Round.objects.values("case"))
        for row in public.iterator():
            yield _recusal(row.case_id, row.user_id), digest_of(row.reason)

    yield from differences(recorded(), stored())


def _recusal(case: int | None, person: int | None) -> str:
    return f"the recusal of account {person} from case {case}"


def _recusals_in(event: Event) -> list[tuple[int | None, str]]:
    """The people whom an event recuses, each with the reason."""
    match event.verb:
        case "recuse":
            return [(event.actor_id, event.reason)]
        case "remove_co_editor":
            return [(event.details["person"], Recusal.EDITED)] if event.details["recused"] else []
        case _:
            return [(person, Recusal.EDITED) for person in event.details.get("recused", [])]
