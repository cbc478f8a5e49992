"""What actions on registers and requests are about, the reasons for which they are refused, and mails about them.

The locks are taken in this order: the account, the namespace, the organisations that hold it, the register and the entry, and the one
that gets the entry, in the order of their keys, as the end of all memberships of an account takes them; then the register, the entry, and
the request or the offer.

If much happens in a register on one day, those who decide get the rest of the mails in their daily mail.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from registry.accounts.locks import lock_open_account
from registry.accounts.models import User, addresses
from registry.actions.declarations import ActionContext, SubjectType
from registry.audit_log.history import VERSION, Detail, private
from registry.audit_log.models import Event
from registry.core.exceptions import NotPermitted, RegistryError
from registry.core.rate_limits import is_beyond
from registry.core.validators import TextRefused
from registry.mail import outbox
from registry.namespaces.models import Namespace
from registry.namespaces.subjects import NAMESPACE, NamespaceSubject
from registry.organisations.models import Organisation
from registry.organisations.subjects import share_organisation
from registry.registers.models import Entry, EntryOffer, EntryRequest, Register
from registry.registers.policies import Policy

REQUEST_NUMBER = private("request", int)
ENTRY_OFFER_NUMBER = private("entry_offer", int)
BELOW = Detail("below", str, "The prefix of the entry below which the register stands.").optional
ENTRY = Detail("entry", str, "The prefix of the entry of a register.")
POLICY = Detail("policy", str, "The policy of a register (RFC 8126, Section 4).")
PAGE = "registers:register"  # which events lead to
OF_ENTRY = (ENTRY, VERSION, REQUEST_NUMBER.optional)
STATUS = Detail("status", str, "The status that the entry got.").optional


class RegisterExists(RegistryError):
    """The namespace has a register already."""

    title = "The register is open already"


class RegisterNeedsProfile(RegistryError):
    """The namespace has no profile, so that its entries would not be consulted."""

    title = "The namespace has no profile"


class InvalidRegister(TextRefused, RegistryError):
    """The profile calls its sub-namespaces by another name, or it can't have a level for the register."""

    title = "The register does not fit the profile"


class StaleRegister(RegistryError):
    """The register was changed after it was read."""

    title = "The register has changed"


class RegisterUnchanged(RegistryError):
    """The register has this policy and these texts, or these fields, already."""

    title = "The register is unchanged"


class RegisterSuspended(RegistryError):
    """An administrator suspended the register: it takes no requests, decisions and entries."""

    title = "The register is suspended"


class NotSuspended(RegistryError):
    """The register is not suspended."""

    title = "The register is not suspended"


class RegisterEnded(RegistryError):
    """The namespace is deprecated, the sub-namespace around the register is retired, or no one holds it: no entries are added."""

    title = "The register takes no entries"


class PolicyForbids(RegistryError):
    """The policy of the register has no such action (RFC 8126, Section 4)."""

    title = "The policy of the register does not allow this"


class NoOrganisation(RegistryError):
    """A person holds the register, and decides on requests."""

    title = "Only an organisation names reviewers"


class InvalidReviewer(TextRefused, RegistryError):
    """The person is no member of the organisation, is a reviewer already, or is none."""

    title = "Not a reviewer"


class InvalidEntry(TextRefused, RegistryError):
    """The label is no prefix of names of the namespace, by its grammar and its levels."""

    title = "Not a label for an entry"


class EntryTaken(TextRefused, RegistryError):
    """The label is listed already, or another request for it is undecided. A label is never assigned twice."""

    title = "The label is taken"


class EntryLooksAlike(TextRefused, RegistryError):
    """The label could be mistaken for another one that is listed or requested (UTS #39, Section 4)."""

    title = "The label looks like another one"


class TooManyUndecided(RegistryError):
    """The person has as many undecided requests in the register as one person can have."""

    title = "Too many undecided requests"


class RequestDecided(RegistryError):
    """The request was decided on or withdrawn."""

    title = "The request is decided"


class RequestIncomplete(RegistryError):
    """The request lacks a value that the register asks for now, or has one that no longer fits its field."""

    title = "The request is not complete"


class StaleRequest(RegistryError):
    """The request was revised, or changes to it were asked for, after it was read."""

    title = "The request has changed"


class InvalidChange(TextRefused, RegistryError):
    """The entry says all of this already, or it can't have this status or this successor."""

    title = "The change does not fit the entry"


class StaleEntry(RegistryError):
    """The entry was changed after it was read, or it has another holder than the one who requested the change."""

    title = "The entry has changed"


class ChangeWaits(RegistryError):
    """Another change of the entry waits for a decision."""

    title = "A change of the entry waits"


class NothingFollows(RegistryError):
    """The profile says that nothing follows an entry of this level, so there is no register below it."""

    title = "Nothing follows the entry"


class InvalidRecall(RegistryError):
    """The entry is recalled already, or is not; or it has no holder who could answer, or one who answered lately."""

    title = "The recall is not possible"


class EntryOfferNotOpen(RegistryError):
    """The offer of an entry is no longer open, or another offer of it is."""

    title = "The offer is not possible"


