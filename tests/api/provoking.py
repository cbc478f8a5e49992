"""How each refusal is provoked: a request that would be granted, with one thing made wrong; or a case set up so."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any
from urllib.parse import quote, urlencode

from django.test import Client, override_settings

from registry.accounts.models import Body, Recognition, Scope, User
from registry.api.bulk import MOST_AT_ONCE, MOST_OCTETS
from registry.appendix_a.submission import Submission as Content
from registry.namespaces.actions import take_back_transfer
from registry.namespaces.models import Namespace, Transfer
from registry.namespaces.registering import register_formal
from registry.registrations import actions, acts, drafts
from registry.registrations.models import CannedText, Procedure, Registration, State, Submission
from registry.words import MAX_WORDS
from tests.api.described import described_operations
from tests.api.grants import REASON, Scene
from tests.factories import a_case_in_review, a_submission

NOTHING = 999_999
KEY = '"8e03978e-40d5-43dd-bc93-6894a57f9324"'
# What of a body becomes part of the record. (`template` is a text as well, but is read.)
WORDS = ("rationale", "report", "reason", "reference", "statement", "text")


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that would be granted, until something of it is changed."""

    operation: str
    by: str
    where: dict[str, Any]
    query: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    body: Any = None
    settings: dict[str, Any] = field(default_factory=dict)

    def at(self, **where: Any) -> "Asked":
        return replace(self, where=self.where | where)

    def saying(self, **members: Any) -> "Asked":
        return replace(self, body=(self.body or {}) | members)

    def sending(self, **headers: str) -> "Asked":
        """With these headers; names with "_" for "-"."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return replace(self, headers=self.headers | named)


def granted(scene: Scene, operation: str) -> Asked:
    """The request to begin with: somebody who may asks for what there is."""
    grant = scene.grant(operation, Random(operation))
    is_open = described_operations()[operation][2]["security"] == [{}]
    headers = dict(grant.headers) if is_open else {**grant.headers, **scene.credentials(grant.by)}
    return Asked(operation, grant.by, dict(grant.where), urlencode(grant.query), headers, grant.body)


def answer_to(scene: Scene, asked: Asked) -> Any:
    method, path, _ = described_operations()[asked.operation]
    headers = {name: value for name, value in asked.headers.items() if value}
    content_type = headers.pop(
        "Content-Type", "text/plain" if isinstance(asked.body, str) else "application/json"
    )
    body = {} if asked.body is None else {"data": _octets(asked.body), "content_type": content_type}
    where = {name: quote(str(value), safe="") for name, value in asked.where.items()}
    with override_settings(**asked.settings):
        return Client(HTTP_HOST="localhost").generic(
            method.upper(), path.format(**where), headers=headers, QUERY_STRING=asked.query, **body
        )


def _octets(body: Any) -> bytes:
    if isinstance(body, bytes):
        return body
    return body.encode() if isinstance(body, str) else json.dumps(body).encode()


Provocation = Callable[[Scene, Asked], Asked]


def with_words(text: str) -> Provocation:
    """Say `text` wherever something is said for the record."""

    def provoke(scene: Scene, asked: Asked) -> Asked:
        if asked.operation in ("write_draft", "change_draft"):
            case = _returned()
            answer = {"point": _point_of(case), "outcome": "done", "text": text}
            return asked.at(number=case.pk).saying(answers=[answer])
        said = [name for name in WORDS if name in (asked.body or {})]
        if asked.operation == "request_changes":
            return asked.saying(action_points=[{"section": "purpose", "text": text}])
        return asked.saying(**dict.fromkeys(said, text))

    return provoke


def _returned() -> Registration:
    return Registration.objects.filter(state=State.CHANGES_REQUESTED).earliest("pk")


def _point_of(case: Registration) -> int:
    submission = case.latest_submission
    assert submission is not None
    return int(submission.reviews.get().action_points.get().pk)


def _in(state: State, **chosen: Any) -> Registration:
    return Registration.objects.filter(state=state, **chosen).earliest("pk")


def not_found(scene: Scene, asked: Asked) -> Asked:
    """A case or an offer that there is not; or somebody else's namespace."""
    if "{number}" in described_operations()[asked.operation][1]:
        return asked.at(number=NOTHING)
    return asked.sending(**scene.credentials("co-editor"))


