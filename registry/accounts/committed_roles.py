"""Comparison of roles with the audit log: a role without a grant is a fault."""

from collections.abc import Iterator

from registry.accounts.models import Role
from registry.audit_log.committed_texts import NamedText, differences, text_check
from registry.audit_log.models import Event


@text_check
def changed_roles() -> Iterator[str]:
    def recorded() -> Iterator[NamedText]:
        held: set[tuple[int, str]] = set()
        for event in Event.objects.filter(verb__in=("grant_role", "withdraw_role")).order_by("number"):
            role = (event.details["person"], event.details["role"])
            (held.add if event.verb == "grant_role" else held.discard)(role)
        for person, name in held:
            yield _roles_of(person), name

    def stored() -> Iterator[NamedText]:
        for person, name in Role.objects.values_list("user_id", "name").iterator():
            yield _roles_of(person), name

    yield from differences(recorded(), stored())


def _roles_of(person: int) -> str:
    return f"the roles of account {person}"
