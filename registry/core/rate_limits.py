"""Rate limits, counted in the database for all processes together."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import timedelta
from functools import wraps
from http import HTTPStatus
from math import ceil
from typing import Any, TypeVar

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.db import connection
from django.utils import timezone

from registry.core.database.connections import on_primary
from registry.core.exceptions import RegistryError
from registry.core.models import Counter

AnyFunction = TypeVar("AnyFunction", bound=Callable[..., Any])
HOUR, DAY = 3600, 86_400
# The actions that `counted_before` has counted for this request.
_counted: ContextVar[frozenset[str]] = ContextVar("counted", default=frozenset())
# A single statement, so that concurrent requests are all counted. A window that begins far in the future, because the
# clock was ahead, counts as expired.
COUNT = f"""
INSERT INTO {Counter._meta.db_table} AS kept (key, began_at, spent) VALUES (%(key)s, %(now)s, 1)
ON CONFLICT (key) DO UPDATE SET
    spent = CASE WHEN abs(%(now)s - kept.began_at) >= %(window)s THEN 1 ELSE kept.spent + 1 END,
    began_at = CASE WHEN abs(%(now)s - kept.began_at) >= %(window)s THEN %(now)s ELSE kept.began_at END
RETURNING began_at, spent
"""  # nosec B608  # the name of a table of this project
# The longest window of django-allauth's limits is an hour. The clocks of hosts differ a little: a counter that another one
# has just begun is kept.
MAX_CLOCK_DIFFERENCE = timedelta(minutes=1)
DELETE_SIGN_IN_COUNTERS = "DELETE FROM core_cache WHERE cache_key LIKE '%%allauth:rl:%%' AND expires > %s"


@dataclass(frozen=True, slots=True)
class Policy:
    """A limit of `quota` in `window` seconds, which begin with the first request or action."""

    name: str
    quota: int
    window: int

    def __str__(self) -> str:
        return f'"{self.name}";q={self.quota};w={self.window}'


@dataclass(frozen=True, slots=True)
class Allowance:
    """What a client has left; the quota is available again in `resets_in` seconds."""

    policy: Policy
    spent: int
    resets_in: int

    @property
    def is_exceeded(self) -> bool:
        return self.spent > self.policy.quota

    @property
    def remaining(self) -> int:
        return max(0, self.policy.quota - self.spent)

    @property
    def headers(self) -> dict[str, str]:
        left = f'"{self.policy.name}";r={self.remaining};t={self.resets_in}'
        return {"RateLimit-Policy": str(self.policy), "RateLimit": left}


class LimitExceeded(RegistryError):
    """The limit of an account for an action in an hour; in a day, that for requests in one register, or of a case for posts."""

    status = HTTPStatus.TOO_MANY_REQUESTS
    title = "Limit exceeded"

    def __init__(self, allowance: Allowance, whose: str) -> None:
        policy, minutes = allowance.policy, ceil(allowance.resets_in / 60)
        period = "an hour" if policy.window == HOUR else "a day"
        super().__init__(
            f"The limit is {policy.quota} {policy.name} {period} {whose}. "
            f"Try again in {minutes} minute{'s' if minutes > 1 else ''}."
        )
        self.headers = {"Retry-After": str(allowance.resets_in)}
        self.until = timezone.now() + timedelta(seconds=allowance.resets_in)


def count(policy: Policy, client: str) -> Allowance:
    """Count one request or action of the client."""
    now = time.time()
    with on_primary(), connection.cursor() as cursor:
        cursor.execute(COUNT, {"key": f"{policy.name} {client}", "now": now, "window": policy.window})
        began_at, spent = cursor.fetchone()
    return Allowance(policy, spent, max(1, ceil(began_at + policy.window - now)))


def limited(name: str) -> Callable[[AnyFunction], AnyFunction]:
    """Decorate an action, one of settings.ACTIONS_AN_HOUR, to count each attempt of its keyword argument `by`.

    It is counted before the transaction of the action, so that the count survives if the action is refused.
    """

    def decorate(action: AnyFunction) -> AnyFunction:
        @wraps(action)
        def counted(*args: Any, by: AbstractBaseUser, **kwargs: Any) -> Any:
            count_attempt(name, by=by)
            return action(*args, by=by, **kwargs)

        return counted  # type: ignore[return-value]

    return decorate


def count_attempt(name: str, *, by: AbstractBaseUser) -> None:
    """Count an action, unless `counted_before` has. Call it before the transaction. Raises LimitExceeded."""
    if name not in _counted.get():
        count_action(name, by=by)


@contextmanager
def counted_before(*names: str, by: AbstractBaseUser) -> Iterator[None]:
    """Count actions before a transaction in which several are made. Raises LimitExceeded.

    Otherwise the second would wait for its counter while it holds the locks of the first, and could cause a deadlock.
    """
    for name in names:
        count_action(name, by=by)
    token = _counted.set(frozenset(names))
    try:
        yield
    finally:
        _counted.reset(token)


def count_action(name: str, *, by: AbstractBaseUser) -> None:
    """Count an action of an account, one of settings.ACTIONS_AN_HOUR. Raises LimitExceeded."""
    _check(
        count(Policy(name, settings.ACTIONS_AN_HOUR[name], HOUR), f"account {by.pk}"),
        "for each account. Refused attempts count, too",
    )


def count_post(case: int) -> None:
    """Count a post of a case to the discussion list. Raises LimitExceeded.

    Call it in the transaction of the post, after the lock of the case: only what is posted counts.
    """
    policy = Policy("posts to the discussion list", settings.POSTS_A_DAY, DAY)
    _check(count(policy, f"case {case}"), "for each case")


def count_entry_request(register: int, account: int) -> None:
    """Count a request of an account for an entry of a register, a change of it or a comment on it. Raises LimitExceeded.

    Those of withdrawn requests count, too. Call it in the transaction of the request, after the lock of the register: only what
    is made counts.
    """
    policy = Policy("requests for entries, changes and comments", settings.ENTRY_REQUESTS_A_DAY, DAY)
    _check(count(policy, f"register {register} account {account}"), "for each account and register")


def is_beyond(quota: int, name: str, client: str) -> bool:
    """Count something of the client, and return whether there was more than the quota in a day."""
    return count(Policy(name, quota, DAY), client).is_exceeded


def _check(allowance: Allowance, whose: str) -> None:
    if allowance.is_exceeded:
        raise LimitExceeded(allowance, whose)


def delete_old_counters() -> int:
    """Delete expired counters and those of a clock that was ahead, and return their number.

    Those that a transaction counts now are left: it may wait for one that this would hold.
    """
    now = time.time()
    expired = Counter.objects.exclude(began_at__range=(now - DAY, now + DAY))
    unlocked = expired.select_for_update(skip_locked=True).values("pk")
    deleted, _ = Counter.objects.filter(pk__in=unlocked).delete()
    return deleted


def delete_sign_in_counters_ahead() -> int:
    """Delete the counters of django-allauth that end later than any of its windows, and return their number.

    They were counted while the clock was ahead by more than a minute. Their clients would be refused until the clock reaches that time.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            DELETE_SIGN_IN_COUNTERS, [timezone.now() + timedelta(seconds=HOUR) + MAX_CLOCK_DIFFERENCE]
        )
        deleted: int = cursor.rowcount
    return deleted
