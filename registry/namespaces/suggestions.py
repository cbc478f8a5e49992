"""URNs that a text was probably meant to be, by the registered namespaces and their profiles."""

from registry.namespaces.models import Namespace
from registry.namespaces.queries import similar_registered_nids
from urnsyntax import URN
from urnsyntax.nid import is_well_formed
from urnsyntax.profiles import Profile, Profiles, Suggestion


class RegistryProfiles(Profiles):
    """The current profiles of the registered namespaces. Each is read from the database once, when it is needed.

    Those of namespaces with similar NIDs are read together. A namespace without a profile is contained, too.
    `unregistered` is a NID that is known to have no namespace.
    """

    def __init__(self, *, unregistered: str = "") -> None:
        super().__init__()
        self._namespaces: dict[str, Namespace | None] = {unregistered.lower(): None}
        self._similar: dict[str, list[str]] = {}

    def __contains__(self, nid: object) -> bool:
        return isinstance(nid, str) and self._namespace(nid.lower()) is not None

    def get(self, nid: str) -> Profile | None:
        namespace = self._namespace(nid.lower())
        return namespace.current_profile if namespace else None

    def similar_nids(self, nid: str) -> list[str]:
        if nid not in self._similar:
            self._similar[nid] = sorted(similar_registered_nids(nid)) if is_well_formed(nid) else []
            unread = set(self._similar[nid]) - self._namespaces.keys()
            self._namespaces |= {
                each.nid: each for each in Namespace.objects.with_profile().filter(nid__in=unread)
            }
        return self._similar[nid]

    def with_services_at(self, host: str) -> list[Profile]:
        domain = ".".join(host.split(".")[-2:])
        found = Namespace.objects.with_profile().filter(profile__content__services__icontains=domain)
        return Profiles(each.current_profile for each in found if each.current_profile).with_services_at(host)

    def _namespace(self, nid: str) -> Namespace | None:
        if nid not in self._namespaces:
            of_nid = Namespace.objects.with_profile().filter(nid=nid)
            self._namespaces[nid] = of_nid.first() if is_well_formed(nid) else None
        return self._namespaces[nid]


def suggestions_for(text: str) -> tuple[Suggestion, ...]:
    """URNs of registered namespaces that the text was probably meant to be, the likeliest first, at most three."""
    return RegistryProfiles().suggest(text)


def suggestions_for_unregistered(urn: URN, profiles: RegistryProfiles | None = None) -> list[Suggestion]:
    """URNs of registered namespaces with a similar NID. `profiles` may have read them already."""
    if profiles is None:
        profiles = RegistryProfiles(unregistered=urn.nid)
    own = f"urn:{urn.nid}:".lower()
    return [each for each in profiles.suggest(str(urn)) if not each.urn.lower().startswith(own)]