class NamespaceOfRegister(NamespaceSubject):
    """A namespace below which a register is opened. Without a person who acts, no permission is read."""

    def lock(self, subject: Namespace, by: User | None) -> Namespace:
        return _lock_namespace(subject, by)


class RegisterSubject(SubjectType[Register]):
    def lock(self, subject: Register, by: User | None) -> Register:
        return lock_register(subject, by)

    def members(self, subject: Register) -> Mapping[str, Any]:
        return {"nid": subject.namespace.nid} | ({"below": subject.prefix} if subject.entry_id else {})

    def mark_changed(self, subject: Register) -> None:
        subject.namespace.mark_changed()


class EntryRequestSubject(SubjectType[EntryRequest]):
    def lock(self, subject: EntryRequest, by: User | None) -> EntryRequest:
        entry = lock_entry(subject.entry, by) if subject.entry else None
        register = entry.register if entry else lock_register(subject.register, by)
        found = EntryRequest.objects.select_for_update().get(pk=subject.pk)
        found.register, found.entry = register, entry
        return found

    def members(self, subject: EntryRequest) -> Mapping[str, Any]:
        return {"nid": subject.register.namespace.nid, "request": subject.pk}

    def mark_changed(self, subject: EntryRequest) -> None:
        subject.register.namespace.mark_changed()


class EntrySubject(SubjectType[Entry]):
    def lock(self, subject: Entry, by: User | None) -> Entry:
        return lock_entry(subject, by)

    def members(self, subject: Entry) -> Mapping[str, Any]:
        return {"nid": subject.register.namespace.nid, "entry": subject.subnamespace.prefix}

    def mark_changed(self, subject: Entry) -> None:
        subject.register.namespace.mark_changed()


class EntryOfferSubject(SubjectType[EntryOffer]):
    def lock(self, subject: EntryOffer, by: User | None) -> EntryOffer:
        entry = lock_entry(subject.entry, by)
        found = EntryOffer.objects.select_for_update().get(pk=subject.pk)
        found.entry = entry
        return found

    def members(self, subject: EntryOffer) -> Mapping[str, Any]:
        return {**ENTRY_OF_REGISTER.members(subject.entry), "entry_offer": subject.pk}

    def mark_changed(self, subject: EntryOffer) -> None:
        subject.entry.register.namespace.mark_changed()


NAMESPACE_OF_REGISTER, REGISTER, ENTRY_REQUEST = (
    NamespaceOfRegister(),
    RegisterSubject(),
    EntryRequestSubject(),
)
ENTRY_OF_REGISTER, ENTRY_OFFER = EntrySubject(), EntryOfferSubject()
MAILS_A_DAY = 10  # about one register at once; the others are in the daily mail


def _lock_namespace(
    namespace: Namespace, by: User | None, register: Register | None = None, entry: Entry | None = None
) -> Namespace:
    """Lock a namespace, and the organisations that hold it, one of its registers, and an entry."""
    if by is None:
        return NAMESPACE.lock(namespace, by)
    lock_open_account(by)
    return lock_holders(namespace, register, entry)


def lock_holders(
    namespace: Namespace, register: Register | None, entry: Entry | None, to: Organisation | None = None
) -> Namespace:
    """Lock a namespace, and share the organisations that hold it, a register and an entry, and the one that gets the entry.

    Who holds a register or an entry changes under the lock of the namespace alone, so it is read before their own locks.
    """
    locked = NAMESPACE.lock(namespace, None)
    holders = {locked.organisation_id, to.pk if to else None, *_organisations_around(register, entry)}
    for key in sorted(key for key in holders if key is not None):
        share_organisation(key)
    return locked


def _organisations_around(register: Register | None, entry: Entry | None) -> Iterator[int | None]:
    """The keys of the organisations that hold a register and an entry, as they are stored now."""
    if register is not None:
        yield from Register.objects.filter(pk=register.pk).values_list("branch__organisation", flat=True)
    if entry is not None:
        yield from Entry.objects.filter(pk=entry.pk).values_list("organisation", flat=True)


def lock_register(register: Register, by: User | None, entry: Entry | None = None) -> Register:
    """Lock a register, and share the organisations that hold it and its entry. Without a person who acts, no permission is read."""
    namespace = _lock_namespace(register.namespace, by, register, entry)
    found = Register.objects.select_for_update().get(pk=register.pk)
    found.namespace = namespace
    return found


def lock_entry(entry: Entry, by: User | None) -> Entry:
    """Lock an entry with its register."""
    register = lock_register(entry.register, by, entry)
    found = Entry.objects.select_for_update().get(pk=entry.pk)
    found.register, found.subnamespace.namespace = register, register.namespace
    return found


def register_of(subject: Register | EntryRequest | Entry | EntryOffer) -> Register:
    """The register on which, or on what belongs to which, an action is taken."""
    if isinstance(subject, Register):
        return subject
    return subject.entry.register if isinstance(subject, EntryOffer) else subject.register


def namespace_of(subject: Namespace | Register | EntryRequest | Entry | EntryOffer) -> Namespace:
    return subject if isinstance(subject, Namespace) else register_of(subject).namespace


