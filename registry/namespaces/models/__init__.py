"""Registered namespaces, their revisions and naming rules, and what is derived from them."""

from registry.namespaces.models.lookups import CachedLookup
from registry.namespaces.models.namespaces import (
    DATE_PATTERN,
    SHAPE_OF,
    InformalCounter,
    Kind,
    Namespace,
    NamespaceQuerySet,
    Origin,
)
from registry.namespaces.models.revisions import Revision
from registry.namespaces.models.rules import RulesVersion
from registry.namespaces.models.transfers import Transfer, TransferQuerySet

__all__ = [
    "DATE_PATTERN",
    "SHAPE_OF",
    "CachedLookup",
    "InformalCounter",
    "Kind",
    "Namespace",
    "NamespaceQuerySet",
    "Origin",
    "Revision",
    "RulesVersion",
    "Transfer",
    "TransferQuerySet",
]
