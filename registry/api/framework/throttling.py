"""Rate limits of the API for each client.

A client is a token or, without a valid token, an IP address (for IPv6, the /64 network). The headers follow
draft-ietf-httpapi-ratelimit-headers-10.
"""

from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import Any

from allauth.account.adapter import get_adapter
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import Error
from django.http import HttpRequest
from rest_framework.exceptions import Throttled
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from registry.api.framework.authentication import TokenRefused, token_of
from registry.core.database.errors import is_unavailable
from registry.core.rate_limits import Allowance, Policy, count
from registry.publication.snapshot.internal_requests import is_internal

WINDOW_SECONDS = 60
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")


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


def policies() -> tuple[Policy, Policy]:
    """The limits for reading and for writing."""
    return (
        Policy("read", settings.API_READS_A_MINUTE, WINDOW_SECONDS),
        Policy("write", settings.API_WRITES_A_MINUTE, WINDOW_SECONDS),
    )


def count_request(request: HttpRequest, *, is_reading: bool) -> Allowance | None:
    """Count one request of the client, and return what remains; None if the database can't count it.

    Internal requests of the registry are not counted. A standby counts nothing. Without the database, responses that need
    none are still sent.
    """
    if is_internal(request):
        return None
    try:
        return count(policies()[not is_reading], client_key(request))
    except Error as error:
        if not is_unavailable(error):
            raise
        return None


def client_key(request: HttpRequest) -> str:
    """The key of the client. Requests with an invalid token are counted by IP address."""
    try:
        token = token_of(request)
    except TokenRefused:
        token = None
    if token:
        return f"token {token.pk}"
    try:
        address = ip_address(get_adapter().get_client_ip(request))
    except PermissionDenied:  # no address, as with a Unix socket: all these requests count as one client
        return "no address"
    if isinstance(address, IPv6Address):
        return str(IPv6Network((address, 64), strict=False))
    return str(address)
