"""Examples of accounts, organisations and of the registry as a whole."""

import json
from functools import partial
from typing import Any
from unittest import mock

from django.test import override_settings

from registry.accounts.models import User
from registry.api.files import FILES as FILES_OF_REGISTRY
from registry.api.framework.parsers import MAX_VALUES
from registry.api.urns import checking
from registry.api.urns.bulk import MAX_URNS
from registry.api.urns.checking import TooManyNamespaces
from registry.api.webhooks.openapi import HEADERS
from registry.audit_log.heads import publish_head
from registry.audit_log.models import LogPosition, SignedHead
from registry.core.outgoing.https_requests import Reply
from registry.core.validators import BodySize
from registry.devserver.api_examples.cases import record_offered
from registry.devserver.api_examples.recorder import Recorder
from registry.devserver.demonstration_cases import person
from registry.organisations.actions import ACTIONS
from registry.organisations.models import Organisation
from registry.registers.models import Register
from registry.webhooks import delivery
from registry.webhooks.delivery import take_turn


def record_organisations(recorder: Recorder) -> None:
    founder, colleague = person("second-registrant"), person("participant")
    call = partial(recorder.call, by=founder)
    arboretum = {"name": "Example Arboretum", "homepage": "https://arboretum.example.org/"}
    number = call("createOrganisation", body={"name": "Example Gardens"})["number"]
    call = partial(call, organisation=number)
    call("changeOrganisation", body=arboretum)
    call("moveNamespaces", body={"nids": ["example-trees"]})
    record_members(recorder, number, founder, colleague)
    record_domains(recorder, number, founder)
    made = Organisation.objects.get(pk=number)
    record_offered(recorder, ACTIONS, made, founder, colleague, organisation=number)
    recorder.call("listOrganisations", page_size=1)
    recorder.call("getOrganisation", organisation=number)
    call("listOrganisationEvents", page_size=2)


def record_members(recorder: Recorder, organisation: int, founder: User, colleague: User) -> None:
    call = partial(recorder.call, organisation=organisation)
    body = {"email": colleague.email, "part": "editor"}

    def invite(*, is_sample: bool = False) -> Any:
        return call("inviteMember", by=founder, body=body, is_sample=is_sample)["number"]

    call("withdrawMembershipInvitation", by=founder, number=invite(is_sample=True), body={})
    call("declineMembershipInvitation", by=colleague, number=invite(), body={})
    number = invite()
    call("listMembershipInvitations", by=founder, page_size=1)
    call("getMembershipInvitation", by=colleague, number=number)
    recorder.call("getAccount", by=colleague)
    member = call("acceptMembershipInvitation", by=colleague, number=number, body={})["number"]
    for name in ("nameReviewer", "removeReviewer"):
        recorder.call(name, by=founder, nid="example-trees", body={"email": colleague.email})
    # Of a register below an entry that the organisation did not delegate.
    (branch,) = Register.objects.filter(namespace__nid="example-trees", branch=None).exclude(entry=None)
    for name in ("nameReviewerBelow", "removeReviewerBelow"):
        recorder.call(name, by=founder, **branch.address, body={"email": colleague.email})
    call("listMembers", by=founder, page_size=2)
    call("getMember", by=founder, number=member)
    call("changeMemberPart", by=founder, number=member, body={"part": "representative"})
    call("endMembership", by=founder, number=member)


def record_domains(recorder: Recorder, organisation: int, founder: User) -> None:
    call = partial(recorder.call, by=founder, organisation=organisation)
    number = call("addDomain", body={"domain": "arboretum.example.org"})["number"]
    call("checkDomain", number=number, body={})
    call("listDomains")
    call("getDomain", number=number)
    call("removeDomain", number=number)


def record_account(recorder: Recorder) -> None:
    registrant = person("registrant")
    recorder.call("getCurrentToken", by=registrant)
    recorder.call("getNotificationSettings", by=registrant)
    changes = {"comments": "daily", "reminders": "off"}
    recorder.call("updateNotificationSettings", by=registrant, body=changes)
    recorder.refused("getAccount")
    recorder.refused("listTokens")
    in_session = partial(recorder.call_in_session, by=registrant)
    body = {"name": "Nightly synchronisation", "scopes": ["read"], "days": 90, "requests_an_hour": 500}
    number = in_session("createToken", body=body)["number"]
    in_session("listTokens", page_size=1)
    in_session("getOwnToken", number=number)
    in_session("rotateToken", number=number, body={})
    in_session("revokeToken", number=number)


