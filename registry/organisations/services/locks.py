"""Locks of organisations."""

from registry.organisations.models import Organisation


def lock_organisation(organisation: Organisation) -> Organisation:
    """Lock and re-read an organisation: its members, and what belongs to it, change one after the other."""
    return Organisation.objects.select_for_update().get(pk=organisation.pk)


def share_organisation(key: int) -> None:
    """Lock an organisation until the end of the transaction, so that its members do not change before, and other actions
    of its cases can run at the same time. Django does not support FOR SHARE.
    """
    list(Organisation.objects.raw("SELECT id FROM organisations_organisation WHERE id = %s FOR SHARE", [key]))
