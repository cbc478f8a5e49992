"""Moving namespaces from a person to an organisation that the person represents."""

from collections.abc import Iterable

from django.db import transaction

from registry.accounts.gravity import Gravity, has_gravity
from registry.accounts.models import User
from registry.accounts.services.verification import check_is_verified
from registry.audit_log import log
from registry.core.exceptions import NotPermitted
from registry.namespaces import permissions
from registry.namespaces.models import Namespace
from registry.namespaces.services.notifications import notify_registrant
from registry.namespaces.services.registrants import change_registrant
from registry.namespaces.services.transfers import NOT_OFFERED, end_lapsed_offer
from registry.organisations.models import Organisation
from registry.organisations.permissions import check_represents
from registry.organisations.subjects import lock_organisation


@has_gravity(Gravity.CONTROL)
@transaction.atomic
def move_to_organisation(
    namespaces: Iterable[Namespace], *, by: User, organisation: Organisation
) -> list[Namespace]:
    """Make an organisation of the registrant the registrant of these namespaces: of all of them, or of none.

    Offer a transfer to move a namespace to an organisation that the registrant does not represent.
    """
    keys = [each.pk for each in namespaces]
    held = list(Namespace.objects.select_for_update().filter(pk__in=keys).order_by("pk"))
    organisation = lock_organisation(organisation)
    check_represents(organisation, by=by)
    check_is_verified(by)
    for namespace in held:
        if not permissions.is_registrant(by, namespace):
            raise NotPermitted(f"Only the registrant of “{namespace.nid}” can move it to an organisation.")
        NOT_OFFERED.check(namespace)
        end_lapsed_offer(namespace)
    for namespace in held:
        details = change_registrant(namespace, organisation)
        namespace.mark_changed()
        event = log.append("move_to_organisation", by=by, nid=namespace.nid, **details)
        notify_registrant(event, namespace)
    return held
