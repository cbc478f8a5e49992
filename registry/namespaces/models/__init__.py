"""Namespaces with their revisions, profiles, transfers and stored lookups."""

from registry.namespaces.models.lookups import CachedLookup
from registry.namespaces.models.namespaces import (
    DATE_PATTERN,
    DAY_OR_MONTH,
    InformalCounter,
    Kind,
    Namespace,
    NamespaceQuerySet,
    Origin,
    shape_of_column,
)
from registry.namespaces.models.profiles import ProfileVersion
from registry.namespaces.models.revisions import Revision
from registry.namespaces.models.search_words import SearchWord
from registry.namespaces.models.templates import StoredTemplate
from registry.namespaces.models.transfers import Transfer, TransferQuerySet

__all__ = [
    "DATE_PATTERN",
    "DAY_OR_MONTH",
    "CachedLookup",
    "InformalCounter",
    "Kind",
    "Namespace",
    "NamespaceQuerySet",
    "Origin",
    "ProfileVersion",
    "Revision",
    "SearchWord",
    "StoredTemplate",
    "Transfer",
    "TransferQuerySet",
    "shape_of_column",
]
