"""Default deny: every address is on the short list of public ones, or it refuses a stranger.

The list is written by hand. A view that is made public without being put on it fails here, and so does
one that is on the list and is closed.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import pytest
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.urls import URLPattern, URLResolver, get_resolver, path, reverse
from django.urls.resolvers import RegexPattern

PUBLIC = {
    # What this registry is, and what is registered.
    "home",
    "guide",
    "urn_scheme",
    "cases:nids",
    "namespaces:list",
    "namespaces:detail",
    "namespaces:version",
    "namespaces:profile",
    "namespaces:profile_version",
    "namespaces:compare_profiles",
    "namespaces:text",
    "namespaces:compare",
    "subnamespaces:list",
    "check_name",
    # Confirming an address at which mail came back: requires the link that is mailed to it.
    "account:confirm_bounced_address",
    # Objecting to a claim: requires the link that is mailed to the known addresses of the registrant.
    "custody:object_by_link",
    # Confirming a contact: requires the link of a reminder.
    "custody:confirm_by_link",
    # Organisations with a namespace or a public case (tests/organisations).
    "organisations:detail",
    "urns:check",
    # The resolution of URNs.
    "resolution:resolve",
    "resolution:uri_service",
    "resolution:without_urn",
    "resolution:without_service",
    # Whether the services of namespaces work.
    "services:list",
    # Registers below namespaces. Requests for their entries are 404 for strangers (tests/registers).
    "registers:register",
    "registers:versions",
    # Leads to the page of a sub-namespace.
    "registers:entry",
    # NIDs in use that no namespace has. One that is not confirmed is 404 for strangers (tests/sightings).
    "sightings:list",
    "sightings:detail",
    # The same as files, and what is new.
    "publication:files",
    "publication:file",
    "publication:subnamespaces",
    "publication:register_file",
    "publication:register_feed",
    "publication:register_schema",
    "publication:style_sheet",
    "publication:schema",
    "publication:sitemap",
    "publication:sitemap_pages",
    "publication:sitemap_namespaces",
    "publication:sitemap_after",
    "publication:robots",
    "publication:feed",
    "publication:namespace_feed",
    # What proves that the audit log is not rewritten.
    "audit_log:overview",
    "audit_log:checkpoint",
    "audit_log:tiled-checkpoint",
    "audit_log:tile",
    "audit_log:entries",
    "audit_log:proof",
    "audit_log:note",
    "audit_log:timestamp",
    "namespaces:version_proof",
    "namespaces:profile_proof",
    "subnamespaces:proof",
    # Cases are public from their first submission on; a draft is not (tests/cases).
    "cases:list",
    "cases:detail",
    "cases:compare",
    "cases:template",
    # The key in the link from a mail is the permission.
    "cases:unsubscribe_by_mail",
    # How the registry is doing.
    "statistics:overview",
    "statistics:chart_svg",
    "statistics:chart_csv",
    # The API reads what the pages show, and its documentation explains it.
    "api",
    "api:*",
    "openapi",
    "openapi_yaml",
    "documentation:start",
    "documentation:docs",
    "documentation:guide",
    "documentation:reference",
    "documentation:group",
    "documentation:problems",
    "documentation:problem",
    # Requires the metrics token.
    "metrics",
    # For load balancers, security researchers and password managers.
    "health",
    "health_live",
    "health_ready",
    "security_txt",
    "api_catalog",
    "change_password",
    # Account pages. Each of these shows a form, a sentence, or leads to sign-in.
    "account_login",
    "account_logout",
    "account_signup",
    "account_inactive",
    "account_reset_password",
    "account_reset_password_done",
    "account_reset_password_from_key",
    "account_reset_password_from_key_done",
    "account_confirm_email",
    "account_email_verification_sent",
    # In the demonstration, newcomers confirm their address here; elsewhere it is not found.
    "mailbox",
    "mfa_authenticate",
    "openid_connect_login",
    "openid_connect_callback",
    "socialaccount_signup",
    "socialaccount_login_cancelled",
    "socialaccount_login_error",
    "mfa_login_webauthn",
}

# A value for every parameter of an address.
SAMPLES = {
    "nid": "isbn",
    "version": "1",
    "pk": "1",
    "number": "1",
    "organisation": "1",
    "entry": "1",
    "name": "submit",
    "key": "a-key",
    "provider_id": "example",
    "uidb36": "1",
    "urn": "urn:isbn:0451450523",
    "service": "I2L",
    "host": "openlibrary.org",
    "slug": "not-found",
    "tag": "namespaces",
    "suffix": "json",
    "round": "1",
    "size": "1",
    "other": "1",
    "authority": "timestamp.example.org",
    "level": "0",
    "place": "000.p/1",
    "file": "urn-namespaces.xml",
    "app_label": "audit_log",
    "content_type_id": "1",
    "object_id": "1",
    "url": "nowhere/",
    "token": "no-token",
}
# What is asked by POST and keeps nothing: it takes what it can read, and refuses the rest as unreadable.
ASKED_BY_POST = {
    "api:check-urns",
    "api:check-urns-file",
    "api:compare-urns",
    "api:look-up-namespaces",
    "api:resolve",
    "api:resolve-file",
}
METHODS = ("get", "post", "put", "patch", "delete")


@dataclass(frozen=True)
class Address:
    name: str
    path: str
    pattern: URLPattern

    @property
    def parameters(self) -> list[str]:
        if isinstance(self.pattern.pattern, RegexPattern):
            return list(self.pattern.pattern.regex.groupindex)
        return list(self.pattern.pattern.converters)

    def with_values(self, values: Mapping[str, object]) -> str:
        return reverse(self.name, kwargs=dict(values))

    @property
    def is_declared(self) -> bool:
        return self.name in PUBLIC or f"{self.name.partition(':')[0]}:*" in PUBLIC

    @property
    def is_open(self) -> bool:
        """Whether LoginRequiredMiddleware allows anonymous access to the view."""
        return not getattr(self.pattern.callback, "login_required", True)


def addresses(patterns: list[URLPattern | URLResolver], spaces: tuple[str, ...] = ()) -> Iterator[Address]:
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            below = (*spaces, pattern.namespace) if pattern.namespace else spaces
            yield from addresses(pattern.url_patterns, below)
        else:
            yield an_address(pattern, spaces)


def an_address(pattern: URLPattern, spaces: tuple[str, ...]) -> Address:
    name = ":".join((*spaces, pattern.name or f"unnamed {pattern.pattern}"))
    if not pattern.name:
        return Address(name, "", pattern)
    address = Address(name, "", pattern)
    return replace(address, path=address.with_values({each: SAMPLES[each] for each in address.parameters}))


def undeclared(patterns: list[URLPattern | URLResolver]) -> list[str]:
    """Views with anonymous access that are not on the list."""
    return [each.name for each in addresses(patterns) if each.is_open and not each.is_declared]


def every_address() -> list[Address]:
    return list(addresses(get_resolver().url_patterns))


def named_addresses() -> list[Address]:
    """The addresses that have a path, for requests to each of them."""
    return [at for at in every_address() if at.path]


def test_a_view_is_public_only_if_it_is_on_the_list() -> None:
    assert undeclared(get_resolver().url_patterns) == []


def test_the_list_names_no_view_that_is_closed_or_gone() -> None:
    found = {each.name for each in every_address() if each.is_open}
    assert {name for name in PUBLIC if not name.endswith(":*")} <= found


@pytest.mark.django_db
@pytest.mark.parametrize("method", METHODS)
def test_a_stranger_is_sent_to_sign_in_from_everything_else(method: str, client: Client) -> None:
    closed = [each for each in every_address() if not each.is_declared]
    assert closed
    for address in closed:
        response = getattr(client, method)(address.path)
        assert response.status_code == 302, address.name
        assert response.headers["Location"].startswith("/accounts/login/?next="), address.name


@pytest.mark.django_db
@pytest.mark.sampled(4)
@pytest.mark.parametrize("method", METHODS[1:])
def test_a_stranger_changes_nothing_through_what_can_be_read(method: str) -> None:
    """Public views outside the accounts app accept no unsafe method."""
    client = Client(enforce_csrf_checks=True)
    for number, address in enumerate(every_address()):
        if address.name in ASKED_BY_POST:
            continue
        if address.is_declared and address.path and not address.name.startswith("account_"):
            # From several hosts, because the API limits the requests of each.
            status = getattr(client, method)(
                address.path, REMOTE_ADDR=f"192.0.2.{number // 50 + 1}"
            ).status_code
            assert status in {401, 403, 404, 405}, f"{address.name} answers {method.upper()} with {status}"


@login_not_required
def an_open_view(request: HttpRequest) -> HttpResponse:
    return HttpResponse()


def a_closed_view(request: HttpRequest) -> HttpResponse:
    return HttpResponse()


urlpatterns = [path("open/", an_open_view, name="open"), path("closed/", a_closed_view, name="closed")]


@override_settings(ROOT_URLCONF=__name__)
def test_an_undeclared_view_is_found() -> None:
    assert undeclared(get_resolver().url_patterns) == ["open"]
