"""Registration of namespaces and of their revisions, and whether a NID is available.

The caller opens the transaction, checks permissions and appends the event.
"""

from dataclasses import replace
from http import HTTPStatus

from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from registry.accounts.models import User
from registry.core.exceptions import RegistryError
from registry.namespaces.models import InformalCounter, Kind, Namespace, Origin, Revision, StoredTemplate
from registry.namespaces.search_terms import forget_unused_words
from registry.organisations.models import Organisation
from registry.registration_template.formatting import numbered_template
from registry.registration_template.nids.report import report_on
from registry.registration_template.nids.rules import KnownNIDs, registered
from registry.registration_template.sections import Registrant
from registry.registration_template.template import RegistrationTemplate


class NIDNotRegistrable(RegistryError):
    """The NID can't be registered for a formal namespace (RFC 8141, Sections 2.1 and 5.1)."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "This NID can't be registered"


class NIDTaken(RegistryError):
    """The NID is already registered (RFC 8141, Section 5.1 (1)). A NID is never reused."""

    title = "This NID is already registered"

    def __init__(self, namespace: Namespace) -> None:
        super().__init__(f"{registered(namespace).message} (RFC 8141, Section 5.1 (1))")
        self.namespace = namespace


class RegisteredNIDs(KnownNIDs):
    """The facts that an assignment is checked against: the registered namespaces."""

    def namespace(self, nid: str) -> Namespace | None:
        return Namespace.objects.filter(nid=nid).first()


def check_available(nid: str) -> None:
    """Raise NIDNotRegistrable or NIDTaken if `nid` can't be assigned to a formal namespace now."""
    report = report_on(nid, RegisteredNIDs())
    if isinstance(report.namespace, Namespace):
        raise NIDTaken(report.namespace)
    if not report.status.is_requestable:
        raise NIDNotRegistrable(report.reason)


class StaleRevision(RegistryError):
    """Another revision of the namespace has been registered since this one was prepared."""

    title = "The namespace has a newer version"


def register_formal(
    template: RegistrationTemplate, approved: StoredTemplate | None = None, *, registrant: User | Organisation
) -> Revision:
    """Register the NID that the template requests. Raises NIDNotRegistrable or NIDTaken."""
    nid = template.namespace_identifier.lower()
    check_available(nid)
    try:
        with transaction.atomic():
            namespace = _create(nid, Kind.FORMAL, number=None, registrant=registrant)
    except IntegrityError as collision:
        # A concurrent assignment inserted the NID after the check above.
        taken = Namespace.objects.filter(nid=nid).first()
        if taken is None:
            raise
        raise NIDTaken(taken) from collision
    return add_revision(namespace, template, approved, version=1)


def register_informal(
    template: RegistrationTemplate, approved: StoredTemplate | None = None, *, registrant: User | Organisation
) -> Revision:
    """Assign the next number, which takes the place of `urn-N` in the text (RFC 8141, Section 5.2). The counter is
    locked until the commit.
    """
    counter = InformalCounter.objects.select_for_update().get(pk=1)
    counter.last += 1
    counter.save(update_fields=["last"])
    namespace = _create(f"urn-{counter.last}", Kind.INFORMAL, number=counter.last, registrant=registrant)
    return add_revision(namespace, numbered_template(template, namespace.nid), approved, version=1)


def register_revision(
    namespace: Namespace, template: RegistrationTemplate, approved: StoredTemplate | None = None
) -> Revision:
    """Register the template as the next version. Raises StaleRevision if it was written for another version."""
    namespace = Namespace.objects.select_for_update().get(pk=namespace.pk)
    version = namespace.version + 1
    if template.version != version:
        raise StaleRevision(
            f"This revision is for version {template.version} of “{namespace.nid}”, but the namespace is at "
            f"version {namespace.version} now. Return the case to the registrant, who can compare the versions "
            "and submit again."
        )
    return add_revision(namespace, template, approved, version=version)


def next_informal_nid() -> str:
    """The NID of the next informal namespace. A concurrent assignment may take it first."""
    return f"urn-{InformalCounter.objects.get(pk=1).last + 1}"


def lock_assignments() -> None:
    """Block other registrations until this transaction ends; reads continue.

    An import compares its file with the registered namespaces and then writes. The counter is locked first, as in
    `register_informal`, to avoid deadlocks. EXCLUSIVE mode also blocks row locks, for the same reason.
    """
    InformalCounter.objects.select_for_update().get(pk=1)
    with connection.cursor() as cursor:
        table = connection.ops.quote_name(Namespace._meta.db_table)
        cursor.execute(f"LOCK TABLE {table} IN EXCLUSIVE MODE")


def raise_informal_counter(number: int) -> None:
    """Reserve the numbers up to `number`, which were assigned elsewhere."""
    InformalCounter.objects.filter(pk=1, last__lt=number).update(last=number)


def add_revision(
    namespace: Namespace,
    template: RegistrationTemplate,
    approved: StoredTemplate | None = None,
    *,
    version: int,
    origin: Origin = Origin.REGISTRY,
) -> Revision:
    """Store `template` as a version of `namespace`, and update the namespace if it is the latest.

    `approved` is the round that is registered. Its digest is that of the version, unless the registry changes the text.
    """
    final = replace(template, namespace_identifier=namespace.nid, version=version)
    revision = Revision.objects.create(
        namespace=namespace,
        version=version,
        origin=origin,
        **Revision.columns_of(final, approved),
    )
    if namespace.latest is None or namespace.latest.version < version:
        _make_latest(namespace, revision, final)
    return revision


def update_holder(namespace: Namespace, *, erased: Registrant) -> None:
    """Copy the holder from the latest version again, because `erased` was erased from one of the versions.

    The vocabulary of searches forgets the words that the namespace had from this version.
    """
    namespace = Namespace.objects.select_related("latest").get(pk=namespace.pk)
    names = [namespace.holder, _holder(erased)]
    if namespace.latest is not None:
        namespace.holder = _holder(namespace.latest.template.registrant)
    namespace.changed_at = timezone.now()
    namespace.save(update_fields=["holder", "changed_at"])
    forget_unused_words(*names)


def _create(nid: str, kind: Kind, *, number: int | None, registrant: User | Organisation) -> Namespace:
    today = timezone.now().date().isoformat()
    belongs_to = {"organisation" if isinstance(registrant, Organisation) else "registrant": registrant}
    return Namespace.objects.create(nid=nid, kind=kind, number=number, registered_on=today, **belongs_to)


def _holder(registrant: Registrant) -> str:
    """The name of the holder, shortened to fit; many templates give it without a label in the first line."""
    first_line = registrant.other.strip().partition("\n")[0].strip(" ,;")
    holder = registrant.organization or registrant.contact_person or first_line
    return holder[: Namespace._meta.get_field("holder").max_length]


def _make_latest(namespace: Namespace, revision: Revision, template: RegistrationTemplate) -> None:
    now = timezone.now()
    namespace.latest = revision
    namespace.holder = _holder(template.registrant)
    namespace.purpose = template.purpose
    namespace.changed_at = now
    fields = ["latest", "holder", "purpose", "changed_at"]
    if revision.version > 1 and revision.origin == Origin.REGISTRY:
        namespace.updated_on = now.date().isoformat()
        fields.append("updated_on")
    namespace.save(update_fields=fields)
