"""Absolute addresses of the API's resources and of the pages."""

from typing import Any

from django.conf import settings
from django.urls import reverse


def api_url(name: str, **arguments: Any) -> str:
    """The absolute address of a resource of the API, by the name of its URL pattern."""
    return absolute_url(reverse(f"api:{name}", kwargs=arguments))


def absolute_url(path: str) -> str:
    """The public address of a path, which does not depend on the host that the request names."""
    return f"{settings.PUBLIC_ORIGIN}{path}"
