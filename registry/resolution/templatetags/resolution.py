"""Template tags for services: their kinds and languages in words, and addresses that resolve URNs."""

from collections.abc import Iterable
from typing import Any

from django import template

from registry.accounts.models import User
from registry.namespaces.models import Namespace
from registry.namespaces.permissions import is_administrator
from registry.resolution.actions import hosts_of
from registry.resolution.namespace_data import namespace_data_of
from registry.resolution.request_target import path_of
from urnsyntax.profiles.services.service import KINDS

register = template.Library()

LANGUAGES = {"en": "English", "es": "Spanish", "pt": "Portuguese"}


@register.filter
def kind_label(kind: str) -> str:
    """What a service returns, such as "the resource"."""
    return KINDS[kind]


@register.filter
def language_name(tag: str) -> str:
    """The English name of a language, or its tag."""
    name = LANGUAGES.get(tag.partition("-")[0].lower())
    return f"{name} ({tag})" if name and "-" in tag else name or tag


@register.inclusion_tag("resolution/_namespace_services.html", takes_context=True)
def namespace_services(context: template.Context, namespace: Namespace) -> dict[str, Any]:
    """Render the services of a namespace, and for administrators the decisions on their hosts."""
    profile = namespace.current_profile
    services = sorted(profile.services if profile else (), key=lambda each: each.priority)
    confirmed = {each.host: each for each in namespace.confirmed_hosts.all()}
    used = hosts_of(namespace)
    if not (used or confirmed):
        return {}
    namespace_data = namespace_data_of([namespace.nid])[namespace.nid]
    user = context.get("user")
    return {
        "namespace": namespace,
        "services": [{"service": each, "health": namespace_data.health_of(each)} for each in services],
        "hosts": [
            {"host": host, "confirmed": confirmed.get(host), "is_used": host in used}
            for host in dict.fromkeys([*(each.host for each in services), *used, *confirmed])
        ],
        "may_decide": isinstance(user, User) and is_administrator(user, namespace),
    }


@register.simple_tag
def unconfirmed_hosts(namespace: Namespace | None, hosts: Iterable[str]) -> list[str]:
    """The hosts that are not confirmed for a namespace; all of them before its registration."""
    confirmed = set(namespace.confirmed_hosts.values_list("host", flat=True)) if namespace else set()
    return [host for host in hosts if host not in confirmed]


@register.simple_tag
def resolve_path(urn: object, *, sends_fragment: bool = False) -> str:
    """The path that resolves a URN; to a page with links to services, it sends the f-component for them."""
    return path_of(urn, sends_fragment=sends_fragment)
