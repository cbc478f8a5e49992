"""What the registry knows of a namespace for resolution: its profile, its confirmed hosts, and the health of its services.

One query reads it for each request, so nothing that can change is kept between requests. Only parsed profiles are kept,
by the digest of their content.
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
from urnsyntax.profiles import Profile, Service

# All columns are texts, so that any client of PostgreSQL reads them alike.
QUERY = """
    SELECT n.nid, extract(epoch FROM n.deprecated_at)::bigint::text, p.digest,
        (SELECT string_agg(h.host, ' ') FROM resolution_confirmedhost AS h WHERE h.namespace_id = n.id),
        (SELECT json_agg(json_build_array(
            s.template, s.state, extract(epoch FROM s.checked_at), extract(epoch FROM s.failing_since)
        ))::text FROM resolution_servicehealth AS s WHERE s.namespace_id = n.id)
    FROM namespaces_namespace AS n LEFT JOIN namespaces_profileversion AS p ON p.id = n.profile_id
"""
OF_ONE_NID = Statement(b"resolution", f"{QUERY} WHERE n.nid = $1".encode())
OF_NIDS = f"{QUERY} WHERE n.nid = ANY (%s)"

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
    """A registered namespace for resolution. `nid` is in lower case."""

    nid: str
    deprecated_at: datetime | None = None
    profile: Profile | None = None
    hosts: frozenset[str] = frozenset()
    health: Mapping[str, Health] = field(default_factory=dict)

    @cached_property
    def redirectable(self) -> frozenset[int]:
        """The identities (`id`) of the services to which the registry redirects: usable, on a confirmed host."""
        services = self.profile.services if self.profile else ()
        return frozenset(
            id(each) for each in services if self.is_confirmed(each) and not self.health_of(each).is_down
        )

    def redirectable_of(self, kinds: frozenset[str] | None) -> frozenset[int]:
        """Those of these kinds; all for None."""
        return (
            self.redirectable
            if kinds is None
            else self.redirectable.intersection(map(id, self.services_of(kinds)))
        )

    def services_of(self, kinds: frozenset[str] | None) -> tuple[Service, ...]:
        """The services of these kinds; all for None."""
        services = self.profile.services if self.profile else ()
        return tuple(each for each in services if is_of_kinds(each, kinds))

    def is_confirmed(self, service: Service) -> bool:
        """Whether the host of the service is confirmed. That does not cover a server on another port of the host."""
        return service.host in self.hosts and not service.address_template.has_port

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
    nid, deprecated_at, _, hosts, health = row
    return NamespaceData(
        nid=str(nid),
        deprecated_at=_time(deprecated_at),
        profile=profile,
        hosts=frozenset(hosts.split()) if hosts else frozenset(),
        health=_health_in(health) if health else {},
    )


def _health_in(rows: str) -> dict[str, Health]:
    return {
        template: Health(HealthState(state), _time(checked_at), _time(failing_since))
        for template, state, checked_at, failing_since in json.loads(rows)
    }


def _time(seconds: str | float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(float(seconds), UTC)
