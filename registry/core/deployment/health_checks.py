"""Checks of the state of a running deployment, each declared once with `@health_check`.

They are deployment checks of Django for databases: `manage.py check --deploy --database default` and `manage.py doctor`
run all of them, `/health/ready` those that concern a web process. Checks of settings alone are ordinary deployment checks.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.core import checks
from django.db import DatabaseError, InterfaceError

from registry.core.database.errors import first_line

Findings = list[checks.CheckMessage]


class Scope(StrEnum):
    """The consequence of a finding for `/health/ready`."""

    NEEDED = "needed"  # the process can't serve: 503
    DEGRADING = "degrading"  # named, but the process goes on to serve
    DOCTOR = "doctor"  # not a matter of one process: only the command tells


class State(StrEnum):
    """The state of a part of the deployment."""

    OK = "ok"
    FAILED = "failed"
    UNKNOWN = "unknown"  # not checked, because a part that it needs failed


@dataclass(frozen=True, slots=True)
class HealthCheck:
    """A part of the deployment, and the function that finds what is wrong with it."""

    part: str
    scope: Scope
    find: Callable[[], Findings]
    others_need_it: bool = False

    def run(self) -> Findings:
        """Return the findings. A failure of the database is one, not an exception."""
        try:
            return self.find()
        except (DatabaseError, InterfaceError) as error:
            return [
                checks.Error(
                    f"The check of “{self.part}” failed: {first_line(error)}",
                    hint="Check the server, DATABASE_URL, and the privileges of its role (docs/deployment.md).",
                    id="deployment.E001",
                )
            ]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The state of a part, and the findings that explain it."""

    check: HealthCheck
    state: State
    findings: tuple[checks.CheckMessage, ...] = ()


# In the order of declaration: parts that others need come first.
HEALTH_CHECKS: list[HealthCheck] = []


def health_check(
    part: str, scope: Scope, *, others_need_it: bool = False
) -> Callable[[Callable[[], Findings]], Callable[[], Findings]]:
    """Declare a check of the state of `part`, and register it with Django."""

    def declare(find: Callable[[], Findings]) -> Callable[[], Findings]:
        declared = HealthCheck(part, scope, find, others_need_it)
        HEALTH_CHECKS.append(declared)

        def run_for_django(*, databases: Iterable[str] | None = None, **kwargs: Any) -> Findings:
            return declared.run() if databases else []

        checks.register(run_for_django, checks.Tags.database, deploy=True)
        return find

    return declare


def examine(scopes: Iterable[Scope] = Scope) -> list[Outcome]:
    """Run the checks of these scopes. If one that others need fails, the others are unknown."""
    outcomes: list[Outcome] = []
    for check in (each for each in HEALTH_CHECKS if each.scope in set(scopes)):
        if any(each.check.others_need_it and each.state is State.FAILED for each in outcomes):
            outcomes.append(Outcome(check, State.UNKNOWN))
            continue
        findings = tuple(each for each in check.run() if not each.is_silenced())
        outcomes.append(Outcome(check, State.FAILED if findings else State.OK, findings))
    return outcomes