def find_register(namespace: Namespace, entry: int | None = None) -> Register | None:
    """The register directly below a namespace, or below the entry with this key; None if none was opened."""
    found = Register.objects.filter(namespace=namespace, entry=entry).first()
    if found is not None:
        found.namespace = namespace
    return found


def get_register(namespace: Namespace, entry: int | None = None) -> Register:
    """The register directly below a namespace, or below an entry of it. Raises NotPermitted if none was opened."""
    found = find_register(namespace, entry)
    if found is None:
        below = f"entry {entry} of “{namespace.nid}”" if entry else f"“{namespace.nid}”"
        raise NotPermitted(f"There is no register below {below}.")
    return found


def get_entry(namespace: Namespace, key: int) -> Entry:
    """An entry of a register of the namespace. Raises NotPermitted if there is none."""
    found = Entry.objects.with_places().filter(register__namespace=namespace, pk=key).first()
    if found is None:
        raise NotPermitted(f"There is no entry {key} of “{namespace.nid}”.")
    found.register.namespace = found.subnamespace.namespace = namespace
    return found


def get_entry_offer(user: Any, entry: Entry, number: int) -> EntryOffer:
    """An offer of an entry. Raises NotPermitted unless `user` is a party to it."""
    offers = EntryOffer.objects.visible_to(user) if isinstance(user, User) else EntryOffer.objects.none()
    found = offers.select_related("offered_by").filter(entry=entry, pk=number).first()
    if found is None:
        raise NotPermitted(f"There is no offer {number} of this entry to which you are a party.")
    found.entry = entry
    return found


def get_request(user: Any, register: Register, number: int) -> EntryRequest:
    """Raises NotPermitted unless `user` may see the request."""
    visible = EntryRequest.objects.visible_to(user).select_related(
        "requested_by", "decided_by", "entry__subnamespace", "entry__organisation", "entry__person"
    )
    found = visible.filter(register=register, pk=number).first()
    if found is None:
        raise NotPermitted(f"There is no request {number} that you can see.")
    found.register = register
    if found.entry is not None:
        found.entry.register, found.entry.subnamespace.namespace = register, register.namespace
    return found


def get_request_of(user: Any, namespace: Namespace, number: int) -> EntryRequest:
    """A request in any register of a namespace. Raises NotPermitted unless `user` may see it."""
    found = Register.objects.filter(namespace=namespace, requests=number).first()
    if found is None:
        raise NotPermitted(f"There is no request {number} that you can see.")
    found.namespace = namespace
    return get_request(user, found, number)


def terms_of(policy: str) -> str:
    terms = Policy(policy)
    return f"“{terms.label}” (RFC 8126, Section {terms.section})"


def reviewers_of(request: EntryRequest) -> list[User]:
    """All who may decide on a request: not its author."""
    return [each for each in request.register.deciders if each.pk != request.requested_by_id]


def post(event: Event, register: Register, to: Iterable[User], **more: object) -> None:
    outbox.post(
        event.verb, to=addresses(to), context=_about(event, register, more), event_number=event.number
    )


def post_or_hold(event: Event, register: Register, to: Iterable[User], **more: object) -> None:
    """Mail people about a register; what is too much for a day is in their daily mail."""
    people = list(to)
    if people and is_beyond(MAILS_A_DAY, "mails about a register", f"register {register.pk}"):
        outbox.hold(event.verb, {each.pk for each in people}, _about(event, register, more))
    else:
        post(event, register, people, **more)


def _about(event: Event, register: Register, more: Mapping[str, object]) -> dict[str, object]:
    return {"register": register, "namespace": register.namespace, "event": event, **more}


def mail_holders(event: Event, context: ActionContext[Any]) -> None:
    """Mail the holders of the register that an action opened."""
    register = context.result
    post(event, register, register.holders)


def mail_all(event: Event, context: ActionContext[Register]) -> None:
    """Mail those who decide on requests in a register, and those whose requests wait."""
    register = context.subject
    waiting = User.objects.filter(pk__in=register.requests.undecided().values("requested_by"))
    post_or_hold(event, register, [*register.deciders, *waiting])


def mail_about_request(event: Event, context: ActionContext[EntryRequest]) -> None:
    """Mail those who decide on a request about what none of them did, and its author about what others did."""
    request, by = context.subject, context.by and context.by.pk
    more = {"entry_request": request, "comment": request.comments.last()}
    reviewers = reviewers_of(request)
    if by not in [each.pk for each in reviewers]:
        post_or_hold(event, request.register, reviewers, **more)
    if by != request.requested_by_id and request.requested_by.is_active:
        post(event, request.register, [request.requested_by], **more)


def mail_acceptance(event: Event, context: ActionContext[EntryRequest]) -> None:
    """Mail the requester, and the holders of the register and of a changed entry, for whom a reviewer accepted the entry."""
    mail_about_request(event, context)
    request = context.subject
    known = (context.actor.pk, request.requested_by_id)
    holders = {*request.register.holders, *(request.entry.holders if request.entry else ())}
    others = [each for each in holders if each.pk not in known]
    post_or_hold(event, request.register, others, entry_request=request)