def move_not_open(scene: Scene, asked: Asked) -> Asked:
    """The case has ended; or, where that is where the move starts, it has not."""
    state = State.IN_REVIEW if asked.operation == "appeal" else State.DECLINED
    return asked.at(number=_in(state).pk)


def condition_not_met(scene: Scene, asked: Asked) -> Asked:
    """A case where the move starts, of the other procedure, or with the other thing decided."""
    case = Registration.objects.get(pk=asked.where["number"])
    changes: dict[str, Any] = {
        "appeal": {"appealed_at": case.state_since},
        "approve": {"standards_action": True},
        "forward_report": {"standards_action": False},
        "recognise": {"recognition": Recognition.REFUSED},
        "refuse_recognition": {"recognition": Recognition.REFUSED},
        "request_completion": {"recognition": Recognition.PENDING},
        "advise": {"procedure": Procedure.COMMUNITY, "body": None},
    }.get(asked.operation, {})
    if asked.operation in ("submit", "assign"):  # the namespace went to somebody else meanwhile
        trees = Namespace.objects.get(nid="example-trees")
        Namespace.objects.filter(pk=trees.pk).update(registrant=scene.people["participant"])
        changes = {"is_revision": True, "namespace": trees, "requested_nid": trees.nid}
    if asked.operation == "remove_co_editor":
        case.co_editors.all().delete()
    if not changes and asked.operation != "remove_co_editor":
        body = Body.objects.earliest("pk")
        changes = {"procedure": Procedure.FAST_TRACK, "body": body}
    Registration.objects.filter(pk=case.pk).update(**changes)
    return asked


def precondition_failed(scene: Scene, asked: Asked) -> Asked:
    return asked.sending(If_Match='"another"')


def invalid_fields(scene: Scene, asked: Asked) -> Asked:
    return asked.saying(urns=[1]) if asked.operation == "check_urns" else asked.saying(nothing=1)


def too_many_texts(scene: Scene, asked: Asked) -> Asked:
    return replace(asked, body=["urn:example:a"] * (MOST_AT_ONCE + 1))


def points_unanswered(scene: Scene, asked: Asked) -> Asked:
    case = _returned()
    content = a_submission(namespace_identifier="example-returned", purpose="Names other trees.")
    case = drafts.save_draft(case, content, by=case.registrant, stamp=case.draft_stamp)
    return asked.at(number=case.pk).saying(draft_stamp=case.draft_stamp)


def submission_incomplete(scene: Scene, asked: Asked) -> Asked:
    case = drafts.begin(by=scene.people["registrant"], kind="formal", content=Content())
    return asked.at(number=case.pk).saying(draft_stamp=case.draft_stamp)


def nothing_changed(scene: Scene, asked: Asked) -> Asked:
    case = _in(State.IN_REVIEW)
    return asked.at(number=case.pk).saying(draft_stamp=case.draft_stamp)


def already_submitted(scene: Scene, asked: Asked) -> Asked:
    case = _in(State.DRAFT)
    stamp = case.draft_stamp
    actions.submit(case, by=case.registrant, draft_stamp=stamp)
    # Between the two presses of the button nothing was written, but the page says the stamp before.
    Registration.objects.filter(pk=case.pk).update(draft_stamp=stamp + 1)
    return asked.at(number=case.pk).saying(draft_stamp=stamp)


def second_expert_needed(scene: Scene, asked: Asked) -> Asked:
    expert = scene.people["expert"]
    case = Registration.objects.get(pk=asked.where["number"])
    acts.require_two_experts(case, by=expert, required=True, reason=REASON)
    getattr(actions, asked.operation)(case, by=expert, **asked.body)
    return asked


def no_own_words(scene: Scene, asked: Asked) -> Asked:
    CannedText.objects.create(title="Example", text=REASON, changed_by=scene.people["expert"])
    return with_words(REASON)(scene, asked)


def nid_taken(scene: Scene, asked: Asked) -> Asked:
    register_formal(
        a_submission(namespace_identifier="example-approved"), registrant=scene.people["participant"]
    )
    return asked


