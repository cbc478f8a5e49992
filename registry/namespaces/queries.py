"""Queries for a namespace, one of its versions or an offer of it by the parts of a URL, for titles, and for similar NIDs."""

from collections.abc import Callable, Collection, Iterable
from functools import wraps
from http import HTTPStatus

from django.db.models import F, QuerySet
from django.db.models.fields.json import KeyTextTransform
from django.http import HttpRequest, HttpResponsePermanentRedirect
from django.http.response import HttpResponseBase

from registry.accounts.models import User
from registry.accounts.waiting import Line, declare, waiting_offers
from registry.core.exceptions import NotPermitted, RegistryError
from registry.core.validators import shortened
from registry.namespaces.models import Namespace, ProfileVersion, Revision, Transfer
from registry.registration_template.nids.rules import shape_of
from registry.registration_template.normal_form import MAX_VERSION
from urnsyntax.nid import is_well_formed, one_edit_away

MAX_SIMILAR = 100  # similar NIDs that are read


class NotRegistered(RegistryError):
    """No namespace has this NID."""

    status = HTTPStatus.NOT_FOUND
    title = "Namespace not registered"

    def __init__(self, nid: str, detail: str = "") -> None:
        super().__init__(detail or f"The namespace “{shortened(nid)}” is not registered.")
        self.nid = nid


class NoSuchVersion(RegistryError):
    """The namespace has no such version, or this registry does not hold its text."""

    status = HTTPStatus.NOT_FOUND
    title = "Version not found"

    def __init__(self, nid: str, version: int) -> None:
        super().__init__(f"This registry does not hold the text of version {version} of “{nid}”.")


class TooFewVersions(RegistryError):
    """A comparison needs two versions."""

    status = HTTPStatus.NOT_FOUND
    title = "Nothing to compare"

    def __init__(self, nid: str) -> None:
        super().__init__(f"This registry holds the text of fewer than two versions of “{nid}”.")


class NoSuchProfileVersion(RegistryError):
    """The profile of the namespace has no such version."""

    status = HTTPStatus.NOT_FOUND
    title = "Version not found"

    def __init__(self, nid: str, version: int) -> None:
        super().__init__(f"The profile of “{nid}” has no version {version}.")


class TooFewProfileVersions(RegistryError):
    """A comparison of profiles needs two versions."""

    status = HTTPStatus.NOT_FOUND
    title = "Nothing to compare"

    def __init__(self, nid: str) -> None:
        super().__init__(f"The profile of “{nid}” has fewer than two versions.")


def nid_in(text: str) -> str:
    """A typed text as a NID in lower case, without the scheme and the colon after the NID: “urn:ISBN:” is “isbn”."""
    return text.strip().lower().removeprefix("urn:").removesuffix(":")


def nid_of_urn(text: str) -> str:
    """The NID of a URN, or of its beginning, in lower case; "" if the text does not begin as a URN does."""
    scheme, _, rest = text.lower().partition(":")
    nid = rest.partition(":")[0]
    return nid if scheme == "urn" and is_well_formed(nid) else ""


def find_namespace(nid: str) -> Namespace | None:
    """The namespace with this NID, in lower case, with its latest revision; None if there is none."""
    # PostgreSQL rejects some malformed NIDs, such as those that contain NUL.
    if not is_well_formed(nid):
        return None
    return (
        Namespace.objects.select_related("latest", "organisation", "successor", "profile__set_by")
        .filter(nid=nid)
        .first()
    )


def similar_registered_nids(nid: str) -> set[str]:
    """The NIDs of namespaces that look like a well-formed `nid`, at most MAX_SIMILAR for each kind of similarity."""
    # Each query uses its own index. For one combined query, PostgreSQL would read the whole table.
    near = Namespace.objects.filter(nid__any=one_edit_away(nid))
    ways = (near, Namespace.objects.shaped_like(shape_of(nid)))
    return {name for way in ways for name in way.order_by("nid").values_list("nid", flat=True)[:MAX_SIMILAR]}


def get_namespace(nid: str) -> Namespace:
    """The namespace with this NID, in lower case. Raises NotRegistered."""
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


def get_profile_version(namespace: Namespace, version: int) -> ProfileVersion:
    """One version of the profile, with the person who set it. Raises NoSuchProfileVersion."""
    versions = namespace.profile_versions.select_related("set_by")
    found = versions.filter(version=version).first() if version <= MAX_VERSION else None
    if found is None:
        raise NoSuchProfileVersion(namespace.nid, version)
    return found


def current_profiles(namespaces: Iterable[Namespace]) -> QuerySet[ProfileVersion]:
    """The current versions of the profiles of these namespaces."""
    return ProfileVersion.objects.filter(pk__in=[each.profile_id for each in namespaces if each.profile_id])


def add_titles(namespaces: Collection[Namespace]) -> None:
    """Set `title` and `summary` to those of the current profiles, "" without one, with one query."""
    texts = [KeyTextTransform(key, "content") for key in ("title", "summary")]
    by_pk = {pk: rest for pk, *rest in current_profiles(namespaces).values_list("pk", *texts)}
    for each in namespaces:
        each.title, each.summary = by_pk.get(each.profile_id, ("", ""))


def get_transfer(user: User, namespace: Namespace, number: int) -> Transfer:
    """An offer of the namespace with its people. Raises NotPermitted unless `user` is a party to it."""
    offers = namespace.transfers.visible_to(user).select_related("namespace", "offered_by")
    offer = offers.filter(pk=number).first()
    if offer is None:
        raise NotPermitted(f"There is no offer {number} of “{namespace.nid}” to which you are a party.")
    return offer


def redirect_to_lower_case(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Redirect a NID with upper-case letters to its page: NIDs are case-insensitive (RFC 8141, Section 2.1)."""

    @wraps(view)
    def wrapper(request: HttpRequest, nid: str, **rest: object) -> HttpResponseBase:
        if nid != nid.lower() and is_well_formed(nid):
            path = request.get_full_path().replace(f"/{nid}/", f"/{nid.lower()}/", 1)
            return HttpResponsePermanentRedirect(path)
        return view(request, nid=nid, **rest)

    return wrapper


declare(
    waiting_offers(
        name="transfer",
        label="Offer of a namespace",
        rows=lambda user: Transfer.objects.waiting().to(user),
        show=lambda transfer: Line(
            f"{transfer.offered_by} offers you the namespace “{transfer.namespace.nid}”",
            "accept or decline the offer.",
            transfer.get_absolute_url(),
        ),
        nid=F("namespace__nid"),
        related=("namespace", "offered_by"),
    )
)
