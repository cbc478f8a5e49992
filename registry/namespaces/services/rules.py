"""Setting the naming rules of a namespace."""

from dataclasses import asdict

from django.db import transaction
from django.utils import timezone

from registry.accounts.models import User
from registry.accounts.services.roles import lock_roles
from registry.audit_log import log
from registry.core.exceptions import NotPermitted, RegistryError
from registry.core.text_limits import MAX_BASIS_LENGTH
from registry.core.validators import check_text
from registry.namespaces import permissions
from registry.namespaces.models import Namespace, RulesVersion
from registry.namespaces.rules.naming_rules import Rules, parse_rules
from registry.namespaces.services.notifications import notify_of_rules


class StaleRules(RegistryError):
    """Other rules were set after the version given in `replaces`. The member `current` is their version."""

    title = "The rules have changed"

    def __init__(self, namespace: Namespace, current: int) -> None:
        now = f"version {current} of its rules" if current else "no rules"
        super().__init__(f"“{namespace.nid}” now has {now}. Read the current rules before you replace them.")
        self.current = current
        self.members = {"current": current}


class RulesUnchanged(RegistryError):
    """The rules and their basis are already set, or there are no rules to remove."""

    title = "The rules are unchanged"


def check_may_set_rules(namespace: Namespace, *, by: User) -> None:
    if not permissions.is_administrator(by, namespace):
        raise NotPermitted(
            f"Only an administrator who is not its registrant can set rules for “{namespace.nid}”."
        )


@transaction.atomic
def set_rules(
    namespace: Namespace,
    *,
    by: User,
    basis: str,
    replaces: int,
    nss_pattern: str = "",
    ignores_case: bool = False,
    ignored_characters: str = "",
) -> RulesVersion:
    """Set the naming rules of a namespace. Empty rules remove the current ones.

    `basis` refers to the text of the registration. `replaces` is the current version of the rules, 0 if none were set.
    """
    namespace = Namespace.objects.select_for_update().get(pk=namespace.pk)
    lock_roles(by)
    check_may_set_rules(namespace, by=by)
    last = namespace.rules_versions.last()
    current = last.version if last else 0
    if replaces != current:
        raise StaleRules(namespace, current)
    rules = parse_rules(
        nss_pattern=nss_pattern, ignores_case=ignores_case, ignored_characters=ignored_characters
    )
    basis = check_text(basis, "the basis in the registration", longest=MAX_BASIS_LENGTH)
    _check_new(namespace, last, rules, basis)
    namespace.changed_at = timezone.now()
    namespace.save(update_fields=["changed_at"])
    made = RulesVersion.objects.create(
        namespace=namespace,
        version=current + 1,
        basis=basis,
        set_by=by,
        set_at=namespace.changed_at,
        **asdict(rules),
    )
    namespace.refresh_from_db(fields=["rules"])
    details = {"version": made.version, "outcome": "removed" if rules.is_empty else "set", **asdict(rules)}
    event = log.append("set_rules", by=by, nid=namespace.nid, reason=basis, **details)
    notify_of_rules(event, made)
    return made


def _check_new(namespace: Namespace, last: RulesVersion | None, rules: Rules, basis: str) -> None:
    """Raise RulesUnchanged if the rules and their basis would not change."""
    if rules.is_empty and (last is None or last.value.is_empty):
        raise RulesUnchanged(f"“{namespace.nid}” has no rules to remove.")
    if last is not None and (last.value, last.basis) == (rules, basis):
        raise RulesUnchanged(f"“{namespace.nid}” already has these rules: version {last.version}.")
