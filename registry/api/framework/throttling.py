"""How much each client may ask for, counted in the database, so that all processes count together.

A client is a token; without a valid one, an address (of IPv6 the network /64, which one client has whole).
The headers are those of draft-ietf-httpapi-ratelimit-headers-10.
"""

import time
from dataclasses import dataclass
from ipaddress import IPv6Address, IPv6Network, ip_address
from math import ceil
from typing import Any

from allauth.account.adapter import get_adapter
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import OperationalError, connection
from django.http import HttpRequest
from rest_framework.exceptions import Throttled
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from registry.api.framework.authentication import TokenRefused, token_of
from registry.api.models import RequestCounter
from registry.publication.snapshot.internal_requests import is_internal

WINDOW_SECONDS = 60
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
COUNTER_KEPT_FOR = 3600
# One statement, and so one step: whoever comes at the same moment waits for the row and counts on.
COUNT = f"""
INSERT INTO {RequestCounter._meta.db_table} AS kept (key, began_at, spent) VALUES (%(key)s, %(now)s, 1)
ON CONFLICT (key) DO UPDATE SET
    spent = CASE WHEN kept.began_at <= %(now)s - %(window)s THEN 1 ELSE kept.spent + 1 END,
    began_at = CASE WHEN kept.began_at <= %(now)s - %(window)s THEN %(now)s ELSE kept.began_at END
RETURNING began_at, spent
"""  # noqa: S608 - our own name of a table


@dataclass(frozen=True, slots=True)
class Policy:
    """So many requests in a window of so many seconds, which begins with the first of them."""

    name: str
    quota: int
    window: int = WINDOW_SECONDS

    def __str__(self) -> str:
        return f'"{self.name}";q={self.quota};w={self.window}'


@dataclass(frozen=True, slots=True)
class Allowance:
    """What is left to a client of a policy; it is whole again in `resets_in` seconds."""

    policy: Policy
    spent: int
    resets_in: int

    @property
    def remaining(self) -> int:
        return max(0, self.policy.quota - self.spent)

    @property
    def headers(self) -> dict[str, str]:
        left = f'"{self.policy.name}";r={self.remaining};t={self.resets_in}'
        return {"RateLimit-Policy": str(self.policy), "RateLimit": left}


class TooManyRequests(Throttled):
    """More requests than a policy allows."""

    extra_detail_singular = "Try again in {wait} second."
    extra_detail_plural = "Try again in {wait} seconds."

    def __init__(self, allowance: Allowance) -> None:
        policy = allowance.policy
        super().__init__(
            allowance.resets_in,
            f"More than {policy.quota} requests in {policy.window} seconds, counted as “{policy.name}”.",
        )


class RequestThrottle(BaseThrottle):
    """Counts the request and stores what is left as `allowance` of the view. OPTIONS is not counted.

    REST framework's own throttles read and write a cache in two steps, so that simultaneous requests may
    be counted as one.
    """

    def allow_request(self, request: Request, view: Any) -> bool:
        if request.method != "OPTIONS":
            is_reading = getattr(view, "is_reading", False) or request.method in SAFE_METHODS
            view.allowance = count_request(request._request, is_reading=is_reading)
        self.allowance: Allowance | None = view.allowance
        return self.allowance is None or self.allowance.spent <= self.allowance.policy.quota

    def wait(self) -> float | None:
        return self.allowance.resets_in if self.allowance else None


def policies() -> tuple[Policy, Policy]:
    """Those for reading and for writing."""
    return Policy("read", settings.API_READS_A_MINUTE), Policy("write", settings.API_WRITES_A_MINUTE)


def count_request(request: HttpRequest, *, is_reading: bool) -> Allowance | None:
    """Count one request of the client, and say what is left; None while the database can't be asked.

    What the registry asks itself counts for nobody. Without the database, what needs none is answered all the
    same, and the rest says itself that it can't be.
    """
    if is_internal(request):
        return None
    try:
        return _count_request(request, policies()[not is_reading])
    except OperationalError:
        return None


def _count_request(request: HttpRequest, policy: Policy) -> Allowance:
    now = time.time()
    with connection.cursor() as cursor:
        cursor.execute(
            COUNT, {"key": f"{policy.name} {client_key(request)}", "now": now, "window": policy.window}
        )
        began_at, spent = cursor.fetchone()
    return Allowance(policy, spent, max(1, ceil(began_at + policy.window - now)))


def client_key(request: HttpRequest) -> str:
    """Who is counted. Whoever tries tokens that are none is counted by address."""
    try:
        token = token_of(request)
    except TokenRefused:
        token = None
    if token:
        return f"token {token.pk}"
    try:
        address = ip_address(get_adapter().get_client_ip(request))
    except PermissionDenied:  # there is none, as at a Unix socket: all who come that way are one client
        return "no address"
    if isinstance(address, IPv6Address):
        return str(IPv6Network((address, 64), strict=False))
    return str(address)


def delete_old_counters() -> int:
    """Remove what counts no more; how many there were."""
    deleted, _ = RequestCounter.objects.filter(began_at__lt=time.time() - COUNTER_KEPT_FOR).delete()
    return deleted
