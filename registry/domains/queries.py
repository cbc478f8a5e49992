"""Queries for domains: those of an organisation that a person represents, and one of them."""

from registry.accounts.models import User
from registry.core.exceptions import NotPermitted
from registry.domains.models import OrganisationDomain
from registry.organisations.models import Organisation
from registry.organisations.permissions import is_representative


def get_represented(user: User, number: int) -> Organisation:
    """Raises NotPermitted unless `user` is a representative of the organisation."""
    organisation = Organisation.objects.filter(pk=number).first()
    if organisation is None or not is_representative(user, organisation.pk):
        raise NotPermitted(f"There is no organisation {number} that you represent.")
    return organisation


def get_domain(user: User, organisation: int, number: int) -> OrganisationDomain:
    """Raises NotPermitted unless `user` represents the organisation, and it has this domain."""
    domain = get_represented(user, organisation).domains.filter(pk=number).first()
    if domain is None:
        raise NotPermitted(f"The organisation has no domain {number}.")
    return domain
