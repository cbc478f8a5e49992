"""The pages that show how URNs resolve, and on which administrators decide on hosts."""

import re

import pytest
from django.test import Client
from pytest_django.asserts import assertContains, assertNotContains

from registry.accounts.models import User
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.models import Namespace
from registry.resolution.models import ConfirmedHost
from tests.resolution.conftest import (
    a_namespace_with,
    a_profile_with,
    a_service,
    confirm_all,
    fixture_profile,
)
from tests.support.browser import signed_in

pytestmark = pytest.mark.django_db

CONFIRM = "/namespaces/example-trees/hosts/trees.example/confirm/"
WITHDRAW = "/namespaces/example-trees/hosts/trees.example/withdraw/"


def test_the_page_of_a_urn_shows_how_it_resolves(client: Client, ietf: Namespace) -> None:
    response = client.get("/urns/", {"urn": "urn:ietf:rfc:2648"})
    assertContains(response, ">Resolution</h2>")
    assertContains(
        response, 'href="/resolve/urn:ietf:rfc:2648" rel="noreferrer">Open at www.rfc-editor.org</a>'
    )
    assertContains(response, 'href="https://datatracker.ietf.org/doc/rfc2648/" rel="noreferrer"')
    assertContains(response, "The resource, in English")


def test_an_unconfirmed_host_is_marked_on_the_page_of_a_urn(client: Client) -> None:
    a_namespace_with(a_profile_with(a_service()))
    response = client.get("/urns/", {"urn": "urn:example-trees:12:4711"})
    assertContains(response, "trees.example</span>, not confirmed")
    assertContains(response, "Continue to trees.example</a>")


def test_several_services_are_chosen_from_the_page_of_a_urn(client: Client) -> None:
    a_namespace_with(a_profile_with(a_service(), a_service("https://oaks.example/{nss}", title="Oaks")))
    response = client.get("/urns/", {"urn": "urn:example-trees:12:4711"})
    assertContains(response, "Choose a service</a>")


@pytest.mark.parametrize("hosts", [("trees",), ("trees", "oaks")])
@pytest.mark.parametrize("is_confirmed", [True, False])
def test_every_link_of_the_page_of_choices_has_the_f_component(
    client: Client, administrator: User, hosts: tuple[str, ...], is_confirmed: bool
) -> None:
    services = [a_service(f"https://{host}.example/{{nss}}", title=host) for host in hosts]
    namespace = a_namespace_with(a_profile_with(*services))
    if is_confirmed:
        confirm_all(namespace, by=administrator)
    page = client.get("/urns/", {"urn": "urn:example-trees:12:4711#s2"}).content.decode()
    [path] = set(re.findall(r'href="(/resolve/[^"]*)"', page))
    assert path.endswith("#s2")
    response = client.get(path.partition("#")[0])  # a client does not send the fragment
    found = (
        {response["Location"]}
        if response.status_code == 303
        else set(re.findall(r'href="(https://(?:trees|oaks)\.example/12[^"]*)"', response.content.decode()))
    )
    # A client adds the fragment of the address to that of a redirect without one.
    expected = "" if len(hosts) == 1 and is_confirmed else "#s2"
    assert found == {f"https://{host}.example/12%3A4711{expected}" for host in hosts}


def test_without_services_there_is_no_section(client: Client) -> None:
    a_namespace_with(fixture_profile("example"))
    assertNotContains(client.get("/urns/", {"urn": "urn:example:a"}), ">Resolution</h2>")
    assertNotContains(client.get("/namespaces/example/"), ">Services</h2>")


def test_the_page_of_a_namespace_lists_services_and_hosts(client: Client, trees: Namespace) -> None:
    response = client.get("/namespaces/example-trees/")
    assertContains(response, "https://trees.example/{nss}")
    assertContains(response, 'href="/resolve/urn:example-trees:12:4711"')
    assertContains(response, "An administrator checked it. It was read.")
    assertNotContains(response, WITHDRAW)


@pytest.mark.parametrize("is_profile_removed", [False, True])
def test_a_confirmed_host_that_no_service_uses_can_be_withdrawn(
    client: Client, trees: Namespace, administrator: User, is_profile_removed: bool
) -> None:
    path = "/namespaces/example-trees/"
    assertNotContains(client.get(path), "No service uses it.")
    profile = None if is_profile_removed else a_profile_with(a_service("https://oaks.example/{nss}"))
    set_profile(trees, by=None, profile=profile, basis="It moved.", replaces=1)
    assertContains(client.get(path), "No service uses it.", count=1)
    browser = signed_in(administrator)
    assertContains(browser.get(path), WITHDRAW)
    browser.post(WITHDRAW, {"reason": "No service uses it."})
    assert not ConfirmedHost.objects.exists()
    assertNotContains(client.get(path), "No service uses it.</p>")


def test_an_administrator_confirms_a_host(administrator: User) -> None:
    a_namespace_with(a_profile_with(a_service()))
    browser = signed_in(administrator)
    assertContains(browser.get("/namespaces/example-trees/"), f'href="{CONFIRM}"')
    assertContains(browser.get(CONFIRM), "Confirm this host")
    response = browser.post(CONFIRM, {"basis": "dns", "evidence": "A TXT record."}, follow=True)
    assertContains(response, "The host is confirmed.")
    assertContains(response, "A record in the DNS of the host. A TXT record.")
    assertContains(response, "Host trees.example confirmed")
    assert ConfirmedHost.objects.get().confirmed_by == administrator


def test_the_registered_text_is_proposed(administrator: User) -> None:
    namespace = a_namespace_with(a_profile_with(a_service()))
    references = [{"type": "uri", "target": "https://trees.example/numbers", "label": ""}]
    Namespace.objects.filter(pk=namespace.pk).update(references=references)
    response = signed_in(administrator).get(CONFIRM)
    assertContains(response, "The registration refers to https://trees.example/numbers.")
    assert response.context["form"].initial["basis"] == "registered_text"


def test_what_was_typed_is_kept_when_the_registry_refuses(administrator: User) -> None:
    a_namespace_with(a_profile_with(a_service()))
    response = signed_in(administrator).post(CONFIRM, {"basis": "registered_text", "evidence": "I read it."})
    assertContains(response, "I read it.", status_code=422)
    assertContains(response, "does not name “trees.example”", status_code=422)
    response = signed_in(administrator).post(CONFIRM, {"evidence": "I read it."})
    assertContains(response, "I read it.", status_code=422)
    assert not ConfirmedHost.objects.exists()


def test_an_administrator_withdraws_a_host(administrator: User, trees: Namespace) -> None:
    browser = signed_in(administrator)
    assertContains(browser.get("/namespaces/example-trees/"), f'href="{WITHDRAW}"')
    response = browser.post(WITHDRAW, {"reason": "It was sold."}, follow=True)
    assertContains(response, "The confirmation is withdrawn.")
    assertContains(response, "Host trees.example withdrawn")
    assert not ConfirmedHost.objects.exists()
    assert browser.post(WITHDRAW, {"reason": "It was sold."}).status_code == 409


@pytest.mark.parametrize(("host", "status"), [("oaks.example", 422), ("trees.example", 409)])
def test_what_cannot_be_confirmed_has_no_form(
    administrator: User, trees: Namespace, host: str, status: int
) -> None:
    response = signed_in(administrator).get(f"/namespaces/example-trees/hosts/{host}/confirm/")
    assert response.status_code == status
