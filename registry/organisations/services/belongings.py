"""The cases and namespaces of an organisation, which show its name and its verified domains.

A change of these is recorded in their histories, too, so that feeds, snapshots and copies of the registry follow it.
"""

from collections.abc import Iterable
from typing import Any

from registry.accounts.models import User
from registry.audit_log import log
from registry.organisations.models import Organisation


def lock_belongings(organisation: Organisation) -> None:
    """Lock the cases and namespaces of an organisation, which other actions lock before it."""
    for rows in (organisation.cases, organisation.namespaces):
        list(rows.select_for_update().order_by("pk").values_list("pk"))


def record_rename(organisation: Organisation, *, by: User) -> None:
    """Record in each case and namespace that the locked organisation has another name."""
    cases, namespaces = list(organisation.cases.order_by("pk")), list(organisation.namespaces.order_by("pk"))
    _mark_changed([*cases, *namespaces])
    subjects: list[dict[str, Any]] = [{"case": each.pk} for each in cases]
    for subject in subjects + [{"nid": each.nid} for each in namespaces]:
        log.append("rename_organisation", by=by, organisation=organisation.pk, **subject)


def record_domain(organisation: Organisation, *, by: User | None, domain: str) -> None:
    """Record in each namespace that this domain of the locked organisation is now verified, or no longer."""
    namespaces = list(organisation.namespaces.order_by("pk"))
    _mark_changed(namespaces)
    for each in namespaces:
        log.append("change_domains", by=by, nid=each.nid, organisation=organisation.pk, domain=domain)


def _mark_changed(rows: Iterable[Any]) -> None:
    for each in rows:
        each.mark_changed()
