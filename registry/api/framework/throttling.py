"""Rate limits of the API for each client.

A client is a token or, without a valid token, an IP address (for IPv6, the /64 network). A token may have a quota of its
own. The headers follow draft-ietf-httpapi-ratelimit-headers-10, and tell the limit with the
fewest remaining requests.
"""

from ipaddress import IPv6Address, IPv6Network, ip_address
from math import ceil
from typing import Any

from allauth.account.adapter import get_adapter
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import Error
from django.http import HttpRequest
from rest_framework.exceptions import Throttled
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from registry.accounts.models import Token
from registry.api.framework.authentication import TokenRefused, token_of
from registry.core.database.errors import is_unavailable
from registry.core.http.internal_requests import is_internal
from registry.core.rate_limits import HOUR, Allowance, Policy, count

WINDOW_SECONDS = 60


class TooManyRequests(Throttled):
    """More requests than a policy allows."""

    extra_detail_singular = "Try again in {wait} second."
    extra_detail_plural = "Try again in {wait} seconds."

    def __init__(self, allowance: Allowance) -> None:
        policy = allowance.policy
        super().__init__(
            allowance.resets_in,
            f"The limit “{policy.name}” of {policy.quota} requests in {policy.window} seconds is exceeded.",
        )


class TooManyStreams(Throttled):
    """A client has as many event streams as it may have at a time. The next of them ends in `seconds`."""

    extra_detail_singular = TooManyRequests.extra_detail_singular
    extra_detail_plural = TooManyRequests.extra_detail_plural

    def __init__(self, most: int, seconds: float) -> None:
        super().__init__(
            max(1, ceil(seconds)),
            f"You have {most} event streams, the most at a time (EVENT_STREAMS_OF_A_CLIENT).",
        )


class RequestThrottle(BaseThrottle):
    """Counts the request and stores the remaining requests as `allowance` of the view. OPTIONS is not counted.

    The throttles of REST framework read and write a cache in two steps, so they can count concurrent requests as one.
    """

    def allow_request(self, request: Request, view: Any) -> bool:
        if request.method != "OPTIONS":
            is_reading = getattr(view, "is_reading", False) or request.method in SAFE_METHODS
            view.allowance = count_request(request._request, is_reading=is_reading)
        self.allowance: Allowance | None = view.allowance
        return self.allowance is None or not self.allowance.is_exceeded

    def wait(self) -> float | None:
        return self.allowance.resets_in if self.allowance else None


def policies(token: Token | None = None) -> tuple[Policy, ...]:
    """The limits for reading and for writing, and the quota of the token if it has one."""
    quota = token and token.requests_an_hour
    return (
        Policy("read", settings.API_READS_A_MINUTE, WINDOW_SECONDS),
        Policy("write", settings.API_WRITES_A_MINUTE, WINDOW_SECONDS),
        *([Policy("token", quota, HOUR)] if quota else []),
    )


def count_request(request: HttpRequest, *, is_reading: bool) -> Allowance | None:
    """Count one request of the client, and return what remains of the tightest limit; None if nothing can be counted.

    Internal requests of the registry are not counted. A standby counts nothing. Without the database, responses that need
    none are still sent.
    """
    if is_internal(request):
        return None
    try:
        client = client_key(request)
        reading, writing, *quota = policies(_valid_token(request))
        applied = [reading if is_reading else writing, *quota]
        return min((count(policy, client) for policy in applied), key=_strictness)
    except Error as error:
        if not is_unavailable(error):
            raise
        return None


def _strictness(allowance: Allowance) -> tuple[bool, int, int]:
    """The order of limits: first one that is exceeded, then by what remains, then the one that takes longest."""
    return (not allowance.is_exceeded, allowance.remaining, -allowance.resets_in)


def _valid_token(request: HttpRequest) -> Token | None:
    try:
        return token_of(request)
    except TokenRefused:
        return None


def client_key(request: HttpRequest) -> str:
    """The key of the client. Requests with an invalid token are counted by IP address."""
    token = _valid_token(request)
    return f"token {token.pk}" if token else _address_key(request)


def account_key(request: HttpRequest) -> str:
    """The key of the account of a valid token, of which it may have many, or of the IP address."""
    token = _valid_token(request)
    return f"account {token.owner_id}" if token else _address_key(request)


def _address_key(request: HttpRequest) -> str:
    try:
        address = ip_address(get_adapter().get_client_ip(request))
    except PermissionDenied:  # no address, as with a Unix socket: all these requests count as one client
        return "no address"
    if isinstance(address, IPv6Address):
        return str(IPv6Network((address, 64), strict=False))
    return str(address)
