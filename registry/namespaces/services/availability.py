"""The check of a NID before its assignment, by the rules of the NID report (RFC 8141, Section 5.1)."""

from http import HTTPStatus

from registry.core.exceptions import RegistryError
from registry.namespaces.models import Namespace
from registry.registration_template.nids.findings import KnownNIDs
from registry.registration_template.nids.report import report_on
from registry.registration_template.nids.rules import registered


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
