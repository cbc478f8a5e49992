"""Sign-up, sign-in, sign-out and password reset with an e-mail address."""

import os
import re
import secrets
import subprocess
import sys
from pathlib import Path

import allauth
import pytest
from allauth.account.models import EmailAddress
from django.conf import settings
from django.http import HttpResponse
from django.template.loader import get_template
from django.test import Client, override_settings
from django.utils import timezone
from pytest_django.asserts import assertContains, assertNotContains, assertRedirects, assertTemplateUsed

from registry.accounts.models import User
from registry.mail import delivery, outbox
from registry.mail.models import Message
from registry.mail.outbox import DeliveryStatus
from tests.support.factories import PASSWORD

pytestmark = pytest.mark.django_db
NEW_PASSWORD = "another horse battery"


@pytest.fixture(autouse=True)
def no_mail_server(settings: object) -> None:
    """Make connections to the mail server during requests fail."""
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"  # type: ignore[attr-defined]
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9  # type: ignore[attr-defined]


def the_mail_to(email: str) -> Message:
    """Return the only mail in the outbox: to this address, not yet tried, with a delivery job."""
    (message,) = Message.objects.all()
    assert (message.to, message.attempts, message.sent_at) == (email, 0, None)
    assert [each.status for each in outbox.unsent_messages()] == [DeliveryStatus.WAITING]
    return message


def sign_in(client: Client, email: str, password: str = PASSWORD, **more: str) -> object:
    return client.post("/accounts/login/", {"login": email, "password": password, **more})


def test_the_sign_in_form_has_autocomplete_attributes(client: Client) -> None:
    response = client.get("/accounts/login/")
    assertContains(response, 'type="email"')
    assertContains(response, 'autocomplete="email"')
    assertContains(response, 'autocomplete="current-password"')
    assertContains(response, '<label for="id_login">')
    assertContains(response, '<label for="id_password">')


def test_sign_up_offers_to_make_a_new_password(client: Client) -> None:
    assertContains(client.get("/accounts/signup/"), 'autocomplete="new-password"', count=2)


def test_sign_in_ignores_the_case_of_the_address(client: Client, registrant: User) -> None:
    assertRedirects(sign_in(client, "Registrant@Example.ORG"), "/")
    assert client.session["_auth_user_id"] == str(registrant.pk)


def test_sign_in_redirects_to_the_requested_page(client: Client, registrant: User) -> None:
    assertRedirects(client.get("/mine/"), "/accounts/login/?next=/mine/")
    assertContains(client.get("/accounts/login/?next=/mine/"), 'name="next" value="/mine/"')
    response = sign_in(client, registrant.email, next="/mine/")
    assertRedirects(response, "/mine/", fetch_redirect_response=False)


@pytest.mark.parametrize("elsewhere", ["https://example.org/", "//example.org/", "javascript:alert(1)"])
def test_signing_in_leads_nowhere_else(client: Client, registrant: User, elsewhere: str) -> None:
    assertRedirects(sign_in(client, registrant.email, next=elsewhere), "/")


@pytest.mark.parametrize("email", ["registrant@example.org", "nobody@example.org"])
def test_a_wrong_password_does_not_tell_whether_the_account_exists(
    client: Client, registrant: User, email: str
) -> None:
    response = sign_in(client, email, "wrong password")
    assertContains(response, 'class="notice error" role="alert"', status_code=422)
    assertContains(response, "The e-mail address or the password is not correct.", status_code=422)
    assert "_auth_user_id" not in client.session


@pytest.mark.parametrize(
    "email",
    [
        "",
        "registrant",
        "registrant@",
        "a b@example.org",
        "régistrant@example.org",
        "a@example.org\n.org",
        "x" * 309 + "@example.org",
    ],
)
def test_an_invalid_address_is_marked_beside_its_field(client: Client, email: str) -> None:
    response = sign_in(client, email)
    assertContains(response, 'id="id_login_error"', status_code=422)
    assertContains(response, 'aria-invalid="true"', status_code=422)


def test_signing_out_takes_a_post(client: Client, registrant: User) -> None:
    client.force_login(registrant)
    assertContains(client.get("/accounts/logout/"), "Sign out?")
    assert "_auth_user_id" in client.session
    assertRedirects(client.post("/accounts/logout/"), "/")
    assert "_auth_user_id" not in client.session


