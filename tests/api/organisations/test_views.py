"""Organisations by token: public ones for everybody, and what representatives write, as the pages do it."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from registry.accounts.models import Scope, User
from registry.audit_log.models import Event
from registry.cases.drafts import drafts
from registry.cases.models import Case
from registry.cases.workflow import functions
from registry.domains.models import Method, OrganisationDomain
from registry.mail.models import Message
from registry.namespaces.actions.registration import register_formal
from registry.namespaces.actions.transfers import offer_transfer
from registry.namespaces.models import Kind, Namespace
from registry.organisations.actions.members import invite_member
from registry.organisations.models import Organisation
from tests.api.client import KEY, TokenClient, check_problem
from tests.api.schema_checks import check_response
from tests.organisations.conftest import *  # noqa: F403  # its people
from tests.organisations.conftest import an_organisation
from tests.support.browser import signed_in
from tests.support.factories import a_template

V1 = "/api/v1/"


def got(client: Client, path: str, **query: Any) -> Any:
    response = client.get(V1 + path, query)
    assert response.status_code == 200, response.content
    check_response("get", response)
    return response.json()


def a_case_of(organisation: Organisation, by: User, nid: str = "example-oaks") -> Case:
    template = a_template(namespace_identifier=nid)
    return drafts.create_case(by=by, kind=Kind.FORMAL, template=template, organisation=organisation)


def test_an_organisation_is_public_with_its_first_namespace(
    client: Client, arboretum: Organisation, django_assert_num_queries: Any
) -> None:
    path = f"organisations/{arboretum.pk}/"
    check_problem(client.get(V1 + path), 404, "organisation-unknown")
    assert got(client, "organisations/")["results"] == []
    register_formal(a_template(), registrant=arboretum)
    proved = {"verified_at": timezone.now(), "checked_at": timezone.now(), "method": Method.DNS}
    OrganisationDomain.objects.create(organisation=arboretum, domain="arboretum.example.org", **proved)
    OrganisationDomain.objects.create(organisation=arboretum, domain="unproved.example.org")
    with django_assert_num_queries(2):
        shown = got(client, path)
    assert (shown["number"], shown["name"]) == (arboretum.pk, "Example Arboretum")
    assert shown["homepage"] == "https://arboretum.example.org/"
    assert [(each["domain"], each["method"]) for each in shown["domains"]] == [
        ("arboretum.example.org", "dns")
    ]
    assert got(client, "organisations/")["results"] == [shown]
    assert client.get(shown["links"]["self"]).json() == shown


def test_a_public_case_makes_an_organisation_public_and_a_draft_does_not(
    client: Client, arboretum: Organisation, representative: User
) -> None:
    case, path = a_case_of(arboretum, representative), f"organisations/{arboretum.pk}/"
    check_problem(client.get(V1 + path), 404, "organisation-unknown")
    functions.submit(case, by=representative, draft_stamp=case.draft_stamp)
    assert got(client, path)["links"]["cases"].endswith(f"/cases/?organisation={arboretum.pk}")


def test_the_list_is_read_in_pages(client: Client, representative: User) -> None:
    names = [f"Garden {number}" for number in range(3)]
    for name in names:
        nid = name.lower().replace(" ", "-")
        organisation = an_organisation(by=representative, name=name)
        register_formal(a_template(namespace_identifier=f"example-{nid}"), registrant=organisation)
    page = got(client, "organisations/", page_size=2)
    assert [each["name"] for each in page["results"]] == names[:2]
    assert [each["name"] for each in client.get(page["next"]).json()["results"]] == names[2:]


@pytest.mark.parametrize("number", ["0", "x", "\u0661", "9" * 40, "1%0A"])
def test_another_number_is_a_404(client: Client, arboretum: Organisation, number: str) -> None:
    register_formal(a_template(), registrant=arboretum)
    check_problem(client.get(f"{V1}organisations/{number}/"), 404, "organisation-unknown")


def test_the_lists_of_namespaces_and_cases_are_filtered_by_organisation(
    client: Client, arboretum: Organisation, representative: User, participant: User
) -> None:
    museum = an_organisation(by=participant, name="Example Museum")
    trees, bushes = (
        register_formal(a_template(namespace_identifier=nid), registrant=to).namespace
        for nid, to in (("example-trees", arboretum), ("example-bushes", museum))
    )
    case = a_case_of(arboretum, representative)
    functions.submit(case, by=representative, draft_stamp=case.draft_stamp)
    a_case_of(arboretum, representative, "example-elms")  # a draft

    def nids(**query: Any) -> list[str]:
        return [each["nid"] for each in got(client, "namespaces/", **query)["results"]]

    assert nids(organisation=arboretum.pk) == [trees.nid]
    assert nids(organisation=museum.pk, ordering="-registered_on", kind="formal") == [bushes.nid]
    assert nids(organisation=museum.pk, q="garden") == [bushes.nid]
    assert nids(organisation=museum.pk, status="deprecated") == []
    assert nids(organisation=museum.pk, updated_since="2026-01") == [bushes.nid]
    assert nids(organisation=museum.pk, updated_since="2999-01-01T00:00:00Z") == []
    assert nids(organisation=4711) == []
    listed = got(client, "cases/", organisation=arboretum.pk)["results"]
    assert [each["number"] for each in listed] == [case.pk]
    assert listed[0]["organisation"]["url"].endswith(f"/api/v1/organisations/{arboretum.pk}/")
    assert (listed[0]["registrant"], listed[0]["begun_by"]) == ("Example Arboretum", "Representative")
    assert got(client, "cases/", organisation=museum.pk)["results"] == []
    for address in ("namespaces/", "cases/"):
        check_problem(client.get(V1 + address, {"organisation": "0"}), 400, "invalid-parameter")


def test_an_organisation_is_created_once_with_a_key_and_described(representative: User, editor: User) -> None:
    program, body = TokenClient(representative), {"name": "Museum"}
    answers = [program.post("organisations/", body, Idempotency_Key=KEY) for _ in range(2)]
    made = answers[0].json()
    assert (answers[0].status_code, answers[1].json(), made["homepage"]) == (201, made, None)
    assert Organisation.objects.filter(name="Museum").count() == 1
    (member,) = program.get(answers[0].headers["Location"]).json()["results"]
    assert (member["name"], member["part"]) == ("Representative", "representative")
    path = f"organisations/{made['number']}/"
    described = program.put(path, {"name": "Museum of Exampletown", "homepage": "https://museum.example/"})
    assert (described.json()["name"], described.json()["homepage"]) == (
        "Museum of Exampletown",
        "https://museum.example/",
    )
    assert program.put(path, {"name": "Museum"}).json()["homepage"] is None
    events, mails = Event.objects.count(), Message.objects.count()
    assert program.put(path, {"name": " Museum "}).json()["name"] == "Museum"
    assert (Event.objects.count(), Message.objects.count()) == (events, mails)
    check_problem(program.put(path, {"name": " "}), 422, "text-missing")
    check_problem(program.put(path, {"name": "Museum", "homepage": "museum"}), 422, "invalid-organisation")
    check_problem(program.put(path, {"homepage": ""}), 400, "invalid-fields")
    check_problem(TokenClient(editor).put(path, {"name": "Mine"}), 404, "not-found")
    check_problem(TokenClient(representative, Scope.READ).put(path, {"name": "Mine"}), 403, "scope-missing")


def test_only_members_read_the_history(
    arboretum: Organisation, representative: User, contact: User, participant: User
) -> None:
    path = f"organisations/{arboretum.pk}/events/"
    events = TokenClient(contact, Scope.READ).get(path).json()["results"]
    assert [(each["verb"], each["actor"], each["summary"]) for each in events] == [
        ("accept_membership", "Contact", "Became contact"),
        ("invite_member", "Representative", "Invited a person as contact"),
        ("create_organisation", "Representative", "Created the organisation"),
    ]
    check_problem(TokenClient(participant).get(path), 404, "not-found")
    check_problem(TokenClient(contact, Scope.WRITE).get(path), 403, "scope-missing")


def test_namespaces_move_to_an_organisation_of_their_registrant(
    arboretum: Organisation, representative: User, editor: User, participant: User
) -> None:
    nids = ["example-trees", "example-bushes"]
    trees, bushes = (
        register_formal(a_template(namespace_identifier=nid), registrant=representative).namespace
        for nid in nids
    )
    other = register_formal(a_template(namespace_identifier="example-elms"), registrant=editor).namespace
    path, program = f"organisations/{arboretum.pk}/namespaces/", TokenClient(representative)
    check_problem(program.post(path, {"nids": [trees.nid, other.nid]}), 404, "not-found")
    check_problem(program.post(path, {"nids": [trees.nid, "nobody"]}), 404, "namespace-unknown")
    check_problem(TokenClient(editor).post(path, {"nids": [other.nid]}), 404, "not-found")
    check_problem(program.post(path, {"nids": []}), 400, "invalid-fields")
    assert not Namespace.objects.filter(organisation=arboretum).exists()
    offer_transfer(bushes, by=representative, to=participant.email)
    check_problem(program.post(path, {"nids": nids}), 409, "transfer-not-open")
    moved = program.post(path, {"nids": ["Example-Trees"]}).json()["results"]
    assert [each["nid"] for each in moved] == ["example-trees"]
    assert Namespace.objects.get(organisation=arboretum) == trees


def test_the_account_lists_memberships_and_invitations(
    arboretum: Organisation, editor: User, participant: User, representative: User
) -> None:
    account = TokenClient(editor, Scope.READ).get("account/").json()
    (membership,) = account["memberships"]
    assert (membership["organisation"]["number"], membership["part"]) == (arboretum.pk, "editor")
    assert TokenClient(editor).get(membership["links"]["self"]).json() == membership
    invite_member(arboretum, by=representative, email=participant.email, part="contact")
    account = TokenClient(participant, Scope.READ).get("account/").json()
    assert account["memberships"] == []
    (invitation,) = account["membership_invitations"]
    assert set(invitation["actions"]) == {"accept", "decline"}
    accepted = TokenClient(participant).post(invitation["actions"]["accept"]).json()
    assert accepted["part"] == "contact"


def test_members_and_invited_people_see_an_organisation_that_is_not_public(
    client: Client, arboretum: Organisation, contact: User, representative: User, participant: User
) -> None:
    path = f"organisations/{arboretum.pk}/"
    answer = TokenClient(contact, Scope.READ).get(path)
    assert (answer.status_code, answer.json()["name"]) == (200, arboretum.name)
    assert answer["Cache-Control"] == "private, no-store"
    assert "Authorization" in answer["Vary"]
    check_problem(TokenClient(contact, Scope.WRITE).get(path), 404, "organisation-unknown")
    check_problem(TokenClient(participant).get(path), 404, "organisation-unknown")
    invite_member(arboretum, by=representative, email=participant.email, part="editor")
    assert TokenClient(participant).get(path).json() == answer.json()
    assert signed_in(participant).get(f"/organisations/{arboretum.pk}/").status_code == 200
    check_problem(client.get(V1 + path), 404, "organisation-unknown")
    register_formal(a_template(), registrant=arboretum)
    public = TokenClient(contact).get(path)
    assert public["Cache-Control"] == client.get(V1 + path)["Cache-Control"] == "public, no-cache"
