"""Sub-namespaces, the versions of their lists, and what was replaced in them."""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, ClassVar
from urllib.parse import urlencode

from django.conf import settings
from django.db import models
from django.db.models import CharField, F, Func, Q, TextField, Value
from django.db.models.functions import Collate, Lower
from django.utils import timezone

from registry.core.digests import canonical_json
from registry.namespaces.models import Namespace, ProfileVersion
from urnsyntax.profiles.subnamespaces.history import History, stored_history
from urnsyntax.profiles.subnamespaces.levels import MAX_PREFIX
from urnsyntax.profiles.subnamespaces.lists import SubNamespace as Entry

# No prefix and no key contains it: they are made of the characters of names (RFC 8141, Section 2).
HIGHEST = "\N{DELETE}"
MAX_KEY = 2 * MAX_PREFIX  # characters: an equivalence can compare a longer text than the prefix
# What pages call members that have another name in lists.
MEMBER_WORDS = {"reference": "specification"}

# Entries with rules or services of their own: to compile a grammar takes milliseconds.
MAX_CACHED = 1_000


def parsed_entry(nid: str, content: Mapping[str, Any]) -> Entry:
    """The sub-namespace of a stored content."""
    if "names" in content or "services" in content:
        return _parsed(nid, canonical_json(content))
    if "history" in content:
        return Entry(**{**content, "history": stored_history(content["history"])})
    return Entry(**content)


@lru_cache(maxsize=MAX_CACHED)
def _parsed(nid: str, content: str) -> Entry:
    return Entry.from_dict(json.loads(content), nid)


def kept_history(row: "SubNamespace") -> History:
    """What is known of a sub-namespace before it was listed."""
    return stored_history(row.content.get("history", ()))


class Status(models.TextChoices):
    ACTIVE = "active", "active"
    DEPRECATED = "deprecated", "deprecated"
    RETIRED = "retired", "retired"


def _member(name: str, *, default: str = "") -> models.GeneratedField:
    """A member of the content as a column; a member that is left out has the default."""
    stated = _stated(name, default)
    return models.GeneratedField(expression=stated, output_field=TextField(), db_persist=True)


def _lower_member(name: str) -> models.GeneratedField:
    """A prefix of the content in lower case as a column, in the order of code points."""
    lower = Lower(Collate(_stated(name, ""), "C"))
    field = CharField(max_length=MAX_PREFIX, db_collation="C")
    return models.GeneratedField(expression=lower, output_field=field, db_persist=True)


def _stated(name: str, default: str) -> Func:
    read = Func(F("content"), Value(name), function="jsonb_extract_path_text", output_field=TextField())
    return Func(read, Value(default), function="coalesce", output_field=TextField())


class SubNamespace(models.Model):
    """A sub-namespace of a namespace: a prefix of its names. It is never deleted, and its prefix is never assigned again.

    `key` is the normalized prefix, by which names are looked up, and `content` the members of `urnsyntax.profiles.subnamespaces`,
    of which `history` is only added to.
    `version` is that of the list in which the content was last set. A trigger keeps what is replaced. `is_registered` says that
    the register of the namespace added or changed it: it is no longer that of an import alone.
    """

    namespace = models.ForeignKey(Namespace, on_delete=models.PROTECT, related_name="subnamespaces")
    key = CharField(max_length=MAX_KEY, db_collation="C")
    content = models.JSONField()
    version = models.PositiveIntegerField()
    is_registered = models.BooleanField(db_default=False)
    prefix = _member("prefix")
    title = _member("title")
    holder = _member("holder")
    status = _member("status", default=Status.ACTIVE)
    lower_prefix = _lower_member("prefix")
    lower_successor = _lower_member("successor")

    class Meta:
        ordering = ["namespace", "key"]
        indexes = [
            models.Index(
                "namespace",
                "key",
                name="subnamespaces_with_services",
                condition=Q(content__has_key="services"),
            ),
            models.Index("namespace", "status", "key", name="subnamespaces_by_status"),
            models.Index("namespace", "lower_prefix", name="subnamespaces_by_lower_prefix"),
            models.Index(
                "namespace",
                "lower_successor",
                name="subnamespaces_by_successor",
                condition=~Q(lower_successor=""),
            ),
        ]
        constraints = [
            models.UniqueConstraint("namespace", "key", name="one_subnamespace_per_prefix"),
            # Files are read in the order of this one, too.
            models.UniqueConstraint(
                "namespace", Collate("prefix", "C"), name="one_subnamespace_per_spelling"
            ),
            models.CheckConstraint(condition=~Q(key=""), name="subnamespace_has_a_key"),
            models.CheckConstraint(
                condition=Q(content__has_keys=["prefix", "title"]), name="subnamespace_has_required_members"
            ),
            models.CheckConstraint(
                condition=Q(status__in=Status.values), name="subnamespace_status_is_known"
            ),
            models.CheckConstraint(condition=Q(version__gt=0), name="subnamespace_version_is_positive"),
        ]

    def __str__(self) -> str:
        return f"urn:{self.namespace.nid}:{self.prefix}"

    def get_absolute_url(self) -> str:
        return f"/namespaces/{self.namespace.nid}/subnamespaces/?{urlencode({'prefix': self.prefix})}"

    def value_of(self, nid: str) -> Entry:
        """The sub-namespace as the library reads it; the namespace, which has this NID, may not be read yet."""
        return parsed_entry(nid, self.content)