def sign_up(client: Client, email: str, password: str = PASSWORD, again: str = PASSWORD) -> object:
    fields = {"email": email, "password1": password, "password2": again}
    return client.post("/accounts/signup/", fields)


def test_a_newcomer_signs_up_and_confirms_the_address(client: Client) -> None:
    assertRedirects(sign_up(client, "newcomer@example.org"), "/accounts/confirm-email/")
    message = the_mail_to("newcomer@example.org")
    assert message.name == "email_confirmation_signup"
    assert message.subject == "Confirm your address at the registry of URN namespaces"
    assert message.body.startswith("Hello,\n\nSomeone, probably you, entered this address")
    link = re.search(r"https?://[^/]+(/accounts/confirm-email/\S+)", message.body)
    assert link
    assertContains(client.get(link[1]), "newcomer@example.org")
    client.post(link[1])
    assert EmailAddress.objects.get(email="newcomer@example.org").verified


@pytest.mark.parametrize("password", ["short", "password1234", "1234"])
def test_a_weak_password_is_refused_beside_its_field(client: Client, password: str) -> None:
    response = sign_up(client, "newcomer@example.org", password, password)
    assertContains(response, 'id="id_password1_error"', status_code=422)
    assert not User.objects.exists()


def test_two_different_passwords_are_refused(client: Client) -> None:
    response = sign_up(client, "newcomer@example.org", PASSWORD, NEW_PASSWORD)
    assertContains(response, 'id="id_password2_error"', status_code=422)


def test_an_invalid_confirmation_link_is_explained(client: Client) -> None:
    assertContains(client.get("/accounts/confirm-email/no-such-key/"), "This link has expired")


def test_a_forgotten_password_is_replaced_by_mail(client: Client, registrant: User) -> None:
    assertContains(client.get("/accounts/password/reset/"), "Forgot your password?")
    response = client.post("/accounts/password/reset/", {"email": registrant.email})
    assertRedirects(response, "/accounts/password/reset/done/")
    message = the_mail_to(registrant.email)
    assert message.subject == "Set a new password for the registry of URN namespaces"
    link = re.search(r"https?://[^/]+(/accounts/password/reset/key/\S+)", message.body)
    assert link
    form = client.get(link[1], follow=True)
    assertContains(form, "Set a new password")
    fields = {"password1": NEW_PASSWORD, "password2": NEW_PASSWORD}
    assertRedirects(
        client.post(form.request["PATH_INFO"], fields),
        "/accounts/password/reset/key/done/",
        target_status_code=200,
    )
    registrant.refresh_from_db()
    assert registrant.check_password(NEW_PASSWORD)


def test_asking_for_a_reset_does_not_tell_whether_the_account_exists(client: Client) -> None:
    response = client.post("/accounts/password/reset/", {"email": "nobody@example.org"})
    assertRedirects(response, "/accounts/password/reset/done/")
    assert "There is no account with this address" in the_mail_to("nobody@example.org").body


def test_signing_up_twice_sends_a_mail(client: Client, registrant: User) -> None:
    assertRedirects(sign_up(client, registrant.email), "/accounts/confirm-email/")
    assert "There is already an account with this address." in the_mail_to(registrant.email).body


def test_a_mail_that_the_server_did_not_take_stays_in_the_outbox(client: Client) -> None:
    sign_up(client, "newcomer@example.org")
    message = the_mail_to("newcomer@example.org")
    with pytest.raises(delivery.NotDelivered):
        delivery.attempt(message.pk)
    message.refresh_from_db()
    assert (message.attempts, message.sent_at) == (1, None)


def test_an_old_reset_link_is_explained(client: Client) -> None:
    assertContains(client.get("/accounts/password/reset/key/1-none/"), "This link has expired")


# Texts of django-allauth for what is not offered here: telephones, codes by mail; and those that nothing uses.
NOT_OFFERED = re.compile(r"phone|code|email/(base_|email_confirm_)")
ALLAUTH = Path(allauth.__file__).parent / "templates"
ALL_TEXTS = [
    *ALLAUTH.glob("account/[em]*/*.txt"),
    *ALLAUTH.glob("mfa/[em]*/*.txt"),
    *ALLAUTH.glob("socialaccount/[em]*/*.txt"),
]
TEXTS = sorted(
    name
    for name in (path.relative_to(ALLAUTH).as_posix() for path in ALL_TEXTS)
    if not name.startswith("account/") or not NOT_OFFERED.search(name)
)


