"""The registers of a namespace, from the outermost to the innermost, and who holds the branches among them.

A branch is an entry with all names below it. Its holder holds the registers below it, but for those in inner branches: so each
register has a column with the innermost entry around it that has a holder of its own, and one join says who holds it. An entry
gets or loses its holder under the lock of its namespace, which all who open registers below it hold.
"""

from collections.abc import Collection, Iterator

from django.db.models import F, Q, QuerySet

from registry.accounts.models import User
from registry.namespaces.models import Namespace
from registry.organisations.models import Controller, Organisation
from registry.registers.models import Entry, EntryRequest, Register
from registry.subnamespaces.models import HIGHEST, SubNamespace


def registers_of(namespace: Namespace, among: Q | None = None) -> Iterator[Register]:
    """The registers of a namespace, or some of them, the outer ones first."""
    found = Register.objects.filter(among or Q(), namespace=namespace)
    outer_first = F("entry__subnamespace__key").asc(nulls_first=True)
    for each in found.select_related("entry__subnamespace").order_by(outer_first).iterator():
        each.namespace = namespace
        yield each


def registers_around(namespace: Namespace, keys: Collection[str]) -> list[Register]:
    """The registers around these normalized prefixes, the outer ones first."""
    profile = namespace.current_profile
    walker = profile.walker if profile else None
    around = {prefix for key in keys for prefix in walker.prefixes(key)} if walker else set()
    # A second query, which begins with the prefixes, and not with all registers of the namespace.
    inside = {"entry__subnamespace__namespace": namespace, "entry__subnamespace__key__any": sorted(around)}
    found = [*registers_of(namespace, Q(entry=None)), *registers_of(namespace, Q(**inside))]
    return sorted(found, key=lambda each: each.place.key_before)


def rows_in(register: Register) -> QuerySet[SubNamespace]:
    """The sub-namespaces in a register, however deep."""
    rows, before = SubNamespace.objects.filter(namespace=register.namespace), register.place.key_before
    return rows.filter(key__gt=before, key__lt=f"{before}{HIGHEST}") if before else rows


def requests_in(register: Register) -> list[EntryRequest]:
    """The undecided requests for new entries of a register, which share what they know of it."""
    waiting = list(register.requests.undecided().for_new_entries())
    for each in waiting:
        each.register = register
    return waiting


def set_holder(entry: Entry, to: User | Organisation | None) -> Controller:
    """Give a locked entry another holder, or None if it goes back to the holder of its register. Returns the holder before. Their
    contact, and a recall of the entry, are removed.

    The registers below it, but for those in inner branches, are held by the holder of the entry from now on.
    """
    former, outer = entry.controller, entry.register.branch_id
    entry.person = to if isinstance(to, User) else None
    entry.organisation = to if isinstance(to, Organisation) else None
    vars(entry).pop("own_holders", None)
    entry.contact, entry.recall_ends_at, entry.kept_at = "", None, None
    entry.save(update_fields=["person", "organisation", "contact", "recall_ends_at", "kept_at"])
    if former.is_known and not entry.controller.is_known:
        Register.objects.filter(branch=entry).update(branch=outer)
    elif entry.controller.is_known and not former.is_known:
        key = entry.subnamespace.key
        inside = {"entry__subnamespace__key__gte": key, "entry__subnamespace__key__lt": f"{key}{HIGHEST}"}
        registers = Register.objects.filter(namespace=entry.register.namespace, branch=outer, **inside)
        # Not those below another entry whose label only begins with the same letters.
        below = [each.pk for each in registers.select_related("entry__register") if _is_below(each, entry)]
        Register.objects.filter(pk__in=below).update(branch=entry)
    return former


def _is_below(register: Register, entry: Entry) -> bool:
    """Whether a register is below an entry, directly or further below."""
    while register.entry is not None:
        if register.entry == entry:
            return True
        register = register.entry.register
    return False
