"""The pages of claims: the form, the notice on the page of the namespace, the desk, and the decision."""

import html

import pytest
from allauth.account.models import EmailAddress
from django.test import Client

from registry.accounts.models import User
from registry.custody.actions.claims import claim_namespace
from registry.custody.models import ClaimStatus, NamespaceClaim
from registry.domains.actions import add_domain
from registry.domains.checks import Outcome, record_check
from registry.domains.models import Method
from registry.namespaces.models import Namespace
from registry.organisations.actions.organisations import create_organisation
from tests.custody.conftest import a_claim
from tests.support.browser import signed_in

pytestmark = pytest.mark.django_db
FORM = "/namespaces/isbn/claim/"


def text_of(client: Client, path: str) -> str:
    page = client.get(path)
    assert page.status_code == 200
    return html.unescape(page.text)


def test_a_claim_is_made_and_decided_on_pages(isbn: Namespace, claimant: User, administrator: User) -> None:
    client = signed_in(claimant)
    assert FORM in text_of(client, "/namespaces/isbn/")
    typed = {"ground": "domain", "statement": "I work at <the agency>.", "links": "https://example.org/a\n"}
    answer = client.post(FORM, typed, follow=True)
    assert "sent to the administrators" in answer.text
    claim = NamespaceClaim.objects.get()
    assert claim.links == ["https://example.org/a"]
    assert client.get(FORM)["Location"] == claim.get_absolute_url()

    desk = signed_in(administrator)
    assert claim.get_absolute_url() in text_of(desk, "/desk/claims/")
    page = text_of(desk, claim.get_absolute_url())
    assert "I work at <the agency>." in page
    assert "What the registration says" in page
    assert "<the agency>" not in desk.get(claim.get_absolute_url()).text
    refused = desk.post(claim.get_absolute_url(), {"decision": "decline", "reason": ""})
    assert refused.status_code == 422
    desk.post(claim.get_absolute_url(), {"decision": "approve", "reason": "Proved."})
    isbn.refresh_from_db()
    assert isbn.registrant == claimant
    assert "Revise this namespace" in text_of(client, "/namespaces/isbn/")
    assert claim.get_absolute_url() not in text_of(desk, "/desk/claims/")


def test_nothing_typed_is_lost(isbn: Namespace, claimant: User) -> None:
    client = signed_in(claimant)
    page = client.post(
        FORM, {"ground": "domain", "statement": "I work there.", "links": "ftp://example.org/"}
    )
    assert page.status_code == 422
    assert "is not a web address" in page.text
    assert "I work there." in page.text
    assert "ftp://example.org/" in page.text


def test_the_errors_link_to_their_fields(
    isbn: Namespace, claim: NamespaceClaim, registrant: User, administrator: User
) -> None:
    page = signed_in(registrant).post(FORM, {"statement": "I work there."})
    assert '<a href="#id_ground_0">Evidence</a>: ' in page.text  # the first of its radio buttons
    assert 'id="id_ground_0"' in page.text
    page = signed_in(administrator).post(claim.get_absolute_url(), {"decision": "decline"})
    assert '<a href="#decline_reason">Reason</a>: Enter the reason.' in page.text
    assert 'id="decline_reason"' in page.text
    page = signed_in(administrator).post(claim.get_absolute_url(), {"decision": "postpone"})
    assert "does not say which of the actions" in page.text


def test_a_reason_is_not_lost_if_the_claim_was_decided_meanwhile(
    claim: NamespaceClaim, claimant: User, administrator: User
) -> None:
    client = signed_in(administrator)
    NamespaceClaim.objects.filter(pk=claim.pk).update(status="withdrawn", ended_at=claim.claimed_at)
    page = client.post(claim.get_absolute_url(), {"decision": "approve", "reason": "I called them."})
    assert page.status_code == 409
    assert "I called them." in page.text


