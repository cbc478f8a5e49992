"""What the registry knows of a namespace for resolution: its profile, its confirmed hosts, and the health of its services.

One query reads it for each request, so nothing that can change is kept between requests. Only parsed profiles are kept,
by the digest of their content. If the namespace has a list of sub-namespaces, another query reads those of the name.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property

from django.db import connection

from registry.core.database.prepared_reader import Statement
from registry.namespaces.current_profiles import profiles_with
from registry.namespaces.profile_cache import cached_profile
from registry.resolution.models import HealthState, counts_as_down, health_label
from registry.subnamespaces.lists import StoredSubNamespaces, prefixes_of
from urnsyntax import URN
from urnsyntax.profiles import Profile, Service
from urnsyntax.urn import normal_nss

# All columns are texts, so that any client of PostgreSQL reads them alike.
QUERY = """
    SELECT n.nid, extract(epoch FROM n.deprecated_at)::bigint::text, p.digest,
        (SELECT string_agg(h.host, ' ') FROM resolution_confirmedhost AS h WHERE h.namespace_id = n.id),
        (SELECT json_agg(json_build_array(
            s.template, s.state, extract(epoch FROM s.checked_at), extract(epoch FROM s.failing_since)
        ))::text FROM resolution_servicehealth AS s WHERE s.namespace_id = n.id),
        CASE WHEN n.has_subnamespaces THEN n.id::text END
    FROM namespaces_namespace AS n LEFT JOIN namespaces_profileversion AS p ON p.id = n.profile_id
"""
OF_ONE_NID = Statement(b"resolution", f"{QUERY} WHERE n.nid = $1".encode())
OF_NIDS = f"{QUERY} WHERE n.nid = ANY (%s)"
# The sub-namespaces of a namespace with these normalized prefixes, an array in JSON: one row with their contents, an object.
OF_PREFIXES = Statement(
    b"subnamespaces",
    b"""
    SELECT coalesce(json_object_agg(key, content), '{}')::text FROM subnamespaces_subnamespace
    WHERE namespace_id = $1::bigint AND key = ANY (ARRAY(SELECT jsonb_array_elements_text($2::jsonb)))
    """,
)

Row = Sequence[str | None]


@dataclass(frozen=True, slots=True)
class Health:
    """The health of a service. `failing_since` is the first failure without a success after it."""

    state: HealthState = HealthState.UNKNOWN
    checked_at: datetime | None = None
    failing_since: datetime | None = None

    @property
    def is_down(self) -> bool:
        return counts_as_down(self.state, self.checked_at)

    @property
    def label(self) -> str:
        return health_label(self.state, self.checked_at)


UNKNOWN_HEALTH = Health()


@dataclass(frozen=True)
class NamespaceData:
    """A registered namespace for resolution. `nid` is in lower case.

    `listed_as` is the primary key of a namespace that has a list of sub-namespaces, otherwise None. Their services have no hosts
    and health of their own: a host is confirmed for the whole namespace, and a service that was never checked counts as usable.
    """

    nid: str
    deprecated_at: datetime | None = None
    profile: Profile | None = None
    hosts: frozenset[str] = frozenset()
    health: Mapping[str, Health] = field(default_factory=dict)
    listed_as: int | None = None

    @cached_property
    def redirectable(self) -> frozenset[int]:
        """The identities (`id`) of the services of the profile to which the registry redirects; see `is_redirectable`."""
        return frozenset(id(each) for each in self.services_of(None) if self.is_redirectable(each))

    def redirectable_of(
        self, kinds: frozenset[str] | None, below: tuple[Service, ...] = ()
    ) -> frozenset[int]:
        """Those of these kinds, and such services of sub-namespaces; all for None."""
        if kinds is None and not below:
            return self.redirectable
        return frozenset(id(each) for each in self.services_of(kinds, below) if self.is_redirectable(each))

    def services_of(
        self, kinds: frozenset[str] | None, below: tuple[Service, ...] = ()
    ) -> tuple[Service, ...]:
        """The services of the profile and those of sub-namespaces `below`, of these kinds; all for None."""
        services = self.profile.services if self.profile else ()
        return tuple(each for each in (*below, *services) if is_of_kinds(each, kinds))

    def prefixes_of(self, urn: URN) -> set[str]:
        """The normalized prefixes of the sub-namespaces that a name can belong to; none without a list or levels."""
        if self.listed_as is None or self.profile is None:
            return set()
        return prefixes_of(self.profile, [normal_nss(urn.nss)])

    def entries_for(self, urn: URN) -> StoredSubNamespaces | None:
        """The sub-namespaces that a name belongs to, in one query; None without a list or levels."""
        prefixes = self.prefixes_of(urn)
        if self.listed_as is None or not prefixes:
            return None
        return StoredSubNamespaces(self.listed_as, self.nid).read(prefixes)

    def is_redirectable(self, service: Service) -> bool:
        """Whether the registry redirects to a service: it is on a confirmed host, and not down."""
        return self.is_confirmed(service) and not self.health_of(service).is_down

    def is_confirmed(self, service: Service) -> bool:
        """Whether the host of the service is confirmed."""
        return service.is_at(self.hosts)

    def health_of(self, service: Service) -> Health:
        return self.health.get(service.template, UNKNOWN_HEALTH)


def is_of_kinds(service: Service, kinds: frozenset[str] | None) -> bool:
    """Whether a service counts for a request with these kinds; None stands for all kinds."""
    return kinds is None or service.kind in kinds


def namespace_data_of(nids: Iterable[str]) -> dict[str, NamespaceData]:
    """The registered namespaces among these NIDs, which are in lower case.

    One query, and another one for the profiles that this process has not parsed yet.
    """
    with connection.cursor() as cursor:
        cursor.execute(OF_NIDS, [list(nids)])
        rows: list[Row] = cursor.fetchall()
    profiles = profiles_with({row[2] for row in rows if row[2]})
    return {str(row[0]): namespace_data_from(row, profiles.get(row[2] or "")) for row in rows}


def namespace_data_of_one(nid: str) -> NamespaceData | None:
    """The namespace with this NID in any letter case; None if it is not registered."""
    return namespace_data_of([nid.lower()]).get(nid.lower())


def parsed_namespace_data(row: Row) -> NamespaceData | None:
    """The data in a row of `QUERY`, without a query; None if this process has not parsed the profile yet."""
    digest = row[2]
    if digest is None:
        return namespace_data_from(row, None)
    profile = cached_profile(digest)
    return namespace_data_from(row, profile) if profile else None


def namespace_data_from(row: Row, profile: Profile | None) -> NamespaceData:
    """The data in a row of `QUERY`, with the profile of its digest."""
    nid, deprecated_at, _, hosts, health, listed_as = row
    return NamespaceData(
        nid=str(nid),
        deprecated_at=_time(deprecated_at),
        profile=profile,
        hosts=frozenset(hosts.split()) if hosts else frozenset(),
        health=_health_in(health) if health else {},
        listed_as=int(listed_as) if listed_as else None,
    )


def _health_in(rows: str) -> dict[str, Health]:
    return {
        template: Health(HealthState(state), _time(checked_at), _time(failing_since))
        for template, state, checked_at, failing_since in json.loads(rows)
    }


def _time(seconds: str | float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(float(seconds), UTC)
