"""Comparison of registered texts and profiles with the audit log."""

from collections.abc import Container, Iterator

from django.db.models import F, Max
from django.db.models.fields.json import KeyTextTransform

from registry.audit_log.committed_texts import NamedText, differences, text_check
from registry.audit_log.models import Event
from registry.audit_log.personal_data import erasures
from registry.core.digests import digest_of
from registry.core.exceptions import RegistryError
from registry.namespaces.models import Namespace, ProfileVersion, Revision, StoredTemplate
from registry.registration_template import commitments
from registry.registration_template.parsing.parser import parse_exactly

REGISTERING_VERBS = ("assign", "import_text")


def digest_of_template(row: StoredTemplate, erased: Container[str | None]) -> str | None:
    """Return the digest of a stored template, None if its content, its text, its commitments and its digest do not agree.

    `erased` contains the digests of the values that events erased.
    """
    try:
        template = row.template
        is_sound = (
            parse_exactly(row.text).template == template
            and commitments.hold(template.registrant, row.commitments, erased=erased)
            and template.digest(row.commitments) == row.digest
        )
    except (RegistryError, TypeError, AttributeError, KeyError):
        return None
    return row.digest if is_sound else None


@text_check
def changed_revisions() -> Iterator[str]:
    def recorded() -> Iterator[NamedText]:
        for event in Event.objects.filter(verb__in=REGISTERING_VERBS).iterator():
            yield f"version {event.details['version']} of “{event.nid}”", event.text_digest

    def stored() -> Iterator[NamedText]:
        erased = erasures()
        for row in Revision.objects.order_by("pk").select_related("namespace").iterator(chunk_size=500):
            yield f"version {row.version} of “{row.namespace.nid}”", digest_of_template(row, erased)

    yield from differences(recorded(), stored())


@text_check
def changed_copies() -> Iterator[str]:
    """Compare the fields of a namespace that are copied from its latest revision."""
    newest = Max("revisions__version")
    for nid in (
        Namespace.objects.annotate(newest=newest)
        .filter(newest__isnull=False)
        .exclude(latest__version=F("newest"), purpose=KeyTextTransform("purpose", "latest__content"))
        .order_by("nid")
        .values_list("nid", flat=True)
    ):
        yield f"the summary of “{nid}”"


@text_check
def changed_deprecations() -> Iterator[str]:
    def recorded() -> Iterator[NamedText]:
        for event in Event.objects.filter(verb="deprecate").iterator():
            yield f"the deprecation of “{event.nid}”", digest_of([event.reason, event.details["successor"]])

    def stored() -> Iterator[NamedText]:
        for row in Namespace.objects.exclude(deprecated_at=None).select_related("successor").iterator():
            successor = row.successor.nid if row.successor else ""
            yield f"the deprecation of “{row.nid}”", digest_of([row.deprecation_statement, successor])

    yield from differences(recorded(), stored())


@text_check
def changed_profiles() -> Iterator[str]:
    def recorded() -> Iterator[NamedText]:
        for event in Event.objects.filter(verb="set_profile").iterator():
            version, basis = event.details["version"], event.reason
            yield _profile_name(version, event.nid), digest_of([event.text_digest, basis, event.actor_id])

    def stored() -> Iterator[NamedText]:
        for row in ProfileVersion.objects.select_related("namespace").iterator():
            is_sound = digest_of(row.content) == row.digest
            digest = digest_of([row.digest, row.basis, row.set_by_id]) if is_sound else None
            yield _profile_name(row.version, row.namespace.nid), digest

    yield from differences(recorded(), stored())


def _profile_name(version: int, nid: str) -> str:
    return f"version {version} of the profile of “{nid}”"