def test_the_page_of_the_namespace_tells_of_the_claim_without_personal_data(
    client: Client, claim: NamespaceClaim
) -> None:
    text = text_of(client, "/namespaces/isbn/")
    assert "A claim of this namespace is under consideration" in text
    assert "Claimant" not in text.partition("under consideration")[2].partition("</div>")[0]
    assert "claimant" not in text.lower().partition('id="history"')[2]
    assert claim.get_absolute_url() not in text


def test_a_kept_page_is_renewed_by_a_claim(client: Client, isbn: Namespace, claimant: User) -> None:
    assert "under consideration" not in text_of(client, "/namespaces/isbn/")
    a_claim(isbn, by=claimant)
    assert "under consideration" in text_of(client, "/namespaces/isbn/")


def test_a_claim_of_a_held_namespace_is_told_when_it_is_announced(
    client: Client, trees: Namespace, claimant: User
) -> None:
    a_claim(trees, by=claimant)
    assert "claims this namespace" not in text_of(client, trees.get_absolute_url())
    assert "This namespace is mine" not in text_of(client, trees.get_absolute_url())


def test_the_registrant_objects_with_one_click(announced: NamespaceClaim, registrant: User) -> None:
    client = signed_in(registrant)
    assert "Object to the claim" in text_of(client, announced.namespace.get_absolute_url())
    page = text_of(client, announced.get_absolute_url())
    assert "I work there." not in page
    client.post(announced.get_absolute_url(), {"decision": "object"})
    announced.refresh_from_db()
    assert announced.status == ClaimStatus.OBJECTED


def test_others_do_not_see_a_claim(
    client: Client, claim: NamespaceClaim, participant: User, expert: User
) -> None:
    for person in (participant, expert):
        assert signed_in(person).get(claim.get_absolute_url()).status_code == 404
        assert signed_in(person).get("/desk/claims/").status_code == 404
    assert client.get(claim.get_absolute_url()).status_code == 302


def test_the_administrator_sees_where_the_registration_names_the_claimant(
    trees: Namespace, administrator: User, claimant: User
) -> None:
    Namespace.objects.filter(pk=trees.pk).update(
        references=[{"type": "uri", "target": "https://www.example.org/trees", "label": ""}]
    )
    claim = claim_namespace(trees, by=claimant, ground="domain", statement="See the site.")
    page = text_of(signed_in(administrator), claim.get_absolute_url())
    assert "The record of IANA names the domain example.org of an address of the claimant. Check" in page


def test_other_confirmed_addresses_and_verified_domains_are_evidence(
    trees: Namespace, claimant: User, administrator: User
) -> None:
    EmailAddress.objects.create(user=claimant, email="trees@arboretum.example", verified=True)
    organisation = create_organisation(by=claimant, name="Example Arboretum")
    domain = add_domain(organisation, by=claimant, domain="trees.example")
    record_check(domain, Outcome(Method.DNS))
    targets = ("mailto:trees@arboretum.example", "https://www.trees.example/")
    references = [{"type": "uri", "target": each, "label": ""} for each in targets]
    Namespace.objects.filter(pk=trees.pk).update(references=references)
    claim = claim_namespace(
        trees, by=claimant, ground="domain", statement="See the site.", organisation=organisation
    )
    page = text_of(signed_in(administrator), claim.get_absolute_url())
    assert "names the address trees@arboretum.example, which the claimant confirmed." in page
    assert "names the domain trees.example, which the organisation verified." in page


def test_my_page_lists_the_claims_of_a_person_and_of_their_namespaces(
    announced: NamespaceClaim, claimant: User, registrant: User, expert: User
) -> None:
    link = announced.get_absolute_url()
    own = text_of(signed_in(claimant), "/mine/")
    assert link in own
    assert "the registrant can object to your claim." in own
    page = text_of(signed_in(registrant), "/mine/")
    assert link in page
    assert "object to it, if it is wrong." in page
    assert "objections until" in page
    assert link not in text_of(signed_in(expert), "/mine/")
