"""Template tags of sub-namespaces: the section on the page of a namespace, and the status of a successor."""

from typing import Any

from django import template

from registry.namespaces.models import Namespace
from registry.subnamespaces.queries import statuses_of

register = template.Library()


@register.inclusion_tag("subnamespaces/_section.html")
def subnamespaces_section(namespace: Namespace) -> dict[str, Any]:
    """Render how many sub-namespaces a namespace with levels has, and what the first level is."""
    profile = namespace.current_profile
    walker = profile.walker if profile else None
    version = namespace.subnamespace_list_versions.last() if namespace.has_subnamespaces else None
    return {"namespace": namespace, "level": walker.top if walker else None, "version": version}


@register.simple_tag
def status_of(namespace: Namespace, prefix: str) -> str:
    """The status of a sub-namespace that a list names; "" if it is not listed."""
    return statuses_of(namespace, [prefix]).get(prefix, "")
