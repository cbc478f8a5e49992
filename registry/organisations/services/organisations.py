"""Creation and description of organisations."""

from django.core.exceptions import ValidationError
from django.core.validators import URLValidator
from django.db import transaction

from registry.accounts.display_names import organisation_imitates_a_role
from registry.accounts.gravity import Gravity, has_gravity
from registry.accounts.models import User
from registry.accounts.services.locks import lock_open_account
from registry.accounts.services.verification import check_is_verified
from registry.audit_log import log
from registry.core.exceptions import NotPermitted
from registry.core.rate_limits import limited
from registry.core.shortening import shortened
from registry.core.text_limits import MAX_ORGANISATION_NAME_LENGTH, MAX_URL_LENGTH
from registry.core.validators import check_optional_text, check_text
from registry.organisations.exceptions import InvalidOrganisation
from registry.organisations.history import Verb
from registry.organisations.models import Membership, Organisation, Part
from registry.organisations.notifications import notify
from registry.organisations.permissions import is_representative
from registry.organisations.services.belongings import lock_belongings, record_rename

_is_web_address = URLValidator(schemes=["http", "https"])


@limited("organisations")
@transaction.atomic
def create_organisation(*, by: User, name: str, homepage: str = "") -> Organisation:
    """Create an organisation, with `by` as its first representative."""
    lock_open_account(by)
    check_is_verified(by)
    organisation = Organisation.objects.create(
        name=_checked_name(name, by=by), homepage=_checked_homepage(homepage)
    )
    Membership.objects.create(organisation=organisation, user=by, part=Part.REPRESENTATIVE)
    notify(log.append(Verb.CREATE, by=by, organisation=organisation.pk), organisation)
    return organisation


@has_gravity(Gravity.CONTROL)
@limited("organisations")
@transaction.atomic
def describe_organisation(
    organisation: Organisation, *, by: User, name: str, homepage: str = ""
) -> Organisation:
    """Change the name and the homepage. The registered texts do not change. A repetition has no effect."""
    lock_belongings(organisation)
    organisation = lock_organisation(organisation)
    check_represents(organisation, by=by)
    former = organisation.name, organisation.homepage
    new = _checked_name(name, by=by, former=organisation.name), _checked_homepage(homepage)
    if new == former:
        return organisation
    organisation.name, organisation.homepage = new
    organisation.save(update_fields=["name", "homepage"])
    if organisation.name != former[0]:
        record_rename(organisation, by=by)
    notify(log.append(Verb.DESCRIBE, by=by, organisation=organisation.pk), organisation)
    return organisation


def lock_organisation(organisation: Organisation) -> Organisation:
    """Lock and re-read an organisation: its members, and what belongs to it, change one after the other."""
    return Organisation.objects.select_for_update().get(pk=organisation.pk)


def share_organisation(key: int) -> None:
    """Lock an organisation until the end of the transaction, so that its members do not change before, and other actions
    of its cases can run at the same time. Django does not support FOR SHARE.
    """
    list(Organisation.objects.raw("SELECT id FROM organisations_organisation WHERE id = %s FOR SHARE", [key]))


def check_represents(organisation: Organisation, *, by: User) -> None:
    """Raise NotPermitted unless `by` is a representative."""
    if not is_representative(by, organisation.pk):
        raise NotPermitted("Only a representative of the organisation can do this.")


def _checked_name(name: str, *, by: User, former: str = "") -> str:
    """The name, unless it is new and imitates a role. As with names of people, those who have a role may use one."""
    name = check_text(" ".join(name.split()), "the name", longest=MAX_ORGANISATION_NAME_LENGTH)
    if name != former and organisation_imitates_a_role(name) and not by.roles:
        raise InvalidOrganisation(
            "This name could be mistaken for the registry, one of its roles, or a body of the IETF. "
            "Use the full name of your organisation."
        )
    return name


def _checked_homepage(text: str) -> str:
    homepage = check_optional_text(text, "the homepage", longest=MAX_URL_LENGTH)
    try:
        if homepage:
            _is_web_address(homepage)
    except ValidationError as fault:
        message = f"“{shortened(homepage)}” is not a web address. It begins with https://."
        raise InvalidOrganisation(message) from fault
    return homepage
