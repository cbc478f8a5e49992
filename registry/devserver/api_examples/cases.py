"""Requests for cases: drafts, review, the fast track, and the ends of a case."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from registry.accounts.models import Body, Scope, User
from registry.actions.declarations import Action
from registry.api.schema.document import IN_FORMAT
from registry.cases.models import Case
from registry.cases.workflow.declarations.actions import COMMENT
from registry.cases.workflow.declarations.transitions import ALL_ACTIONS
from registry.devserver.api_examples.recorder import Recorder
from registry.devserver.demonstration_cases import person, submitted, template_of
from registry.registration_template.formatting import format_template

SAMPLES = {action.operation_id: action.sample for action in ALL_ACTIONS}
CO_EDITOR = {"email": "participant@example.org"}
ANY_DRAFT = {"If-Match": "*"}


def act(recorder: Recorder, case: int, name: str, by: User, **changes: Any) -> Any:
    """Record an action of a case, with the sample of its declaration as the body."""
    return recorder.call(name, by=by, number=case, body=SAMPLES[name] | changes)


def record_offered(
    recorder: Recorder, actions: Mapping[str, Action[Any]], subject: Any, *people: User, **address: Any
) -> None:
    """Record actions on a subject with the samples of their declarations, each by the first person who may take it."""
    for action in actions.values():
        by = next(each for each in people if action.is_allowed_for(each, subject))
        recorder.call(action.operation_id, by=by, body=action.sample, **address)


def confirm_contact(recorder: Recorder, nid: str, *, by: User) -> None:
    """Give the contact of a new registrant the time of the recording: the database gave it that of its own clock."""
    recorder.call("confirmContact", by=by, nid=nid, body={}, is_sample=False)


def record_cases(recorder: Recorder) -> None:
    case = record_draft(recorder)
    record_co_editors(recorder, case)
    record_review(recorder, case)
    record_revision(recorder)
    record_report(recorder)
    record_fast_track(recorder)
    record_ends(recorder)
    record_lists(recorder, case)


def record_draft(recorder: Recorder) -> int:
    """A case for “example-trees”, and its draft in each format."""
    registrant, call = person("registrant"), partial(recorder.call, by=person("registrant"))
    sections = {"namespace_identifier": "example-trees", "purpose": "Names trees in botanical gardens."}
    number = int(call("createCase", body={"kind": "formal", "sections": sections})["number"])
    call("getDraft", number=number)
    changes = {"sections": {"purpose": "Names trees in the care of botanical gardens."}}
    text = format_template(template_of("example-trees-1"))
    for suffix in ("", IN_FORMAT):
        named = {"suffix": "json"} if suffix else {}
        write = partial(call, number=number, headers=ANY_DRAFT, **named)
        write(f"saveDraft{suffix}", body={"sections": sections})
        write(f"saveDraft{suffix}", body=text)
        write(f"updateDraft{suffix}", body=changes)
        merged = ANY_DRAFT | {"Content-Type": "application/merge-patch+json"}
        write(f"updateDraft{suffix}", body=changes, headers=merged)
    as_text = partial(call, number=number, headers=ANY_DRAFT, suffix="txt")
    as_text(f"saveDraft{IN_FORMAT}", body=text)
    as_text(f"updateDraft{IN_FORMAT}", body=changes)
    call("checkDraft", number=number, body={"sections": sections})
    call("checkDraft", number=number, body=text)
    stale = {"If-Match": '"1.0f1e2d3c"'}
    recorder.refused("saveDraft", by=registrant, number=number, body={"sections": sections}, headers=stale)
    recorder.refused("createCase", by=registrant, body={"kind": "formal", "sections": {"purpose": 1}})
    recorder.refused("createCase", by=registrant, body={"kind": "formal", "template": "Dear registry,"})
    recorder.refused("createCase", by=registrant, scopes=(Scope.READ,), body={"kind": "formal"})
    recorder.refused("createCase", by=registrant, body={"kind": "formal", "colour": "green"})
    incomplete = call("createCase", body={"kind": "formal", "sections": sections}, is_sample=False)
    stamp = {"draft_stamp": incomplete["draft_stamp"]}
    recorder.refused("submitCase", by=registrant, number=incomplete["number"], body=stamp)
    call("withdrawCase", number=incomplete["number"], body={}, is_sample=False)
    return number


def record_co_editors(recorder: Recorder, case: int) -> None:
    registrant, invited = person("registrant"), person("participant")
    act(recorder, case, "inviteCoEditor", registrant, **CO_EDITOR)
    act(recorder, case, "withdrawInvitation", registrant, **CO_EDITOR)
    invite = partial(recorder.call, "inviteCoEditor", by=registrant, number=case, body=CO_EDITOR)
    invite(is_sample=False)
    act(recorder, case, "declineInvitation", invited)
    invite(is_sample=False)
    act(recorder, case, "acceptInvitation", invited)
    act(recorder, case, "removeCoEditor", registrant, **CO_EDITOR)


def record_review(recorder: Recorder, case: int) -> None:
    """Two rounds, a discussion and the registration of “example-trees”."""
    registrant, expert = person("registrant"), person("expert")
    act(recorder, case, "submitCase", registrant, draft_stamp=_stamp(case))
    recorder.call("createComment", by=person("participant"), number=case, body=COMMENT.sample)
    act(recorder, case, "requestChanges", expert)
    recorder.refused("submitCase", by=registrant, number=case, body={"draft_stamp": _stamp(case)})
    points = recorder.call("getDraft", by=registrant, number=case, is_sample=False)["action_points"]
    replies = [{"point": each["number"], "outcome": "done", "text": "It does now."} for each in points]
    purpose = "Names trees in the care of botanical gardens, for their catalogues."
    sections = {"purpose": purpose, "assignment": "Each garden numbers its trees."}
    changes = {"sections": sections, "replies": replies}
    change = partial(recorder.call, "updateDraft", by=registrant, number=case, headers=ANY_DRAFT)
    change(body=changes, is_sample=False)
    submit = partial(recorder.call, "submitCase", by=registrant, number=case)
    submit(body={"draft_stamp": _stamp(case)}, is_sample=False)
    (found, *_) = recorder.call("getRound", number=case, round=2, is_sample=False)["findings"]
    finding = {name: found[name] for name in ("section", "code")}
    act(recorder, case, "dismissFinding", expert, round=2, **finding)
    for name in ("getRound", "getRoundTemplate"):
        recorder.call(name, number=case, round=2)
    recorder.call("listRounds", number=case)
    recorder.call("compareRounds", number=case, from_=1, to=2)
    act(recorder, case, "approveCase", expert, round=2)
    act(recorder, case, "takeBackVerdict", expert)
    approval = SAMPLES["approveCase"] | {"round": 2}
    recorder.call("approveCase", by=expert, number=case, body=approval, is_sample=False)
    administrator, profile = person("administrator"), {"title": "Trees"}
    body = SAMPLES["assignCase"] | {"round": 2, "profile": profile}
    recorder.refused("assignCase", by=administrator, number=case, body=body)
    act(recorder, case, "assignCase", administrator, round=2)
    recorder.call("getCaseActions", by=registrant, number=case)
    confirm_contact(recorder, "example-trees", by=registrant)


def record_revision(recorder: Recorder) -> None:
    """The second version of “example-trees”."""
    registrant = person("registrant")
    case = recorder.call("reviseNamespace", by=registrant, nid="example-trees", body={})["number"]
    take = partial(recorder.call, number=case, is_sample=False)
    changes = {
        "purpose": "Names trees and shrubs in gardens.",
        "revision_information": "Shrubs are included.",
    }
    take("updateDraft", by=registrant, body={"sections": changes}, headers=ANY_DRAFT)
    take("submitCase", by=registrant, body={"draft_stamp": _stamp(case)})
    take("approveCase", by=person("expert"), body=SAMPLES["approveCase"])
    take("assignCase", by=person("administrator"), body=SAMPLES["assignCase"])
    recorder.call("compareNamespaceVersions", nid="example-trees", from_=1, to=2)


def record_report(recorder: Recorder) -> None:
    """A case that becomes part of a standard."""
    expert, liaison = person("expert"), person("liaison")
    case = submitted("example-bridges", "second-registrant").pk
    act(recorder, case, "anticipateStandardsAction", expert)
    act(recorder, case, "forwardReport", expert)
    act(recorder, case, "returnToExperts", liaison)
    act(recorder, case, "requireTwoExperts", expert)
    report = SAMPLES["forwardReport"]
    for each in (expert, person("second-expert")):
        recorder.call("forwardReport", by=each, number=case, body=report, is_sample=False)
    act(recorder, case, "recordDirection", liaison)
    act(recorder, case, "returnToRegistrant", person("administrator"))


def record_fast_track(recorder: Recorder) -> None:
    registrant, liaison = person("registrant"), person("liaison")
    bodies = [Body.objects.create(name=f"Example {name}") for name in ("Standards Body", "Society")]
    recognised, refused = (
        submitted(name, "registrant", body=body).pk
        for name, body in zip(("example-beacons", "example-timetables"), bodies, strict=True)
    )
    act(recorder, recognised, "adviseOnCase", person("expert"))
    act(recorder, recognised, "recogniseBody", liaison)
    act(recorder, recognised, "requestCompletion", registrant)
    act(recorder, recognised, "cancelCompletion", registrant)
    act(recorder, refused, "refuseBodyRecognition", liaison)
    leaving = submitted("example-weather", "registrant", body=bodies[0]).pk
    act(recorder, leaving, "leaveFastTrack", registrant)


def record_ends(recorder: Recorder) -> None:
    registrant = person("registrant")
    case = submitted("example-everything", "registrant").pk
    act(recorder, case, "recuseFromCase", person("second-expert"), reason="I advise the registrant.")
    act(recorder, case, "declineCase", person("expert"))
    act(recorder, case, "appealCase", registrant)
    reason = "The names will be part of another namespace."
    act(recorder, case, "withdrawCase", registrant, reason=reason)


def record_lists(recorder: Recorder, case: int) -> None:
    recorder.call("listCases", page_size=1, is_open="true")
    for name in ("listComments", "listReviews", "listCaseEvents"):
        recorder.call(name, number=case, page_size=2)
    recorder.call("getCase", number=case)


def _stamp(case: int) -> int:
    return Case.objects.get(pk=case).draft_stamp