def nid_not_registrable(scene: Scene, asked: Asked) -> Asked:
    """A round that no check let through, but a console."""
    case = Registration.objects.get(pk=asked.where["number"])
    first = case.submissions.get()
    reserved = a_submission(namespace_identifier="urn-12").to_json()
    Submission.objects.create(
        registration=case, round=2, content=reserved, text="", digest="", submitted_by=first.submitted_by
    )
    return asked.saying(round_number=2)


def revision_overtaken(scene: Scene, asked: Asked) -> Asked:
    """Of two revisions of one namespace, the other one is registered."""
    registrant, expert = scene.people["registrant"], scene.people["expert"]
    trees = Namespace.objects.get(nid="example-trees")
    first, second = (_an_approved_revision(trees, by=registrant, expert=expert) for _ in range(2))
    actions.assign(first, by=scene.people["administrator"])
    return asked.at(number=second.pk)


def _an_approved_revision(namespace: Namespace, *, by: User, expert: User) -> Registration:
    case = drafts.begin_revision(namespace, by=by)
    changed = a_submission(purpose="Names trees and shrubs.", revision_information="Shrubs, too.")
    case = drafts.save_draft(case, changed, by=by, stamp=case.draft_stamp)
    case = actions.submit(case, by=by, draft_stamp=case.draft_stamp)
    return actions.approve(case, by=expert, round_number=1, rationale=REASON)


def transfer_not_open(scene: Scene, asked: Asked) -> Asked:
    transfer = Transfer.objects.waiting().get()
    if asked.operation == "offer_transfer":
        return asked.at(nid=transfer.namespace.nid)
    take_back_transfer(transfer, by=scene.people["registrant"])
    return asked


def nothing_to_discuss(scene: Scene, asked: Asked) -> Asked:
    return asked.sending(**scene.credentials("registrant")).at(number=_in(State.DRAFT).pk)


def discussion_closed(scene: Scene, asked: Asked) -> Asked:
    case = a_case_in_review(by=scene.people["registrant"], namespace_identifier="example-withdrawn")
    actions.withdraw(case, by=case.registrant)
    return asked.at(number=case.pk)


def draft_closed(scene: Scene, asked: Asked) -> Asked:
    return asked.at(number=_in(State.APPROVED).pk)


def has_acted(scene: Scene, asked: Asked) -> Asked:
    return asked.at(number=_in(State.APPROVED).pk).saying(email="expert@example.org")


def already_an_editor(scene: Scene, asked: Asked) -> Asked:
    with_one = Registration.objects.filter(co_editors__user=scene.people["co-editor"]).earliest("pk")
    return asked.at(number=with_one.pk).saying(email="co-editor@example.org")


def sections_refused(scene: Scene, asked: Asked) -> Asked:
    return asked.saying(sections={"purpose": "Names trees.\x00"})


def template_unreadable(scene: Scene, asked: Asked) -> Asked:
    if asked.operation == "begin":
        return replace(asked, body={"kind": "formal", "template": "No template."})
    return replace(asked, body="No template.")


def scope_missing(scene: Scene, asked: Asked) -> Asked:
    needed = described_operations()[asked.operation][2]["security"][0]["token"]
    other = next(scope for scope in Scope if scope.value not in needed)
    return asked.sending(**scene.credentials(asked.by, other))


def key_reused(scene: Scene, asked: Asked) -> Asked:
    """The key of a request that was granted comes with another one."""
    first = asked.sending(Idempotency_Key=KEY)
    assert 200 <= answer_to(scene, first).status_code < 300
    return first.sending(Content_Type="application/json; charset=utf-8")


def too_much(scene: Scene, asked: Asked) -> Asked:
    return replace(asked, settings={"DATA_UPLOAD_MAX_MEMORY_SIZE": 1}, body=asked.body or {"a": 1})


def too_many_requests(scene: Scene, asked: Asked) -> Asked:
    return replace(asked, settings={"API_READS_A_MINUTE": 0, "API_WRITES_A_MINUTE": 0})


def template_of_an_import(scene: Scene, asked: Asked) -> Asked:
    return asked.at(nid="isbn") if asked.operation == "template" else asked.at(version=9)


