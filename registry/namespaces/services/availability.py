"""The check of a NID before it is assigned, by the same rules as the report on it (RFC 8141, Section 5.1)."""

from http import HTTPStatus

from registry.core.exceptions import RegistryError
from registry.namespaces.models import Namespace
from registry.registration_template.nids.findings import KnownNIDs
from registry.registration_template.nids.report import report_on
from registry.registration_template.nids.rules import registered


class NidNotRegistrable(RegistryError):
    """The NID can't be a formal namespace's, whoever asks (RFC 8141, sections 2.1 and 5.1)."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "This NID can't be registered"


class NidTaken(RegistryError):
    """The NID is registered already (RFC 8141, section 5.1 (1)); it is never assigned again."""

    title = "This NID is taken"

    def __init__(self, namespace: Namespace) -> None:
        super().__init__(f"{registered(namespace).message} (RFC 8141, section 5.1 (1))")
        self.namespace = namespace


class RegisteredNIDs(KnownNIDs):
    """The facts that decide whether a NID can be assigned: the registered namespaces."""

    def namespace(self, nid: str) -> Namespace | None:
        return Namespace.objects.filter(nid=nid).first()


def check_available(nid: str) -> None:
    """Raise NidNotRegistrable or NidTaken unless a formal namespace may have `nid` now."""
    report = report_on(nid, RegisteredNIDs())
    if isinstance(report.namespace, Namespace):
        raise NidTaken(report.namespace)
    if not report.status.is_askable:
        raise NidNotRegistrable(report.reason)
