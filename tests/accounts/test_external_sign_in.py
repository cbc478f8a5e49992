"""Sign-in with an OpenID provider on this machine."""

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialApp
from django.core.exceptions import ImproperlyConfigured
from django.test import Client, RequestFactory
from oidc_provider_mock import User as Identity
from pytest_django.asserts import assertContains, assertRedirects

from registry.accounts.closing import close_account
from registry.accounts.external_sign_in import OpenIDProvider
from registry.accounts.models import User
from registry.accounts.sign_in_providers import as_app, read_providers
from registry.mail.models import Message
from tests.accounts.test_second_factors import with_app
from tests.security.test_stolen_sessions import MAKE, asks_for_password, later
from tests.support.browser import signed_in
from tests.support.openid_providers import declare, honest_provider

# The provider runs in a thread of this process, with a deprecated function of its own library.
pytestmark = [pytest.mark.django_db, pytest.mark.filterwarnings("ignore:get_jwt_config:DeprecationWarning")]
LOGIN = "/accounts/oidc/example/"
CONNECT = f"{LOGIN}?process=connect"
PEOPLE = [
    Identity(sub="newcomer", claims={"email": "newcomer@example.org", "email_verified": True}),
    Identity(sub="registrant", claims={"email": "registrant@example.org", "email_verified": True}),
    Identity(sub="without-address", claims={}),
]


@pytest.fixture(scope="module")
def issuer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with honest_provider(tmp_path_factory.mktemp("authority"), PEOPLE) as issuer:
        yield issuer


@pytest.fixture(autouse=True)
def provider(issuer: str, settings: Any) -> None:
    declare(settings, example=issuer)


def at_the_provider(asked: Any, person: str) -> str:
    """Sign in there; the address, here, to which the provider leads back."""
    assert asked.status_code == 200
    [onward] = re.findall('<meta http-equiv="refresh" content="0; url=([^"]+)">', asked.text)
    onward = html.unescape(onward)
    assert parse_qs(urlsplit(onward).query)["code_challenge_method"] == ["S256"]
    answer = httpx.post(onward, data={"sub": person})
    back = urlsplit(answer.headers["Location"])
    assert back.path == f"{LOGIN}callback/"
    return f"{back.path}?{back.query}"


def sign_in(client: Client, person: str, address: str = LOGIN) -> Any:
    return client.get(at_the_provider(client.post(address), person))


def signed_in_as(client: Client) -> str | None:
    return client.session.get("_auth_user_id")


def test_a_newcomer_gets_an_account_and_confirms_the_address(client: Client, issuer: str) -> None:
    assertRedirects(sign_in(client, "newcomer"), "/accounts/confirm-email/")
    assert signed_in_as(client) is None
    assert not EmailAddress.objects.get(email="newcomer@example.org").verified
    assert [each.to for each in Message.objects.all()] == ["newcomer@example.org"]
    known = SocialAccount.objects.get()
    assert known.uid == f"{issuer} newcomer"
    EmailAddress.objects.update(verified=True)
    sign_in(client, "newcomer")
    assert signed_in_as(client) == str(known.user_id)


def test_an_account_with_the_same_address_is_not_entered(client: Client, registrant: User) -> None:
    assertRedirects(sign_in(client, "registrant"), "/accounts/confirm-email/")
    assert signed_in_as(client) is None
    assert not SocialAccount.objects.exists()
    assert "There is already an account with this address." in Message.objects.get().body


def test_its_owner_connects_it_and_signs_in_with_it(registrant: User) -> None:
    client = signed_in(registrant)
    assertContains(client.get("/accounts/connections/"), "Connect Example")
    sign_in(client, "registrant", CONNECT)
    assert SocialAccount.objects.get().user == registrant
    message = Message.objects.get()
    assert message.name == "account_connected"
    assert "/accounts/connections/" in message.body
    stranger = Client()
    sign_in(stranger, "registrant")
    assert signed_in_as(stranger) == str(registrant.pk)


def test_connecting_needs_a_recent_sign_in(registrant: User) -> None:
    client = signed_in(registrant)
    with later(minutes=16):
        assert asks_for_password(client.post(CONNECT))
        # django-allauth reads the form before the address.
        assert asks_for_password(client.post(LOGIN, {"process": "connect"}))
        assert asks_for_password(client.post(f"{LOGIN}?process=login", {"process": "connect"}))
    assertRedirects(Client().post(CONNECT), "/accounts/login/")
    assertRedirects(Client().post(LOGIN, {"process": "connect"}), "/accounts/login/")
    assert not SocialAccount.objects.exists()


@pytest.mark.parametrize("process", ["redirect", "unknown"])
def test_other_processes_are_refused(process: str, client: Client) -> None:
    assertRedirects(client.post(LOGIN, {"process": process}), "/accounts/oidc-error/", target_status_code=401)


