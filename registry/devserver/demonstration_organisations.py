"""The organisations of the demonstration, each with a case: one with two representatives, and one that needs another."""

from registry.accounts.models import User
from registry.organisations.models import Organisation, Part
from registry.organisations.services.members import accept_membership, invite_member
from registry.organisations.services.organisations import create_organisation


def make_library(registrant: User, second: User, participant: User) -> Organisation:
    """Create an organisation with two representatives, an editor, and an open invitation."""
    library = create_organisation(
        by=registrant, name="Example Library", homepage="https://library.example.org/"
    )
    for person, part in ((second, Part.REPRESENTATIVE), (participant, Part.EDITOR)):
        accept_membership(invite_member(library, by=registrant, email=person.email, part=part), by=person)
    invite_member(library, by=registrant, email="librarian@example.org", part=Part.CONTACT)
    return library


def make_weather_service(second: User) -> Organisation:
    """Create an organisation with one representative, and an open invitation."""
    service = create_organisation(by=second, name="Example Weather Service")
    invite_member(service, by=second, email="participant@example.org", part=Part.CONTACT)
    return service
