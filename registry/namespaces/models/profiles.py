"""The immutable versions of a namespace's profile."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from registry.namespaces.models.namespaces import Namespace
from registry.namespaces.profile_cache import parsed_profile
from urnsyntax.profiles import Profile

REQUIRED_KEYS = ["nid", "title", "summary", "subjects", "names", "sources"]


class ProfileVersion(models.Model):
    """One immutable version of a namespace's profile: 1, 2, 3 … A version without content removes the profile.

    `content` is `Profile.to_dict()`, and `digest` its digest. `set_by` is NULL if the version was loaded from the files
    of the registry (`manage.py load_profiles`).
    """

    namespace = models.ForeignKey(Namespace, on_delete=models.PROTECT, related_name="profile_versions")
    version = models.PositiveIntegerField()
    content = models.JSONField(null=True)
    digest = models.CharField(max_length=64)
    basis = models.TextField()
    set_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    set_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["version"]
        constraints = [
            models.UniqueConstraint("namespace", "version", name="one_profile_version_per_number"),
            models.CheckConstraint(condition=Q(version__gt=0), name="profile_version_is_positive"),
            models.CheckConstraint(
                condition=Q(content__isnull=True) | Q(content__has_keys=REQUIRED_KEYS),
                name="profile_has_required_keys",
            ),
            models.CheckConstraint(condition=Q(digest__regex="^[0-9a-f]{64}$"), name="profile_has_digest"),
            models.CheckConstraint(condition=~Q(basis=""), name="profile_basis_is_not_empty"),
        ]

    def __str__(self) -> str:
        return f"profile of {self.namespace.nid}, version {self.version}"

    def get_absolute_url(self) -> str:
        return self.namespace.get_absolute_url()

    @property
    def value(self) -> Profile | None:
        """The profile; None if this version removed it."""
        return None if self.content is None else parsed_profile(self.digest, self.content)
