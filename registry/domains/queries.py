"""Queries for domains: one by the parts of its URL."""

from registry.accounts.models import User
from registry.core.exceptions import NotPermitted
from registry.domains.models import OrganisationDomain
from registry.organisations.queries import get_represented_organisation


def get_domain(user: User, organisation: int, number: int) -> OrganisationDomain:
    """Raises NotPermitted unless `user` represents the organisation, and it has this domain."""
    domain = get_represented_organisation(user, organisation).domains.filter(pk=number).first()
    if domain is None:
        raise NotPermitted(f"The organisation has no domain {number}.")
    return domain
