"""Requests to the providers of sign-in, as a session of `requests`, which django-allauth uses.

They go through `registry.core.outgoing`: over HTTPS, with limits, and to public addresses, except for the host of an issuer,
which the operator declared. Redirects are not followed. Every answer of a provider is a JSON object (OpenID Connect
Discovery, Section 4.2; RFC 6749, Section 5.1; RFC 7517, Section 5).
"""

import json
from http import HTTPStatus
from io import BytesIO
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from requests import PreparedRequest, RequestException, Response, Session
from requests.adapters import BaseAdapter

from registry.core.exceptions import RegistryError

LIMITS = (5.0, 5.0, 10.0)  # seconds to connect, for each wait, and in all


class ProviderNotUsable(RegistryError, RequestException):
    """The provider of sign-in does not answer, or not as OpenID Connect asks."""

    status = HTTPStatus.BAD_GATEWAY
    title = "The provider did not sign you in"


def provider_session() -> Session:
    """A session that sends guarded requests alone. It raises ProviderNotUsable."""
    session = Session()
    session.trust_env = False  # no proxies, no passwords of ~/.netrc
    for scheme in ("https://", "http://"):
        session.mount(scheme, _Guarded())
    return session


class _Guarded(BaseAdapter):
    def send(self, request: PreparedRequest, *_: Any, **__: Any) -> Response:
        body = _answer(request)
        response = Response()
        response.status_code, response.url, response.request = HTTPStatus.OK, request.url or "", request
        response.headers["Content-Type"] = "application/json"
        response.raw = BytesIO(body)
        return response

    def close(self) -> None:
        """Nothing is open."""


def _answer(asked: PreparedRequest) -> bytes:
    """The JSON object that a provider answered. Raises ProviderNotUsable.

    A web process loads what sends requests when a person signs in with a provider, to need less memory until then.
    """
    from registry.core.outgoing.https_requests import RequestLimits, request

    method, url = asked.method or "GET", asked.url or ""
    # A form, which `requests` has encoded.
    body = asked.body.encode() if isinstance(asked.body, str) else None
    sent = {name: str(value) for name, value in asked.headers.items()}
    headers = sent | {"Accept": "application/json", "Accept-Encoding": "identity"}
    try:
        reply = request(method, url, headers, RequestLimits(*LIMITS), body, trusted_hosts=_hosts_of_issuers())
        is_object = reply.status == HTTPStatus.OK and isinstance(json.loads(reply.body), dict)
    except (RegistryError, ValueError, RecursionError) as failure:
        raise ProviderNotUsable(f"{urlsplit(url).hostname} did not answer: {failure}") from failure
    if not is_object:
        raise ProviderNotUsable(f"{urlsplit(url).hostname} did not answer with a JSON object.")
    return reply.body


def _hosts_of_issuers() -> set[str]:
    apps: Any = settings.SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"]
    return {urlsplit(each["settings"]["server_url"]).hostname or "" for each in apps}
