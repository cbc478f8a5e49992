"""The stored API responses of the fast lookup, and the stored entries of lists."""

from django.db import models
from django.db.models import CharField, F, Func, Q, Value
from django.db.models.functions import Left

from registry.namespaces.models.namespaces import Namespace

EMPTY = Q(release=None, body=None, last_modified=None)
FILLED = Q(release__isnull=False, body__isnull=False, last_modified__isnull=False)
ITEM_EMPTY = Q(item_release=None, item=None)
ITEM_FILLED = Q(item_release__isnull=False, item__isnull=False)


class CachedLookup(models.Model):
    """The stored API response for one namespace, and its entry in lists; see `lookup.sql`.

    Each change of the namespace raises `generation` and empties the other columns. `body` is the JSON that the
    serializer of the API wrote for the release with the tag `release`, and `item` is that of the serializer of lists for
    `item_release`. `last_modified` is an HTTP date.
    """

    namespace = models.OneToOneField(
        Namespace,
        on_delete=models.PROTECT,
        primary_key=True,
        related_name="cached_lookup",
        db_constraint=False,
    )
    nid = models.CharField(max_length=32, db_collation="C")
    generation = models.BigIntegerField()
    release = models.CharField(max_length=32, null=True)
    body = models.BinaryField(null=True)
    digest = models.GeneratedField(
        expression=Left(
            Func(
                Func(F("body"), function="sha256"), Value("hex"), function="encode", output_field=CharField()
            ),
            32,
        ),
        output_field=CharField(max_length=32),
        db_persist=True,
    )
    last_modified = models.CharField(max_length=29, null=True)
    item_release = models.CharField(max_length=32, null=True)
    item = models.BinaryField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["nid"], name="one_cached_lookup_per_nid"),
            models.CheckConstraint(condition=EMPTY | FILLED, name="cached_lookup_is_complete_or_empty"),
            models.CheckConstraint(
                condition=ITEM_EMPTY | ITEM_FILLED, name="cached_item_is_complete_or_empty"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.nid}, generation {self.generation}"
