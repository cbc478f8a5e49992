"""The personal data of imports: files that were imported, and IANA's registry."""

from registry.accounts.erasure import Erasure, PersonalDataHolder, TextColumns, holds_personal_data
from registry.publication.models import IanaRecord, IanaRegistry, OriginalText


@holds_personal_data
class ImportedData(PersonalDataHolder):
    """Imported files, on request. IANA's registry is IANA's: the next import would restore what is erased here."""

    texts = (
        TextColumns("imported files", OriginalText.objects, "text", "file"),
        TextColumns("IANA's entries", IanaRecord.objects, "references template contact", "nid"),
        TextColumns("IANA's list of people", IanaRegistry.objects, " ".join(IanaRegistry.PARTS)),
    )

    def erase(self, erasure: Erasure) -> None:
        if not erasure.with_texts:
            return
        named = OriginalText.objects.filter(erasure.person.is_named_by("text"))
        found = [each for each in named.iterator() if erasure.person.is_certainly_in([each.text])]
        erasure.digests += [each.digest for each in found]
        emptied = OriginalText.objects.filter(pk__in=[each.pk for each in found]).update(text="")
        erasure.note("imported files of templates", emptied)