@pytest.mark.parametrize("name", TEXTS)
def test_every_account_mail_and_message_has_a_template_here(name: str) -> None:
    template = get_template(name)
    assert Path(template.origin.name).is_relative_to(settings.BASE_DIR / "templates")
    assert template.render({"user": "Example Person", "timestamp": timezone.now()}).strip()


OWN_PAGES = [
    ("/accounts/email/", "E-mail addresses"),
    ("/accounts/password/change/", "Change your password"),
    ("/accounts/logout/", "Sign out?"),
]


@pytest.mark.parametrize(("address", "heading"), OWN_PAGES)
def test_the_pages_of_an_account_wear_our_look_and_have_only_its_scripts(
    client: Client, registrant: User, address: str, heading: str
) -> None:
    sign_in(client, registrant.email)
    response = client.get(address)
    assertTemplateUsed(response, "base.html")
    assertContains(response, heading)
    scripts = re.findall(r'<script(?: src="/static/([^"]+)")?', response.text)
    assert scripts == ["theme.js", "django_htmx/htmx-2.min.js", "outcome.js", "kept_texts.js"]
    assertNotContains(response, "style=")


@pytest.mark.parametrize("address", [address for address, _ in OWN_PAGES[:2]])
def test_the_pages_of_an_account_are_closed_to_strangers(client: Client, address: str) -> None:
    assertRedirects(client.get(address), f"/accounts/login/?next={address}")


def test_changing_a_password_requires_the_old_one(client: Client, registrant: User) -> None:
    client.force_login(registrant)
    fields = {"oldpassword": "wrong", "password1": NEW_PASSWORD, "password2": NEW_PASSWORD}
    response = client.post("/accounts/password/change/", fields)
    assertContains(response, 'id="id_oldpassword_error"', status_code=422)
    client.post("/accounts/password/change/", {**fields, "oldpassword": PASSWORD})
    registrant.refresh_from_db()
    assert registrant.check_password(NEW_PASSWORD)


def sign_ups_allowed(*, last_address: str, proxies: int) -> bool:
    """Return whether a client at `last_address` can sign up after another client was throttled."""
    header = "Clientaddress" if proxies else None
    with override_settings(ALLAUTH_TRUSTED_PROXY_COUNT=proxies, ALLAUTH_TRUSTED_CLIENT_IP_HEADER=header):
        for _ in range(21):
            answer = sign_up_from("192.0.2.1")
        assert answer.status_code == 429
        return sign_up_from(last_address).status_code != 429


def sign_up_from(address: str) -> HttpResponse:
    """Fail to sign in through one proxy; clients can forge all but the address in its own header."""
    said = {"X-Forwarded-For": f"203.0.113.{secrets.randbelow(250)}", "Clientaddress": address}
    return Client(headers=said).post("/accounts/signup/", {"email": "x"})  # type: ignore[return-value]


def test_behind_a_proxy_clients_are_identified_by_the_address_that_the_proxy_saw() -> None:
    assert sign_ups_allowed(last_address="192.0.2.2", proxies=1)


def test_without_a_proxy_a_forged_address_gives_no_more_attempts() -> None:
    assert not sign_ups_allowed(last_address="192.0.2.2", proxies=0)


@pytest.mark.parametrize(("environment", "count"), [({}, "0"), ({"TRUSTED_PROXY_COUNT": "2"}, "2")])
@pytest.mark.exhaustive
def test_the_number_of_proxies_is_read_from_the_environment(environment: dict[str, str], count: str) -> None:
    without = {name: value for name, value in os.environ.items() if name != "TRUSTED_PROXY_COUNT"}
    program = "from registry import settings; print(settings.ALLAUTH_TRUSTED_PROXY_COUNT)"
    ran = subprocess.run(
        [sys.executable, "-c", program],
        cwd=settings.BASE_DIR, env=without | environment, capture_output=True, text=True, check=True, timeout=240,
    )  # fmt: skip
    assert ran.stdout.strip() == count


def test_many_wrong_passwords_are_rate_limited(client: Client, registrant: User) -> None:
    answers = [sign_in(client, registrant.email, "wrong password") for _ in range(12)]
    assert any("Too many failed" in each.content.decode() or each.status_code == 429 for each in answers)  # type: ignore[attr-defined]