def test_setting_a_first_password_needs_a_recent_sign_in(registrant: User) -> None:
    registrant.set_unusable_password()
    registrant.save()
    client = signed_in(registrant)
    typed = {"password1": "another horse battery", "password2": "another horse battery"}
    with later(minutes=16):
        answer = client.post("/accounts/password/set/", typed)
    assertContains(answer, "Sign in again", status_code=403)
    assert "is kept" not in answer.text
    assert "another horse battery" not in answer.text
    registrant.refresh_from_db()
    assert not registrant.has_usable_password()
    assert client.post("/accounts/password/set/", typed).status_code == 302
    registrant.refresh_from_db()
    assert registrant.check_password("another horse battery")


def test_an_account_without_a_password_confirms_with_its_provider(registrant: User) -> None:
    sign_in(signed_in(registrant), "registrant", CONNECT)
    registrant.set_unusable_password()
    registrant.save()
    client = Client()
    sign_in(client, "registrant")
    with later(minutes=16):
        assertContains(client.get(MAKE), LOGIN, status_code=403)
        sign_in(client, "registrant")
        assert client.get(MAKE).status_code == 200


def test_what_belongs_to_another_account_is_not_connected(registrant: User, participant: User) -> None:
    sign_in(signed_in(registrant), "registrant", CONNECT)
    client = signed_in(participant)
    answer = client.get(sign_in(client, "registrant", CONNECT)["Location"])
    assertContains(answer, "This sign-in belongs to another account.")
    assert SocialAccount.objects.get().user == registrant


def test_the_second_factor_is_asked_for_too(registrant: User) -> None:
    sign_in(signed_in(registrant), "registrant", CONNECT)
    with_app(registrant)
    client = Client()
    assert sign_in(client, "registrant")["Location"].startswith("/accounts/2fa/authenticate/")
    assert signed_in_as(client) is None
    assert Authenticator.objects.count() == 1


def test_an_identity_without_an_address_is_asked_for_one(client: Client) -> None:
    assertRedirects(sign_in(client, "without-address"), "/accounts/oidc-sign-up/")
    answer = client.post("/accounts/oidc-sign-up/", {"email": "other@example.org"})
    assertRedirects(answer, "/accounts/confirm-email/")
    assert signed_in_as(client) is None


def test_an_answer_counts_in_the_session_that_asked(client: Client) -> None:
    back = at_the_provider(client.post(LOGIN), "newcomer")
    assert Client().get(back).status_code in {302, 401}
    assert not User.objects.exists()


def test_the_issuer_is_part_of_the_account(registrant: User, issuer: str) -> None:
    sign_in(signed_in(registrant), "registrant", CONNECT)
    SocialAccount.objects.update(uid="https://former.example registrant")
    client = Client()
    sign_in(client, "registrant")
    assert signed_in_as(client) is None


@pytest.mark.parametrize("issuer", ["https://example.org/application/o/registry/", "https://example.org"])
def test_an_issuer_may_end_with_a_slash(issuer: str, rf: RequestFactory) -> None:
    declared = as_app("example", name="A", issuer=issuer, client_id="a", client_secret="b")
    provider = OpenIDProvider(rf.get("/"), app=SocialApp(name="A", settings=declared["settings"]))
    assert provider.server_url == f"{issuer.rstrip('/')}/.well-known/openid-configuration"
    assert provider.extract_uid({"id_token": {"iss": issuer, "sub": "1"}}) == f"{issuer} 1"


def test_no_form_leads_to_another_site(client: Client) -> None:
    """Chromium also refuses a form whose answer redirects to another site."""
    answer = client.post(LOGIN)
    assert "form-action 'self'" in answer["Content-Security-Policy"].split("; ")
    assert "Location" not in answer


def test_a_provider_that_does_not_answer_is_explained(client: Client, settings: Any) -> None:
    declare(settings, example="https://localhost:9")
    assertContains(client.post(LOGIN), "The provider did not sign you in", status_code=502)
    assert client.post("/accounts/oidc/unknown/").status_code == 404


def test_closing_an_account_disconnects_it(administrator: User, registrant: User) -> None:
    sign_in(signed_in(registrant), "registrant", CONNECT)
    close_account(registrant, by=administrator, reason="Asked for.")
    assert not SocialAccount.objects.exists()


def test_providers_are_declared_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "providers.toml"
    file.write_text(
        '[orcid]\nname = "ORCID"\nissuer = "https://orcid.org"\nclient_id = "a"\nclient_secret = "b"\n'
    )
    declared = read_providers(str(file))
    assert (declared[0]["provider_id"], declared[0]["name"]) == ("orcid", "ORCID")
    assert read_providers("") == []


@pytest.mark.parametrize(
    "text",
    [
        "[orcid",
        '[orcid]\nname = "ORCID"\n',
        "orcid = 1\n",
        '[Or_cid]\nname = "A"\nissuer = "https://orcid.org"\nclient_id = "a"\nclient_secret = "b"\n',
        '[orcid]\nname = "A"\nissuer = "http://orcid.org"\nclient_id = "a"\nclient_secret = "b"\n',
    ],
)
def test_a_wrong_declaration_is_refused_at_the_start(tmp_path: Path, text: str) -> None:
    file = tmp_path / "providers.toml"
    file.write_text(text)
    with pytest.raises(ImproperlyConfigured, match="SIGN_IN_PROVIDERS"):
        read_providers(str(file))
