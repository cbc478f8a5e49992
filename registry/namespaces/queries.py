"""From an address to a namespace or a version of it, or to a sentence that says why there is none."""

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus

from django.http import HttpRequest, HttpResponsePermanentRedirect
from django.http.response import HttpResponseBase

from registry.core.exceptions import RegistryError
from registry.namespaces.models import Namespace, Revision
from registry.registration_template.normal_form import MAX_VERSION
from urnsyntax.nid import is_well_formed


class NotRegistered(RegistryError):
    """No namespace has this NID."""

    status = HTTPStatus.NOT_FOUND
    title = "This namespace is not registered"

    def __init__(self, nid: str) -> None:
        super().__init__(f"No namespace “{nid}” is registered here.")
        self.nid = nid


class NoSuchVersion(RegistryError):
    """The namespace has no such version, or its text is published elsewhere."""

    status = HTTPStatus.NOT_FOUND
    title = "There is no such version"

    def __init__(self, nid: str, version: int) -> None:
        super().__init__(f"The registry holds no text of version {version} of “{nid}”.")


class TooFewVersions(RegistryError):
    """A difference needs two versions."""

    status = HTTPStatus.NOT_FOUND
    title = "There is nothing to compare"

    def __init__(self, nid: str) -> None:
        super().__init__(f"The registry holds the text of fewer than two versions of “{nid}”.")


def find_namespace(nid: str) -> Namespace | None:
    """The namespace with this NID, in lower case, with its latest revision; None if there is none."""
    # What is no NID is not asked of the database: a NUL, for one, it would refuse.
    if not is_well_formed(nid):
        return None
    return Namespace.objects.select_related("latest", "successor", "rules").filter(nid=nid).first()


def get_namespace(nid: str) -> Namespace:
    """As `find_namespace`. Raises NotRegistered."""
    found = find_namespace(nid)
    if found is None:
        raise NotRegistered(nid)
    return found


def get_revision(nid: str, version: int) -> Revision:
    """One version of a namespace. Raises NotRegistered or NoSuchVersion."""
    namespace = get_namespace(nid)
    found = namespace.revisions.filter(version=version).first() if version <= MAX_VERSION else None
    if found is None:
        raise NoSuchVersion(nid, version)
    found.namespace = namespace
    return found


def redirect_to_lower_case(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Lead every spelling of a NID to the one address of its namespace: case says nothing (section 2.1)."""

    @wraps(view)
    def answer(request: HttpRequest, nid: str, **rest: object) -> HttpResponseBase:
        if nid != nid.lower() and is_well_formed(nid):
            path = request.get_full_path().replace(f"/{nid}/", f"/{nid.lower()}/", 1)
            return HttpResponsePermanentRedirect(path)
        return view(request, nid=nid, **rest)

    return answer