def record_webhook(recorder: Recorder) -> None:
    """A webhook to which all events that it wants are sent; its receiver accepts them."""
    call = partial(recorder.call, by=person("registrant"))
    body = {"url": "https://hooks.example.org/registry", "verbs": ["assign", "deprecate"], "nids": []}
    number = call("createWebhook", body=body)["number"]
    call = partial(call, number=number)
    recorder.refused("testWebhook", by=person("registrant"), number=number, body={})
    call("challengeWebhook", body={})
    sent: list[tuple[bytes, dict[str, str]]] = []

    def accept(_method: str, _url: str, headers: dict[str, str], _limits: Any, body: bytes) -> Reply:
        sent.append((body, {name: headers[name] for name in HEADERS}))
        return Reply(200, "", json.loads(body).get("challenge", "").encode())

    with (
        mock.patch.object(delivery, "request", accept),
        mock.patch.object(delivery, "_since", return_value=85),
    ):
        take_turn(number)
        call("replayWebhook", body={"since": 0})
        call("testWebhook", body={})
        take_turn(number)
    for name, message in zip(("receiveChallenge", "receiveTest", "receiveEvent"), sent, strict=False):
        recorder.message(name, *message)
    call("listWebhookDeliveries", page_size=1)
    call("getWebhook")
    recorder.call("listWebhooks", by=person("registrant"), page_size=1)
    call("pauseWebhook", body={})
    call("resumeWebhook", body={})
    call("changeWebhook", body={**body, "nids": ["isbn"]})
    call("rotateWebhookSecret", body={})
    call("deleteWebhook")


# The first file of each media type.
FILES = {file.media_type: name for name, (file, _) in reversed(FILES_OF_REGISTRY.items())}


def record_api(recorder: Recorder) -> None:
    call = recorder.call
    call("getRoot")
    call("getSchema")
    call("listProblemTypes", fields="type")
    call("getProblemType", slug="not-found")
    call("listServices", page_size=1)


def record_registry(recorder: Recorder) -> None:
    call = recorder.call
    record_log(recorder)
    call("listFiles")
    for file in FILES.values():
        call("downloadFile", file=file)
    call("getStatistics")
    record_limits(recorder)


def record_log(recorder: Recorder) -> None:
    call = recorder.call
    publish_head()
    last = LogPosition.current().number
    call("listEvents", page_size=2, nid="example-trees")
    call("getEventHead")
    call("streamEvents", since=last - 1)
    call("getAuditLog")
    call("listSignedHeads", page_size=1)
    for name in ("getSignedHead", "getSignedNote"):
        call(name, size=last)
    call("getConsistencyProof", size=last, other=SignedHead.objects.values_list("size", flat=True)[0])
    recorder.refused("listEvents", since=last + 1)


def record_limits(recorder: Recorder) -> None:
    """Requests with more than the API accepts, and one of a role that needs a second factor."""
    registrant = person("registrant")
    long = {"comments": "x" * BodySize.SMALL}
    recorder.refused("updateNotificationSettings", by=registrant, body=long)
    values = {"kind": "formal", "sections": [0] * MAX_VALUES}
    recorder.refused("createCase", by=registrant, body=values)
    recorder.refused("checkUrns", body=["urn:example:1"] * (MAX_URNS + 1))
    # As if so many namespaces had a profile.
    many = TooManyNamespaces(checking.MAX_PROFILES + 1)
    with mock.patch.object(checking, "_check_number", side_effect=many):
        recorder.refused("checkUrns", body=["urn:example:1"])
    with override_settings(REQUIRE_SECOND_FACTOR=True, SECOND_FACTOR_DAYS=0):
        recorder.refused(
            "adviseOnCase", by=person("expert"), number=1, body={"round": 1, "rationale": "Clear."}
        )