def simply(change: Callable[[Asked], Asked]) -> Provocation:
    return lambda _scene, asked: change(asked)


PROVOCATIONS: dict[str, Provocation] = {
    "already-an-editor": already_an_editor,
    "already-deprecated": simply(lambda asked: asked.at(nid="isbn")),
    "already-submitted": already_submitted,
    "body-too-long": simply(lambda asked: replace(asked, body=" " * (MOST_OCTETS + 1))),
    "case-unknown": simply(lambda asked: asked.at(number=NOTHING)),
    "comment-refused": simply(lambda asked: asked.saying(section="nothing")),
    "compared-malformed": simply(lambda asked: asked.saying(second="urn:")),
    "condition-not-met": condition_not_met,
    "discussion-closed": discussion_closed,
    "draft-changed": simply(lambda asked: asked.sending(If_Match='"999.00000000"')),
    "draft-closed": draft_closed,
    "draft-overtaken": simply(lambda asked: asked.saying(draft_stamp=NOTHING)),
    "file-unknown": simply(lambda asked: asked.at(file="nothing")),
    "has-acted": has_acted,
    "idempotency-key-malformed": simply(lambda asked: asked.sending(Idempotency_Key='"')),
    "idempotency-key-reused": key_reused,
    "if-match-missing": simply(lambda asked: asked.sending(If_Match="")),
    "invalid-fields": invalid_fields,
    "length-required": simply(lambda asked: replace(asked, body=None).sending(Transfer_Encoding="chunked")),
    "move-not-open": move_not_open,
    "namespace-unknown": simply(lambda asked: asked.at(nid="example-nothing")),
    "nid-not-registrable": nid_not_registrable,
    "nid-taken": nid_taken,
    "no-own-words": no_own_words,
    "not-acceptable": simply(lambda asked: asked.sending(Accept="image/png")),
    "not-an-editor": simply(lambda asked: asked.saying(email="liaison@example.org")),
    "not-found": not_found,
    "nothing-changed": nothing_changed,
    "nothing-here": simply(lambda asked: asked.at(slug="nothing")),
    "nothing-to-discuss": nothing_to_discuss,
    "parameter-refused": simply(lambda asked: replace(asked, query="nothing=1")),
    "points-unanswered": points_unanswered,
    "precondition-failed": precondition_failed,
    "query-not-text": simply(lambda asked: replace(asked, query="%ff")),
    "recipient-unfit": simply(lambda asked: asked.saying(to="registrant@example.org")),
    "revision-overtaken": revision_overtaken,
    "round-overtaken": simply(lambda asked: asked.saying(round_number=9)),
    "round-unknown": simply(lambda asked: asked.at(round=9)),
    "scope-missing": scope_missing,
    "second-expert-needed": second_expert_needed,
    "sections-refused": sections_refused,
    "submission-incomplete": submission_incomplete,
    "successor-unfit": simply(lambda asked: asked.saying(successor=asked.where["nid"])),
    "template-unreadable": template_unreadable,
    "token-missing": simply(lambda asked: asked.sending(Authorization="")),
    "token-refused": simply(lambda asked: asked.sending(Authorization="Bearer nothing")),
    "too-large": too_much,
    "too-many-requests": too_many_requests,
    "too-many-texts": too_many_texts,
    "too-many-words": with_words("a" * (MAX_WORDS + 1)),
    "transfer-not-open": transfer_not_open,
    "unkeepable-character": with_words("Sound.\x00"),
    "unknown-action-point": simply(
        lambda asked: asked.saying(answers=[{"point": NOTHING, "outcome": "done"}])
    ),
    "unknown-section": simply(
        lambda asked: asked.saying(action_points=[{"section": "nothing", "text": REASON}])
    ),
    "unreadable-body": simply(lambda asked: replace(asked, body=b"{")),
    "unsupported-media-type": simply(
        lambda asked: replace(asked, body=b"{}").sending(Content_Type="image/png")
    ),
    "urn-malformed": simply(
        lambda asked: replace(asked.at(urn="nothing"), query=asked.query and "urn=nothing")
    ),
    "version-unknown": template_of_an_import,
    "words-missing": with_words(" "),
}
