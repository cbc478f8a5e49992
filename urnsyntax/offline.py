"""Answers of a registry without a network, from the package `urn-registry-data`: see `registry`.

The package has the public data of a registry of URN namespaces as of one day. It is optional, and read when it is asked for. Whether
a name follows the rules of its namespace, and where it resolves, needs `urnsyntax[profiles]` too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

from .equivalence import EquivalenceRule
from .namespace_equivalence import rules_of_names
from .urn import URN

if TYPE_CHECKING:
    from .profiles import Judgement, Profile, Profiles, ServiceAddress
    from .profiles.subnamespaces.lists import SubNamespace

PACKAGE, MODULE = "urn-registry-data", "urn_registry_data"
FORMAT = 1


class NoOfflineData(ImportError):
    """The package with the data is not installed, or has a format that this version does not know. The text says what to do."""


class OfflineService(NamedTuple):
    """A service that resolves a URN, with its address. `host_confirmed`: the registry redirects to its host without asking."""

    found: ServiceAddress
    host_confirmed: bool


@dataclass(frozen=True)
class Answer:
    """What a registry knew of a URN as of a day (YYYY-MM-DD), the time of the event `event` of its audit log.

    `namespace` has the members `kind`, `registered_on`, `registrant`, `organisation`, `deprecation`, `version` and others; it is
    None if the NID was not registered. `unregistered` are reports that an unregistered NID is in use, with `used_by` and `source`.
    `judgement` is None without a profile. `services` are those that resolve the name, the best first. `left_out` is the length of
    the list of sub-namespaces if it is not in the package: then the name was judged without it.
    """

    urn: URN
    as_of: str
    event: int
    namespace: Mapping[str, Any] | None
    unregistered: Sequence[Mapping[str, str]]
    judgement: Judgement | None
    services: tuple[OfflineService, ...]
    left_out: int


class OfflineRegistry:
    """The registry as of the day `as_of`. `address` is that of its site, and `left_out` the lengths of lists that it has not."""

    def __init__(self, read: Callable[[str], Any]) -> None:
        """`read` returns a part of the data by name. Raises `NoOfflineData`."""
        about = read("about")
        if about["format"] != FORMAT:
            raise NoOfflineData(
                f"{PACKAGE} has the format {about['format']}, and this version of urnsyntax reads {FORMAT}. Update both: "
                f"pip install --upgrade urnsyntax {PACKAGE}"
            )
        self._read = read
        self._profiles: dict[str, tuple[Profile | None, dict[str, SubNamespace] | None]] = {}
        self.as_of: str = about["as_of"]
        self.event: int = about["event"]
        self.address: str = about["registry"]
        self.left_out: Mapping[str, int] = about["left_out"]

    def namespace(self, nid: str) -> Mapping[str, Any] | None:
        """What is known of a namespace, by its NID in any letter case; None if it is not registered. See `Answer`."""
        found: Mapping[str, Any] | None = self._read("namespaces").get(nid.lower())
        return found

    def unregistered(self, nid: str) -> list[Mapping[str, str]]:
        """The reports that a NID is in use although it is not registered."""
        return [each for each in self._read("unregistered") if each["nid"] == nid.lower()]

    def equivalence_rules(self, nid: str) -> tuple[EquivalenceRule, ...] | None:
        """The rules that a namespace adds to RFC 8141, Section 3.1; None if they are not known."""
        profile = self._read("profiles").get(nid.lower())
        return rules_of_names(profile["names"]) if profile else None

    @cached_property
    def profiles(self) -> Profiles:
        """All profiles, with the lists of sub-namespaces. They need `urnsyntax[profiles]`."""
        from .profiles import Profiles

        read = {nid: self._described(nid) for nid in self._read("profiles")}
        lists = {nid: entries for nid, (_, entries) in read.items() if entries is not None}
        return Profiles([profile for profile, _ in read.values() if profile], lists)

    def look_up(self, urn: URN | str, *, judge: bool = True) -> Answer:
        """What the registry knew of a URN. Without `judge`, its rules and services are not applied. Raises `InvalidURN`.

        A profile that this version does not know raises `urnsyntax.profiles.InvalidProfile`: update urnsyntax.
        """
        parsed = urn if isinstance(urn, URN) else URN.parse(urn)
        nid = parsed.nid.lower()
        namespace = self.namespace(nid)
        profile, entries = self._described(nid) if judge else (None, None)
        hosts = frozenset(namespace["confirmed_hosts"]) if namespace else frozenset()
        found = profile.services_for(parsed, entries) if profile else []
        return Answer(
            urn=parsed,
            as_of=self.as_of,
            event=self.event,
            namespace=namespace,
            unregistered=() if namespace else self.unregistered(nid),
            judgement=profile.judge(parsed, entries) if profile else None,
            services=tuple(OfflineService(each, each.service.is_at(hosts)) for each in found),
            left_out=self.left_out.get(nid, 0) if namespace else 0,  # “proofs” is no namespace
        )

    def _described(self, nid: str) -> tuple[Profile | None, dict[str, SubNamespace] | None]:
        """The profile of a namespace and its list; None for each that the package does not have."""
        if nid not in self._profiles:
            content = self._read("profiles").get(nid)
            self._profiles[nid] = self._parsed(nid, content) if content else (None, None)
        return self._profiles[nid]

    def _parsed(self, nid: str, content: Mapping[str, Any]) -> tuple[Profile, dict[str, SubNamespace] | None]:
        from .profiles import Profile, SubNamespace
        from .profiles.subnamespaces.lists import keyed

        profile, entries = Profile.from_dict(content), self._read("subnamespaces").get(nid)
        if entries is None:
            return profile, None
        return profile, dict(keyed((SubNamespace.from_dict(each, nid) for each in entries), profile))


def is_installed() -> bool:
    """Whether the package with the data is installed."""
    return find_spec(MODULE) is not None


@cache
def registry() -> OfflineRegistry:
    """The registry in the installed package. Raises `NoOfflineData`."""
    if not is_installed():
        raise NoOfflineData(f"{PACKAGE} is not installed. Install it: pip install {PACKAGE}")
    return OfflineRegistry(import_module(MODULE).read)
