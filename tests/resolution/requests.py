"""Requests to `/resolve/`."""

from typing import Any

from django.test import Client
from django.utils import timezone

from registry.namespaces.models import Namespace

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
TREE = "/resolve/urn:example-trees:12:4711"


def get(client: Client, path: str, accept: str | None = None, **headers: str) -> Any:
    return client.get(path, headers=({"accept": accept} if accept is not None else {}) | headers)


def deprecated(namespace: Namespace) -> Namespace:
    namespace.deprecated_at = timezone.now()
    namespace.deprecation_statement = "The garden closed."
    namespace.save()
    return namespace
