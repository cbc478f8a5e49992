"""Writing namespaces and revisions: what `assign` and the importer do, inside their transaction.

Who may, and the event, are the caller's: `cases.workflow.transitions.assign`, `publication`.
"""

from dataclasses import replace

from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from registry.accounts.models import User
from registry.core.exceptions import RegistryError
from registry.namespaces.models import InformalCounter, Kind, Namespace, Origin, Revision
from registry.namespaces.services.availability import NidTaken, check_available
from registry.registration_template.formatting import format_template
from registry.registration_template.registrant import Registrant
from registry.registration_template.template import RegistrationTemplate


class StaleRevision(RegistryError):
    """Another revision of the namespace was registered since this one was prepared."""

    title = "The namespace was revised meanwhile"


def register_formal(template: RegistrationTemplate, *, registrant: User) -> Revision:
    """Claim the NID that the template asks for. Raises NidNotRegistrable or NidTaken."""
    nid = template.namespace_identifier.lower()
    check_available(nid)
    try:
        with transaction.atomic():
            namespace = _create(nid, Kind.FORMAL, number=None, registrant=registrant)
    except IntegrityError as collision:
        # Another assignment was first, between our check and our insert.
        taken = Namespace.objects.filter(nid=nid).first()
        if taken is None:
            raise
        raise NidTaken(taken) from collision
    return add_revision(namespace, template, version=1)


def register_informal(template: RegistrationTemplate, *, registrant: User) -> Revision:
    """Assign the next number: `urn-N` (RFC 8141, section 5.2). The counter is held until the commit."""
    counter = InformalCounter.objects.select_for_update().get(pk=1)
    counter.last += 1
    counter.save(update_fields=["last"])
    namespace = _create(f"urn-{counter.last}", Kind.INFORMAL, number=counter.last, registrant=registrant)
    return add_revision(namespace, template, version=1)


def register_revision(namespace: Namespace, template: RegistrationTemplate) -> Revision:
    """Make the template version n+1 of the namespace. Raises StaleRevision when n has moved on."""
    namespace = Namespace.objects.select_for_update().get(pk=namespace.pk)
    version = namespace.version + 1
    if template.version != version:
        raise StaleRevision(
            f"This revision was written as version {template.version} of “{namespace.nid}”, "
            f"which is at version {namespace.version} now. Return it to the registrant, "
            "who can look at what changed and submit it again."
        )
    return add_revision(namespace, template, version=version)


def next_informal_nid() -> str:
    """What the next informal assignment will be called, if nobody is first."""
    return f"urn-{InformalCounter.objects.get(pk=1).last + 1}"


def lock_assignments() -> None:
    """Let nobody else register until this transaction ends; reading goes on.

    For an import, which compares with what is registered and then writes. The counter comes first, as in
    `register_informal`, so that the two never wait for each other; EXCLUSIVE, so that nobody locks a row
    and then waits for the table.
    """
    InformalCounter.objects.select_for_update().get(pk=1)
    with connection.cursor() as cursor:
        table = connection.ops.quote_name(Namespace._meta.db_table)
        cursor.execute(f"LOCK TABLE {table} IN EXCLUSIVE MODE")


def raise_informal_counter(number: int) -> None:
    """Make sure that numbers up to `number`, assigned elsewhere, are not given again."""
    InformalCounter.objects.filter(pk=1, last__lt=number).update(last=number)


def add_revision(
    namespace: Namespace, template: RegistrationTemplate, *, version: int, origin: Origin = Origin.REGISTRY
) -> Revision:
    """Store `template` as one version of `namespace`, and make it the latest if it is."""
    final = replace(template, namespace_identifier=namespace.nid, version=version)
    revision = Revision.objects.create(
        namespace=namespace,
        version=version,
        content=final.to_json(),
        text=format_template(final),
        digest=final.digest(),
        origin=origin,
    )
    if namespace.latest is None or namespace.latest.version < version:
        _make_latest(namespace, revision, final)
    return revision


def _create(nid: str, kind: Kind, *, number: int | None, registrant: User) -> Namespace:
    today = timezone.now().date().isoformat()
    return Namespace.objects.create(
        nid=nid, kind=kind, number=number, registrant=registrant, registered_on=today
    )


def _holder(registrant: Registrant) -> str:
    """Who holds the namespace, in a line that fits; many templates name them without a label, at first."""
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