class ReplacedSubNamespace(models.Model):
    """A former content of a sub-namespace, and the version of the list in which it was set. Only a trigger writes it."""

    subnamespace = models.ForeignKey(SubNamespace, on_delete=models.PROTECT, related_name="replaced")
    version = models.PositiveIntegerField()
    content = models.JSONField()

    class Meta:
        ordering = ["version"]
        constraints = [
            models.UniqueConstraint("subnamespace", "version", name="one_replaced_content_per_version")
        ]

    def __str__(self) -> str:
        return f"{self.subnamespace}, as of version {self.version}"


class ListVersionQuerySet(models.QuerySet["ListVersion"]):
    def imported(self) -> "ListVersionQuerySet":
        """Those that an import wrote, and not a register."""
        return self.filter(is_registered=False)


class ListVersion(models.Model):
    """One immutable version of the list of a namespace: 1, 2, 3 …

    `digest` is the SHA-256 of a line with that of the version before, if there is one, and the contents that this version sets, as
    lines of canonical JSON in the order of their prefixes. So it stands for the whole list and its history. `profile` is the
    version of the profile by which the list was verified.

    `total` is the number of sub-namespaces, also of those that are retired; `added`, `changed` and `retired` are those of this
    version. `set_by` is NULL if it was loaded from the files of the registry (`manage.py load_subnamespaces`). `is_registered` says
    that it has entries of the register of the namespace, and is no import.
    """

    namespace = models.ForeignKey(
        Namespace, on_delete=models.PROTECT, related_name="subnamespace_list_versions"
    )
    version = models.PositiveIntegerField()
    digest = CharField(max_length=64)
    total = models.PositiveIntegerField()
    added = models.PositiveIntegerField()
    changed = models.PositiveIntegerField()
    retired = models.PositiveIntegerField()
    basis = models.TextField()
    set_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    set_at = models.DateTimeField(default=timezone.now)
    profile = models.ForeignKey(ProfileVersion, on_delete=models.PROTECT, related_name="+")
    is_registered = models.BooleanField(db_default=False)

    objects: ClassVar[models.Manager["ListVersion"]] = ListVersionQuerySet.as_manager()

    class Meta:
        ordering = ["version"]
        constraints = [
            models.UniqueConstraint("namespace", "version", name="one_list_version_per_number"),
            models.CheckConstraint(condition=Q(version__gt=0), name="list_version_is_positive"),
            models.CheckConstraint(
                condition=Q(digest__regex="^[0-9a-f]{64}$"), name="list_version_has_digest"
            ),
            models.CheckConstraint(condition=~Q(basis=""), name="list_version_basis_is_not_empty"),
        ]

    def __str__(self) -> str:
        return f"sub-namespaces of {self.namespace.nid}, version {self.version}"

    @property
    def counts(self) -> dict[str, Any]:
        """What the version changed."""
        return {name: getattr(self, name) for name in ("added", "changed", "retired")}
