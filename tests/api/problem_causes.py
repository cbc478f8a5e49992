"""Requests that are refused: one for each type of problem that the API can answer with."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from django.db import OperationalError, connection, transaction
from django.test import Client
from django.utils import timezone

from registry.accounts import tokens
from registry.accounts.models import Body, RoleName, Scope, Token, User
from registry.api import nids as nid_views
from registry.api.framework.parsers import MAX_VALUES
from registry.api.organisations import members
from registry.api.urns import bulk, checking
from registry.audit_log.heads import publish_head
from registry.audit_log.log import append_all
from registry.audit_log.models import Event, SignedHead
from registry.cases import bodies, canned_texts
from registry.cases.models import Case, State
from registry.cases.workflow import functions
from registry.cases.workflow.functions import people
from registry.cases.workflow.functions.verdicts import RECOMMENDATION
from registry.core.http.capacity import SlowBody
from registry.core.validators import BodySize
from registry.domains import actions as domain_services
from registry.domains.models import OrganisationDomain
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.actions.registration import register_formal
from registry.namespaces.models import Namespace
from registry.organisations.actions.organisations import create_organisation
from registry.organisations.models import INVITED_FOR, Membership, MembershipInvitation, Organisation
from registry.sightings.actions import confirm_sighting
from registry.subnamespaces.importing import import_subnamespaces
from registry.webhooks.actions import MAX_WEBHOOKS
from registry.webhooks.models import Webhook
from tests.api.client import KEY, V1, TokenClient
from tests.api.conftest import revise
from tests.api.register_problem_causes import OF_REGISTERS
from tests.cases.transitions.rounds import a_revision_in_review, next_round, saved
from tests.sightings.conftest import SEEN, a_sighting
from tests.support.factories import (
    a_body,
    a_case_in_review,
    a_draft,
    a_person,
    a_profile,
    a_template,
    add_co_editor,
    an_approved_case,
    an_imported_namespace,
    describe,
    put_in_state,
)
from tests.support.tampering import as_owner, rewrite_log
from tests.support.webhooks import confirmed

POINT = {"section": "purpose", "text": "Say who benefits."}


@dataclass
class World:
    """Who is there, and what they ask with."""

    registrant: User
    expert: User
    administrator: User
    client: Client
    settings: Any
    monkeypatch: pytest.MonkeyPatch

    def get(self, path: str, **headers: str) -> Any:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.client.get(V1 + path, headers=sent)

    def post(self, path: str, body: Any, content_type: str = "application/json") -> Any:
        sent = body if isinstance(body, str) else json.dumps(body)
        return self.client.post(V1 + path, sent, content_type=content_type)

    def by(self, person: User, path: str, body: Any = None, **headers: str) -> Any:
        """A POST with a token of `person`."""
        return TokenClient(person).post(path, body, **headers)

    def put(self, case: Case, body: Any, if_match: str = "*") -> Any:
        return TokenClient(self.registrant).put(f"cases/{case.pk}/draft/", body, If_Match=if_match)

    @property
    def draft(self) -> Case:
        return a_draft(by=self.registrant)

    @property
    def case(self) -> Case:
        return a_case_in_review(by=self.registrant)

    @property
    def approved(self) -> Case:
        return an_approved_case(by=self.registrant, expert=self.expert)

    @property
    def trees(self) -> Namespace:
        return register_formal(a_template(), registrant=self.registrant).namespace

    def decide(self, case: Case, transition: str, **words: Any) -> Any:
        by = self.administrator if transition == "assign" else self.expert
        return self.by(by, f"cases/{case.pk}/{transition}/", {"round": 1, **words})

    def comment(self, case: Case, text: str = "Which trees?", number: int = 1, **headers: str) -> Any:
        sent = {"round": number, "text": text}
        return self.by(self.registrant, f"cases/{case.pk}/comments/", sent, **headers)

    def submit(self, case: Case, stamp: int | None = None) -> Any:
        sent = {"draft_stamp": case.draft_stamp if stamp is None else stamp}
        return self.by(self.registrant, f"cases/{case.pk}/submit/", sent)


def answered_twice(world: World) -> Any:
    case = people.require_two_experts(world.case, by=world.expert, required=True, reason="It matters.")
    functions.approve(case, by=world.expert, round_number=1, rationale="Sound.")
    return world.decide(case, "approve", rationale="Sound.")


def sighting_decided_twice(world: World) -> Any:
    sighting = confirm_sighting(a_sighting(by=world.registrant), by=world.administrator, reason="Read.")
    return world.by(world.administrator, f"sightings/{sighting.pk}/decline/", {"reason": "Not."})


def reported_unfinished(world: World) -> Any:
    case = people.anticipate_standards_action(
        world.case, by=world.expert, anticipated=True, reason="A standard."
    )
    return world.decide(case, "forward-report", report=f"We say: {RECOMMENDATION}")


def submitted_unanswered(world: World) -> Any:
    asked = [(POINT["section"], POINT["text"])]
    case = functions.request_changes(
        world.case, by=world.expert, round_number=1, rationale="", action_points=asked
    )
    return world.submit(saved(case, purpose="Trees."))


def with_a_canned_text(world: World) -> Any:
    canned_texts.add_canned_text(by=world.expert, title="Sound", text="The template is sound.")
    return world.decide(world.case, "approve", rationale="The template is sound.")


def assigned_after_another(world: World) -> Any:
    namespace = world.trees
    case = a_revision_in_review(namespace, by=world.registrant)
    case = functions.approve(case, by=world.expert, round_number=1, rationale="Sound.")
    revise(namespace, revision_information="Shrubs, too.")
    return world.decide(case, "assign")


def assigned_while_taken(world: World) -> Any:
    case = world.approved
    _ = world.trees
    return world.decide(case, "assign")


def assigned_against_the_rules(world: World) -> Any:
    case = world.approved
    row = case.rounds.get()
    row.pk, row.number = None, 2
    row.content = {**row.content, "namespace_identifier": "x-trees"}
    row.save(force_insert=True)
    return world.decide(case, "assign", round=2)


def assigned_in_a_rewritten_log(world: World) -> Any:
    case = world.approved
    publish_head()
    rewrite_log("UPDATE audit_log_event SET reason = 'another' WHERE number = 1")
    as_owner("UPDATE audit_log_signedhead SET frontier = '{}'")
    return world.decide(case, "assign")


def proven_before_the_tiles(world: World) -> Any:
    publish_head()
    size = SignedHead.objects.latest("size").size
    with transaction.atomic():
        append_all(Event(verb="import", nid=f"example-{number}") for number in range(600))
    publish_head()
    as_owner("DELETE FROM audit_log_tilehash")
    return world.get(f"audit-log/heads/{size}/consistency/latest/")


def submitted_again(world: World) -> Any:
    """The button was pressed twice: with the stamp that the draft had before."""
    case = world.case
    return world.submit(case, case.draft_stamp - 1)


def submitted_from_an_older_draft(world: World) -> Any:
    case = world.draft
    stamp = case.draft_stamp
    saved(case, purpose="Trees.")
    return world.submit(case, stamp)


def edited_from_an_older_draft(world: World) -> Any:
    case = world.draft
    etag = TokenClient(world.registrant).get(f"cases/{case.pk}/draft/").headers["ETag"]
    saved(case, purpose="Trees.")
    return world.put(case, {"sections": {}}, etag)


def about_co_editors(world: World, email: str, case: Case, transition: str = "invite-co-editor") -> Any:
    return world.by(world.registrant, f"cases/{case.pk}/{transition}/", {"email": email})


def invited_twice(world: World) -> Any:
    case = world.draft
    return [about_co_editors(world, "other@example.org", case) for _ in range(2)][-1]


def invited_though_an_editor(world: World) -> Any:
    case, other = world.draft, a_person(email="other@example.org")
    add_co_editor(case, by=world.registrant, user=other)
    return about_co_editors(world, other.email, case)


def withdrawn_who_was_not_invited(world: World) -> Any:
    case = world.draft
    people.invite_co_editor(case, by=world.registrant, email="other@example.org")
    return about_co_editors(world, "another@example.org", case, "withdraw-invitation")


def accepted_after_acting(world: World) -> Any:
    asked = [(POINT["section"], POINT["text"])]
    case = functions.request_changes(
        world.case, by=world.expert, round_number=1, rationale="", action_points=asked
    )
    people.invite_co_editor(case, by=world.registrant, email=world.expert.email)
    return world.by(world.expert, f"cases/{case.pk}/accept-invitation/", {})


def removed_who_never_was(world: World) -> Any:
    case = world.draft
    add_co_editor(case, by=world.registrant, user=a_person(email="other@example.org"))
    return about_co_editors(world, world.expert.email, case, "remove-co-editor")


def finding(code: str, section: str = "namespace_identifier") -> dict[str, str]:
    return {"section": section, "code": code, "reason": "They agreed."}


def set_aside_though_it_blocks(world: World) -> Any:
    case = world.case
    _ = world.trees
    return world.decide(case, "dismiss-finding", **finding("registered"))


def offered(world: World, times: int = 1, to: User | None = None) -> Any:
    to, nid = to or a_person(email="heir@example.org"), world.trees.nid
    answers = [
        world.by(world.registrant, f"namespaces/{nid}/transfers/", {"to": to.email}) for _ in range(times)
    ]
    return answers[-1]


def claimed(world: World, times: int = 1, **evidence: Any) -> Any:
    if not Namespace.objects.filter(nid="isbn").exists():
        an_imported_namespace("isbn")
    sent = {"ground": "domain", "statement": "I work there.", **evidence}
    return [world.by(world.registrant, "namespaces/isbn/claims/", sent) for _ in range(times)][-1]


def decided_on_a_claim(world: World, decision: str) -> Any:
    number = claimed(world).json()["number"]
    return world.by(world.administrator, f"claims/{number}/{decision}/", {"reason": "Checked."})


def claim_withdrawn_twice(world: World) -> Any:
    path = f"claims/{claimed(world).json()['number']}/withdraw/"
    return [world.by(world.registrant, path, {}) for _ in range(2)][-1]


def approved_for_a_closed_account(world: World) -> Any:
    number = claimed(world).json()["number"]
    User.objects.filter(pk=world.registrant.pk).update(is_active=False)
    return world.by(world.administrator, f"claims/{number}/approve/", {"reason": "Checked."})


def society_of(world: World) -> Organisation:
    return create_organisation(by=world.registrant, name="Society of gardens")


def invited_to(society: Organisation, world: World, email: str, times: int = 1) -> Any:
    path, body = f"organisations/{society.pk}/invitations/", {"email": email, "part": "editor"}
    return [world.by(world.registrant, path, body) for _ in range(times)][-1]


def invited_to_an_organisation_twice(world: World) -> Any:
    return invited_to(society_of(world), world, "colleague@example.org", times=2)


def accepted_after_it_expired(world: World) -> Any:
    invited = invited_to(society_of(world), world, world.expert.email).json()
    made = timezone.now() - 2 * INVITED_FOR
    MembershipInvitation.objects.update(invited_at=made, expires_at=made + INVITED_FOR)
    number = invited["organisation"]["number"]
    return world.by(world.expert, f"organisations/{number}/invitations/{invited['number']}/accept/")


def recognised_for_who_recognised(world: World) -> Any:
    first, second = (
        a_person(email=f"{which}-liaison@example.org", roles=(RoleName.LIAISON,))
        for which in ("first", "second")
    )
    body = bodies.recognise_body(Body.objects.get(pk=a_body().pk), by=first, reference="Ballot 3")
    case = a_case_in_review(by=first, body=body)
    sent = {"reference": "Ballot 4", "for_later_cases": True}
    return world.by(second, f"cases/{case.pk}/recognise/", sent)


def decided_while_invited(world: World) -> Any:
    society = society_of(world)
    invited_to(society, world, world.administrator.email)
    number = claimed(world, organisation=society.pk).json()["number"]
    return world.by(world.administrator, f"claims/{number}/approve/", {"reason": "Checked."})


def own_membership(world: World) -> tuple[Membership, str]:
    membership = society_of(world).memberships.get()
    return membership, f"organisations/{membership.organisation_id}/members/{membership.pk}/"


def with_part(world: World, part: str) -> Any:
    return TokenClient(world.registrant).put(own_membership(world)[1], {"part": part})


def ended_at_the_same_time(world: World) -> Any:
    """Another request ends the membership after this one has found it."""
    membership, path = own_membership(world)
    find = members.get_membership

    def found_too_early(*arguments: Any) -> Membership:
        found = find(*arguments)
        Membership.objects.filter(pk=membership.pk).update(ended_at=timezone.now())
        return found

    world.monkeypatch.setattr(members, "get_membership", found_too_early)
    return TokenClient(world.registrant).ask("delete", path)


def last_of_an_organisation_with_a_namespace(world: World) -> Any:
    membership, path = own_membership(world)
    register_formal(a_template(), registrant=membership.organisation)
    return TokenClient(world.registrant).ask("delete", path)


def compared_with_an_unknown_profile(world: World) -> Any:
    trees = world.trees
    for title in ("Trees", "All trees"):
        describe(trees, title=title)
    return world.get("namespaces/example-trees/profile/compare/?to=3")


def domain_added(world: World, domain: str = "gardens.example", times: int = 1) -> Any:
    society = society_of(world)
    path = f"organisations/{society.pk}/domains/"
    return [world.by(world.registrant, path, {"domain": domain}) for _ in range(times)][-1]


def domain_beyond_the_limit(world: World) -> Any:
    world.monkeypatch.setattr(domain_services, "MAX_DOMAINS", 0)
    return domain_added(world)


def domain_checked_twice(world: World) -> Any:
    number = domain_added(world).json()["number"]
    OrganisationDomain.objects.filter(pk=number).update(checked_at=timezone.now())
    domain = OrganisationDomain.objects.get(pk=number)
    return world.by(world.registrant, f"organisations/{domain.organisation_id}/domains/{number}/check/", {})


def deprecated(world: World, times: int = 1, **words: str) -> Any:
    path, sent = f"namespaces/{world.trees.nid}/deprecate/", {"statement": "No more.", **words}
    return [world.by(world.administrator, path, sent) for _ in range(times)][-1]


def described(world: World, *, replaces: int = 0, **changes: Any) -> Any:
    return described_as(world, a_profile(**changes).to_dict(), replaces=replaces)


LISTED = '{"prefix": "12", "title": "Garden", "source": "List", "as_of": "2026-01-31"}'


def imported(world: World, *documents: str, has_levels: bool = True, replaces: int | None = None) -> Any:
    """The answer to the last of several imports of sub-namespaces; without `replaces`, each follows the one before."""
    trees = world.trees
    if has_levels:
        levels = [{"name": "garden", "coverage": "free"}]
        set_profile(trees, by=None, profile=a_profile(levels=levels), basis="Syntax.", replaces=0)
    sent = {"list_format": "jsonl", "basis": "The list."}
    path = f"namespaces/{trees.nid}/subnamespaces/import/"
    return [
        world.by(
            world.administrator,
            path,
            {**sent, "document": each, "replaces": number if replaces is None else replaces},
        )
        for number, each in enumerate(documents)
    ][-1]


def of_too_many_namespaces(world: World) -> Any:
    set_profile(world.trees, by=None, profile=a_profile(), basis="Syntax.", replaces=0)
    world.monkeypatch.setattr(checking, "MAX_PROFILES", 0)
    return world.post("urns/check/", {"urns": ["urn:example-trees:1:1"], "level": "namespace"})


def looked_up_too_much(world: World) -> Any:
    world.monkeypatch.setattr("registry.core.pagination.MAX_PAGE_TEXT", 0)
    an_imported_namespace("isbn", purpose="Names books.")
    return world.post("namespaces/lookup/", {"nids": [world.trees.nid, "isbn"]})


def described_so_that_prefixes_collide(world: World) -> Any:
    rules = {"pattern": "[0-9A-Za-z]+:[0-9]+", "levels": [{"name": "garden", "coverage": "free"}]}
    trees = world.trees
    set_profile(trees, by=None, profile=a_profile(**rules), basis="Syntax.", replaces=0)
    documents = "\n".join(LISTED.replace("12", prefix) for prefix in ("Oak", "oak"))
    import_subnamespaces(
        trees, by=None, document=documents, list_format="jsonl", basis="The list.", replaces=0
    )
    sent = {"profile": a_profile(**rules, ignores_case=True).to_dict(), "basis": "Syntax.", "replaces": 1}
    return world.by(world.administrator, f"namespaces/{trees.nid}/profile/", sent)


def described_as(world: World, document: Any, *, replaces: int = 0) -> Any:
    sent = {"profile": document, "basis": "Syntax.", "replaces": replaces}
    return world.by(world.administrator, f"namespaces/{world.trees.nid}/profile/", sent)


def sent_with_another_body(world: World) -> Any:
    case, token_client = world.case, TokenClient(world.registrant)
    path = f"cases/{case.pk}/comments/"
    for text in ("Which trees?", "Which shrubs?"):
        answer = token_client.post(path, {"round": 1, "text": text}, Idempotency_Key=KEY)
    return answer


def repeated_after_a_new_secret_key(world: World) -> Any:
    case, token_client = world.case, TokenClient(world.registrant)
    for key in (world.settings.SECRET_KEY, "another-key" * 5):
        world.settings.SECRET_KEY = key
        body = {"round": 1, "text": "Which trees?"}
        answer = token_client.post(f"cases/{case.pk}/comments/", body, Idempotency_Key=KEY)
    return answer


def sent_while_its_key_is_forgotten(world: World) -> Any:
    """The row of the key is gone at the moment when it is looked for."""
    case = world.case
    with connection.cursor() as cursor:
        cursor.execute("CREATE RULE forget AS ON INSERT TO api_idempotentresponse DO INSTEAD NOTHING")
    return world.comment(case, Idempotency_Key=KEY)


def sent_in_pieces(world: World) -> Any:
    token_client = TokenClient(world.registrant)
    headers = {"Authorization": f"Bearer {token_client.secret}", "Transfer-Encoding": "chunked"}
    return token_client.client.generic("POST", f"{V1}cases/", headers=headers)


def sent_slowly(world: World) -> Any:
    """It is received before there is a view; tests/security/test_slow_bodies.py waits for it."""

    def fail(*_: object) -> None:
        raise SlowBody

    world.monkeypatch.setattr(bulk, "check_content_length", fail)
    return world.post("urns/check/", [])


def asked_too_often(world: World) -> Any:
    world.settings.API_READS_A_MINUTE = 1
    return [world.get("events/") for _ in range(2)][-1]


def acted_too_often(world: World) -> Any:
    world.settings.ACTIONS_AN_HOUR = {"comments": 0, "drafts": 9, "saves": 9, "rounds": 9}
    return world.comment(world.case)


def asked_of_what_fails(world: World, mistake: Exception) -> Any:
    def fail(*_: object) -> None:
        raise mistake

    world.monkeypatch.setattr(nid_views, "report_in_registry", fail)
    world.client.raise_request_exception = False
    return world.get("nids/isbn/")


def by_an_unverified_account(world: World) -> Any:
    stranger = a_person(email="stranger@example.org", is_verified=False)
    return world.by(stranger, f"cases/{world.case.pk}/comments/", {"round": 1, "text": "Which trees?"})


def with_a_token_that_may_only_read(world: World) -> Any:
    return TokenClient(world.registrant, Scope.READ).post("cases/", {"kind": "formal"})


def of_a_resting_role(world: World) -> Any:
    world.settings.REQUIRE_SECOND_FACTOR, world.settings.SECOND_FACTOR_DAYS = True, 0
    return world.by(world.expert, f"cases/{world.case.pk}/advise/", {"rationale": "Sound."})


def begun_with(world: World, **body: Any) -> Any:
    return world.by(world.registrant, "cases/", {"kind": "formal", **body})


def webhook_of(world: World, **choice: Any) -> Any:
    body = {"url": "https://hooks.example.org/"} | choice
    return world.by(world.registrant, "account/webhooks/", body)


def of_webhook(world: World, action: str, **body: Any) -> Any:
    webhook = confirmed(Webhook.objects.get(pk=webhook_of(world).json()["number"]))
    return world.by(world.registrant, f"account/webhooks/{webhook.pk}/{action}/", body)


def tested_without_an_answer(world: World) -> Any:
    number = webhook_of(world).json()["number"]
    return world.by(world.registrant, f"account/webhooks/{number}/test/")


def resumed_after_the_key_was_replaced(world: World) -> Any:
    number = webhook_of(world).json()["number"]
    world.settings.SECRET_KEY = "another key"
    return world.by(world.registrant, f"account/webhooks/{number}/resume/")


def with_a_session(world: World, *, writes: int = 1, csrf: bool = True, **changes: Any) -> Any:
    client, path = Client(enforce_csrf_checks=True), f"{V1}account/tokens/"
    client.force_login(world.registrant)
    client.cookies["csrftoken"] = "x" * 32
    body = json.dumps({"name": "Example", "scopes": ["read"]} | changes)
    headers = {"X-CSRFToken": "x" * 32} if csrf else {}
    return [client.post(path, body, content_type="application/json", headers=headers) for _ in range(writes)][
        -1
    ]


def with_too_many_tokens(world: World) -> Any:
    world.monkeypatch.setattr(tokens, "MOST_TOKENS", 0)
    return with_a_session(world)


def of_an_expired_token(world: World) -> Any:
    number = with_a_session(world).json()["number"]
    Token.objects.update(expires_at=timezone.now())
    world.client.force_login(world.registrant)
    return world.post(f"account/tokens/{number}/rotate/", {})


CAUSES: dict[str, Callable[[World], Any]] = {
    # Who asks.
    "token-missing": lambda world: world.get("account/"),
    "token-refused": lambda world: world.get("account/", Authorization="Bearer nobody"),
    "scope-missing": with_a_token_that_may_only_read,
    "second-factor-missing": of_a_resting_role,
    "recent-sign-in-required": lambda world: world.get("account/tokens/"),
    "csrf-check-failed": lambda world: with_a_session(world, csrf=False),
    "not-found": lambda world: TokenClient(world.expert).get(f"cases/{world.draft.pk}/actions/"),
    "too-many-requests": asked_too_often,
    "limit-exceeded": acted_too_often,
    "address-not-confirmed": by_an_unverified_account,
    # What an address names.
    "address-unknown": lambda world: world.get("problems/made-up/"),
    "namespace-unknown": lambda world: world.get("namespaces/nobody/"),
    "version-unknown": lambda world: world.get(f"namespaces/{world.trees.nid}/versions/2/"),
    "case-unknown": lambda world: world.get(f"cases/{world.draft.pk}/"),
    "round-unknown": lambda world: world.get(f"cases/{world.case.pk}/rounds/2/"),
    "tile-not-written": proven_before_the_tiles,
    "head-unknown": lambda world: world.get("audit-log/heads/latest/"),
    "log-behind": lambda world: world.get("events/?since=999999"),
    "range-not-satisfiable": lambda world: world.get("files/urn-namespaces.txt", Range="bytes=99999999-"),
    "file-unknown": lambda world: world.get("files/urn-namespaces.doc"),
    "urn-malformed": lambda world: world.get("urns/urn:example:"),
    "invalid-parameter": lambda world: world.get("namespaces/?colour=red"),
    "query-not-unicode": lambda world: world.get("namespaces/?q=%FF"),
    # How it is asked.
    "invalid-request": lambda world: world.client.get(f"{V1}namespaces/", headers={"host": "a b"}),
    "method-not-allowed": lambda world: world.client.post(f"{V1}urns/check.other"),
    "not-acceptable": lambda world: world.get("namespaces/", Accept="image/png"),
    "stale-precondition": lambda world: world.get("namespaces/", If_Match='"other"'),
    "unsupported-media-type": lambda world: world.by(
        world.registrant, "cases/", "kind=formal", Content_Type="application/x-www-form-urlencoded"
    ),
    "length-required": sent_in_pieces,
    "body-too-long": lambda world: begun_with(world, template="x" * BodySize.TEMPLATE),
    "too-many-values": lambda world: begun_with(world, sections=[0] * MAX_VALUES),
    "slow-body": sent_slowly,
    "unreadable-body": lambda world: world.by(
        world.registrant, "cases/", "{", Content_Type="application/json"
    ),
    "invalid-fields": lambda world: begun_with(world, colour="red"),
    "idempotency-key-malformed": lambda world: world.comment(world.case, Idempotency_Key="\u00e9"),
    "idempotency-key-reused": sent_with_another_body,
    "stored-response-unreadable": repeated_after_a_new_secret_key,
    "idempotency-key-in-use": sent_while_its_key_is_forgotten,
    # Many URNs at once.
    "lookup-too-long": looked_up_too_much,
    "too-many-namespaces": of_too_many_namespaces,
    "too-many-texts": lambda world: world.post("urns/check/", ["urn:example:1"] * 10_001),
    "compared-urn-malformed": lambda world: world.post(
        "urns/compare/", {"first": "urn:example:1", "second": "urn:example:"}
    ),
    # Drafts.
    "sections-refused": lambda world: begun_with(world, sections={"colour": "red"}),
    "template-unreadable": lambda world: begun_with(world, template="Dear registry,"),
    "if-match-missing": lambda world: TokenClient(world.registrant).put(
        f"cases/{world.draft.pk}/draft/", {"sections": {}}
    ),
    "draft-changed": edited_from_an_older_draft,
    "draft-closed": lambda world: world.put(
        put_in_state(world.case, State.DECLINED), {"sections": a_template().to_json()}
    ),
    "unknown-action-point": lambda world: world.put(
        world.draft, {"sections": {}, "replies": [{"point": 1, "outcome": "done"}]}
    ),
    # Moves.
    "submission-incomplete": lambda world: world.submit(saved(world.draft, purpose="")),
    "points-unanswered": submitted_unanswered,
    "stale-draft": submitted_from_an_older_draft,
    "nothing-changed": lambda world: world.submit(world.case),
    "already-submitted": submitted_again,
    "transition-not-allowed": lambda world: world.decide(world.approved, "approve", rationale="Sound."),
    "condition-not-met": lambda world: world.decide(world.case, "advise", rationale="Mature."),
    "stale-round": lambda world: world.decide(next_round(world.case), "approve", rationale="Sound."),
    "second-expert-needed": answered_twice,
    "placeholder-left": reported_unfinished,
    "only-canned-text": with_a_canned_text,
    "text-missing": lambda world: world.decide(world.case, "approve", rationale=" \n"),
    "unknown-section": lambda world: world.decide(
        world.case, "request-changes", action_points=[POINT | {"section": "colour"}]
    ),
    "nid-taken": assigned_while_taken,
    "nid-not-registrable": assigned_against_the_rules,
    "broken-audit-log": assigned_in_a_rewritten_log,
    "stale-revision": assigned_after_another,
    "already-an-editor": invited_though_an_editor,
    "already-invited": invited_twice,
    "not-invited": withdrawn_who_was_not_invited,
    "invalid-address": lambda world: about_co_editors(world, "somebody", world.draft),
    "has-acted": accepted_after_acting,
    "not-an-editor": removed_who_never_was,
    "no-such-finding": lambda world: world.decide(world.case, "dismiss-finding", **finding("no-example")),
    "finding-blocks": set_aside_though_it_blocks,
    # Tokens.
    "token-name-taken": lambda world: with_a_session(world, writes=2),
    "too-many-tokens": with_too_many_tokens,
    "invalid-token-settings": lambda world: with_a_session(world, days=0),
    "token-ended": of_an_expired_token,
    # Webhooks.
    "too-many-webhooks": lambda world: [webhook_of(world) for _ in range(MAX_WEBHOOKS + 1)][-1],
    "target-not-allowed": lambda world: webhook_of(world, url="https://localhost/"),
    "unknown-event-type": lambda world: webhook_of(world, verbs=["make_token"]),
    "invalid-nid-choice": lambda world: webhook_of(world, nids=["a_b"]),
    "webhook-unconfirmed": tested_without_an_answer,
    "beyond-log": lambda world: of_webhook(world, "replay", since=4711),
    "secret-invalid": resumed_after_the_key_was_replaced,
    # Comments.
    "comment-refused": lambda world: world.comment(world.case, number=2),
    "nothing-to-discuss": lambda world: world.comment(world.draft),
    "discussion-closed": lambda world: world.comment(put_in_state(world.case, State.WITHDRAWN)),
    "unstorable-character": lambda world: world.comment(world.case, "a\x00"),
    "text-too-long": lambda world: world.comment(world.case, "a" * 20_001),
    # Namespaces.
    "already-deprecated": lambda world: deprecated(world, times=2),
    "invalid-successor": lambda world: deprecated(world, successor="example-trees"),
    "invalid-recipient": lambda world: offered(world, to=world.registrant),
    "transfer-not-open": lambda world: offered(world, times=2),
    "invalid-domain": lambda world: domain_added(world, "gardens"),
    "domain-present": lambda world: domain_added(world, times=2),
    "too-many-domains": domain_beyond_the_limit,
    "checked-just-now": domain_checked_twice,
    "claim-pending": lambda world: claimed(world, times=2),
    "invalid-evidence": lambda world: claimed(world, links=["agency.example.org"]),
    "claim-decided": claim_withdrawn_twice,
    "claimant-not-active": approved_for_a_closed_account,
    "not-yet-approvable": lambda world: decided_on_a_claim(world, "announce"),
    "no-such-profile-version": compared_with_an_unknown_profile,
    "too-few-profile-versions": lambda world: world.get(f"namespaces/{world.trees.nid}/profile/compare/"),
    # Organisations.
    "organisation-unknown": lambda world: world.get("organisations/1/"),
    "name-refused": lambda world: world.by(world.registrant, "organisations/", {"name": "Exаmple"}),
    "invalid-sighting": lambda world: world.by(world.registrant, "sightings/", SEEN | {"nid": ".."}),
    "sighted-nid-registered": lambda world: world.by(
        world.registrant, "sightings/", SEEN | {"nid": world.trees.nid, "example": ""}
    ),
    "sighting-known": lambda world: [
        world.by(person, "sightings/", SEEN) for person in (world.registrant, world.expert)
    ][-1],
    "sighting-decided": sighting_decided_twice,
    "name-taken": lambda world: [
        world.by(world.registrant, "organisations/", {"name": name})
        for name in ("Example Grove", "Examp1e Grove")
    ][-1],
    "invalid-organisation": lambda world: world.by(
        world.registrant, "organisations/", {"name": "Society", "homepage": "gardens"}
    ),
    "conflict-of-interest": decided_while_invited,
    "own-benefit": recognised_for_who_recognised,
    "already-member": lambda world: invited_to(society_of(world), world, world.registrant.email),
    "invitation-pending": invited_to_an_organisation_twice,
    "invitation-not-open": accepted_after_it_expired,
    "not-member": ended_at_the_same_time,
    "same-part": lambda world: with_part(world, "representative"),
    "last-representative": last_of_an_organisation_with_a_namespace,
    "invalid-document": lambda world: described_as(world, {}),
    "profile-refused": lambda world: world.decide(world.approved, "assign", profile={"title": "Trees"}),
    "profile-unchanged": lambda world: described_as(world, None),
    "profile-of-other-namespace": lambda world: described(world, nid="isbn"),
    "prefixes-collide": described_so_that_prefixes_collide,
    "no-such-sub-namespace": lambda world: world.get(f"namespaces/{world.trees.nid}/subnamespace/?prefix=13"),
    "no-levels": lambda world: imported(world, LISTED, has_levels=False),
    "unreadable-list": lambda world: imported(world, "{"),
    "list-refused": lambda world: imported(
        world, LISTED.replace("}", ', "successor": "13", "status": "retired"}')
    ),
    "list-unchanged": lambda world: imported(world, LISTED, LISTED),
    "stale-list": lambda world: imported(world, LISTED, replaces=1),
    **OF_REGISTERS,
    "stale-profile": lambda world: described(world, replaces=1),
    "examples-fail": lambda world: described(world, examples=("a", "b", "c")),
    "registration-contradicted": lambda world: described(
        world, pattern="[a-z]", examples="abc", counterexamples="123"
    ),
    # The registry's own fault.
    "unavailable": lambda world: asked_of_what_fails(world, OperationalError()),
    "server-error": lambda world: asked_of_what_fails(world, ZeroDivisionError()),
}
