"""May this NID be assigned? RFC 8141, section 5.1, asked of the syntax and of the registry."""

from http import HTTPStatus

from registry.core.exceptions import RegistryError
from registry.namespaces.models import Namespace
from urnsyntax import nid as nid_syntax


class NidNotRegistrable(RegistryError):
    """The NID can't be a formal namespace's, whoever asks (RFC 8141, sections 2.1 and 5.1)."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "This NID can't be registered"


class NidTaken(RegistryError):
    """The NID is registered already (RFC 8141, section 5.1 (1)); it is never assigned again."""

    title = "This NID is taken"

    def __init__(self, namespace: Namespace) -> None:
        day = namespace.registered_on
        registered = f"has been registered since {day}" if day else "is registered"
        super().__init__(
            f"“{namespace.nid}” {registered}. A NID is never reused (RFC 8141, section 5.1 (1)). "
            "Request another NID, or revise that namespace if you are its registrant."
        )
        self.namespace = namespace


def check_available(nid: str) -> None:
    """Raise NidNotRegistrable or NidTaken unless a formal namespace may have `nid` now."""
    status = nid_syntax.classify(nid)
    if not status.is_registrable:
        raise NidNotRegistrable(status.reason)
    if taken := Namespace.objects.filter(nid=nid.lower()).first():
        raise NidTaken(taken)
