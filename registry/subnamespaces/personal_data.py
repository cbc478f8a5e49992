"""The personal data of lists of sub-namespaces: who imported them, and texts that may name people. All of it is a public record."""

from registry.accounts.erasure import PersonalDataHolder, TextColumns, holds_personal_data
from registry.accounts.export import exports
from registry.subnamespaces.models import ListVersion, ReplacedSubNamespace, SubNamespace


@holds_personal_data
class SubNamespaceData(PersonalDataHolder):
    """Texts that name the person are listed."""

    texts = (
        TextColumns("sub-namespaces", SubNamespace.objects, "content"),
        TextColumns("replaced sub-namespaces", ReplacedSubNamespace.objects, "content"),
        TextColumns("lists of sub-namespaces", ListVersion.objects, "basis"),
    )


exports(ListVersion, "namespace_id version basis set_at", of="set_by")
