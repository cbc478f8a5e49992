"""The organisations of the demonstration: one with a namespace and two representatives, and one that needs another."""

from registry.accounts.models import User
from registry.organisations.models import Organisation, Part
from registry.organisations.services.members import accept_membership, invite_member
from registry.organisations.services.organisations import create_organisation


def make_arboretum(registrant: User, participant: User) -> Organisation:
    """Create an organisation with two representatives, and an open invitation."""
    arboretum: Organisation = create_organisation(
        by=registrant, name="Example Arboretum", homepage="https://arboretum.example.org/"
    )
    _join(arboretum, participant, Part.REPRESENTATIVE, by=registrant)
    invite_member(arboretum, by=registrant, email="curator@example.org", part=Part.CONTACT)
    return arboretum


def make_weather_service(second: User, registrant: User) -> Organisation:
    """Create an organisation with one representative, an editor, and an open invitation."""
    service: Organisation = create_organisation(by=second, name="Example Weather Service")
    _join(service, registrant, Part.EDITOR, by=second)
    invite_member(service, by=second, email="participant@example.org", part=Part.CONTACT)
    return service


def _join(organisation: Organisation, person: User, part: Part, *, by: User) -> None:
    accept_membership(invite_member(organisation, by=by, email=person.email, part=part), by=person)
