"""Comparison of the confirmed hosts with the audit log."""

from collections.abc import Iterator

from registry.audit_log.committed_texts import NamedText, differences, text_check
from registry.audit_log.models import Event
from registry.core.digests import digest_of
from registry.resolution.models import ConfirmedHost


@text_check
def changed_hosts() -> Iterator[str]:
    def recorded() -> Iterator[NamedText]:
        confirmed: dict[str, Event] = {}
        events = Event.objects.filter(verb__in=["confirm_host", "withdraw_host"]).order_by("number")
        for event in events.iterator():
            name = _name(event.details["host"], event.nid)
            confirmed.pop(name, None)
            if event.verb == "confirm_host":
                confirmed[name] = event
        for name, event in confirmed.items():
            yield name, digest_of([event.details["basis"], event.reason, event.actor_id])

    def stored() -> Iterator[NamedText]:
        for row in ConfirmedHost.objects.select_related("namespace").iterator():
            digest = digest_of([row.basis, row.evidence, row.confirmed_by_id])
            yield _name(row.host, row.namespace.nid), digest

    yield from differences(recorded(), stored())


def _name(host: str, nid: str) -> str:
    return f"the host {host} of “{nid}”"
