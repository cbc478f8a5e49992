"""Creation and description of organisations, and what shows their name and their verified domains.

A change of these is recorded in their histories, too, so that feeds, snapshots and copies of the registry follow it.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import URLValidator
from django.db import IntegrityError, transaction

from registry.accounts.display_names import name_is_chosen, organisation_imitates_a_role
from registry.accounts.gravity import Gravity
from registry.accounts.models import User
from registry.actions.declarations import Action, ActionContext
from registry.actions.engine import performs
from registry.actions.parameters import Name, WebAddress
from registry.actions.people import PERSON, is_the_person
from registry.audit_log import log
from registry.audit_log.models import Event
from registry.core.names import check_name, comparison_form
from registry.core.validators import (
    MAX_ORGANISATION_NAME_LENGTH,
    MAX_URL_LENGTH,
    check_optional_text,
    shortened,
)
from registry.organisations.event_details import ORGANISATION as ORGANISATION_NUMBER
from registry.organisations.models import MemberRole, Membership, Organisation, organisations_of
from registry.organisations.notifications import notify
from registry.organisations.permissions import ONLY_REPRESENTATIVES, represents
from registry.organisations.subjects import ORGANISATION, InvalidOrganisation, NameTaken


def lock_belongings(organisation: Organisation) -> None:
    """Lock the cases and namespaces of an organisation, which other actions lock before it."""
    for rows in (organisation.cases, organisation.namespaces):
        list(rows.select_for_update().order_by("pk").values_list("pk"))


def record_rename(organisation: Organisation, *, by: User) -> None:
    """Record in each case and namespace that the locked organisation has another name."""
    cases, namespaces = list(organisation.cases.order_by("pk")), list(organisation.namespaces.order_by("pk"))
    _mark_changed([*cases, *namespaces])
    subjects: list[dict[str, Any]] = [{"case": each.pk} for each in cases]
    for subject in subjects + [{"nid": each.nid} for each in namespaces]:
        log.append("rename_organisation", by=by, organisation=organisation.pk, **subject)


def record_domain(organisation: Organisation, *, by: User | None, domain: str) -> None:
    """Record in each namespace that this domain of the locked organisation is now verified, or no longer."""
    namespaces = list(organisation.namespaces.order_by("pk"))
    _mark_changed(namespaces)
    for each in namespaces:
        log.append("change_domains", by=by, nid=each.nid, organisation=organisation.pk, domain=domain)


def _mark_changed(rows: Iterable[Any]) -> None:
    for each in rows:
        each.mark_changed()


_is_web_address = URLValidator(schemes=["http", "https"])


def _mail_representatives(event: Event, context: ActionContext[Any]) -> None:
    notify(event, context.result)


def _lock_belongings(organisation: Organisation, arguments: Mapping[str, Any]) -> None:
    lock_belongings(organisation)


PARAMETERS = (
    Name("name", "Name", "This is public.", max_length=MAX_ORGANISATION_NAME_LENGTH),
    WebAddress("homepage", "Homepage", "A web address, such as https://example.org/. This is public."),
)
CREATE_ORGANISATION = Action[User](
    name="create_organisation",
    label="Create an organisation",
    button="Create",
    effect="You become its first representative. Others see it when it has a namespace or a public case.",
    success="The organisation was created. Invite a second representative.",
    past="Created the organisation",
    details=(ORGANISATION_NUMBER,),
    is_public=False,
    permission=is_the_person,
    gravity=Gravity.ORDINARY,
    limit="organisations",
    parameters=PARAMETERS,
    refusals=(InvalidOrganisation, NameTaken),
    notify=_mail_representatives,
)
DESCRIBE_ORGANISATION = Action[Organisation](
    name="describe_organisation",
    operation_id="changeOrganisation",
    label="Change the name and the homepage",
    button="Save",
    effect="The registered texts do not change.",
    success="The name and the homepage were saved.",
    past="Changed the name or the homepage",
    details=(ORGANISATION_NUMBER,),
    is_public=False,
    permission=represents,
    not_permitted=ONLY_REPRESENTATIVES,
    gravity=Gravity.CONTROL,
    limit="organisations",
    lock_first=_lock_belongings,
    parameters=PARAMETERS,
    refusals=(InvalidOrganisation, NameTaken),
    needs_confirmed_address=False,
    notify=_mail_representatives,
)


@performs(CREATE_ORGANISATION, PERSON)
def create_organisation(context: ActionContext[User], *, name: str, homepage: str = "") -> Organisation:
    """Create an organisation, with the person as its first representative."""
    by = context.actor
    organisation = Organisation(name=_checked_name(name, by=by), homepage=_checked_homepage(homepage))
    organisation.name_form = comparison_form(organisation.name)
    _save(organisation)
    Membership.objects.create(organisation=organisation, user=by, part=MemberRole.REPRESENTATIVE)
    context.details = {"organisation": organisation.pk}
    return organisation


@performs(DESCRIBE_ORGANISATION, ORGANISATION)
def describe_organisation(
    context: ActionContext[Organisation], *, name: str, homepage: str = ""
) -> Organisation:
    """Change the name and the homepage. The registered texts do not change. A repetition has no effect."""
    organisation, by = context.subject, context.actor
    former = organisation.name, organisation.homepage
    new = _checked_name(name, by=by, former=organisation.name), _checked_homepage(homepage)
    if new == former:
        context.is_recorded = False
        return organisation
    organisation.name, organisation.homepage = new
    if organisation.name != former[0]:
        organisation.name_form = comparison_form(organisation.name)
    _save(organisation)
    if organisation.name != former[0]:
        record_rename(organisation, by=by)
    return organisation


def _save(organisation: Organisation) -> None:
    """Save an organisation, the comparison form of whose name is unique. Raises NameTaken.

    The message names no organisation, which may not be public.
    """
    try:
        with transaction.atomic():
            organisation.save()
    except IntegrityError as error:
        raise NameTaken(
            f"Another organisation is called “{organisation.name}”, or has a name that looks like it. If it is yours, ask its "
            "representative for an invitation. Otherwise add a word to the name, such as a place.",
            argument="name",
        ) from error


def _checked_name(name: str, *, by: User, former: str = "") -> str:
    """The name. One that is kept is not checked: it may be older than the rules. As with names of people, those who have a
    role may use the name of one.
    """
    if name == former:
        return name
    name = check_name(name, "the name", longest=MAX_ORGANISATION_NAME_LENGTH, argument="name")
    if name != former and organisation_imitates_a_role(name) and not by.roles:
        raise InvalidOrganisation(
            "This name could be mistaken for the registry, one of its roles, or a body of the IETF. "
            "Use the full name of your organisation.",
            argument="name",
        )
    return name


def _refuse_name_of_organisation(person: User, name: str, **_signal: Any) -> None:
    """Raise NameTaken if a public organisation has this name, unless the person is its member."""
    named = Organisation.objects.public().filter(name_form=comparison_form(name))
    if named.exclude(pk__in=organisations_of(person)).exists():
        raise NameTaken(
            "An organisation has this name, or one that looks like it. Use your own name.", argument="name"
        )


name_is_chosen.connect(_refuse_name_of_organisation, dispatch_uid="organisations")


def _checked_homepage(text: str) -> str:
    homepage = check_optional_text(text, "the homepage", longest=MAX_URL_LENGTH, argument="homepage")
    try:
        if homepage:
            _is_web_address(homepage)
    except ValidationError as fault:
        message = f"“{shortened(homepage)}” is not a web address. It begins with https://."
        raise InvalidOrganisation(message, argument="homepage") from fault
    return homepage
