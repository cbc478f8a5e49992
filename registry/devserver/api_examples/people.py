"""Requests of people for themselves: organisations and domains, the account, tokens and webhooks."""

from functools import partial
from typing import Any
from unittest import mock

from registry.accounts.models import User
from registry.api.webhooks.openapi import HEADERS
from registry.core.outgoing.https_requests import Reply
from registry.devserver.api_examples.recorder import Recorder
from registry.devserver.demonstration_cases import person
from registry.webhooks.delivery import sending
from registry.webhooks.delivery.turns import take_turn


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
    call("replayWebhook", body={"since": 0})
    call("testWebhook", body={})
    sent: list[tuple[bytes, dict[str, str]]] = []

    def accept(_method: str, _url: str, headers: dict[str, str], _limits: Any, body: bytes) -> Reply:
        sent.append((body, {name: headers[name] for name in HEADERS}))
        return Reply(204, "", b"")

    with mock.patch.object(sending, "request", accept), mock.patch.object(sending, "_since", return_value=85):
        take_turn(number)
    recorder.message("receiveTest", *sent[0])
    recorder.message("receiveEvent", *sent[1])
    call("listWebhookDeliveries", page_size=1)
    call("getWebhook")
    recorder.call("listWebhooks", by=person("registrant"), page_size=1)
    call("pauseWebhook", body={})
    call("resumeWebhook", body={})
    call("changeWebhook", body={**body, "nids": ["isbn"]})
    call("rotateWebhookSecret", body={})
    call("deleteWebhook")
