"""Who holds a namespace, as its latest template names them."""

import pytest

from registry.accounts.models import User
from registry.namespaces.actions.registration import register_formal
from registry.registration_template.sections import Registrant
from tests.support.factories import a_template

UNLABELLED = "\n Example Arboretum,\n1 Example Street\nexpert@example.org"


@pytest.mark.parametrize(
    ("named", "holder"),
    [
        (Registrant(), ""),
        (Registrant(other=UNLABELLED), "Example Arboretum"),
        (Registrant(contact_person="An Expert", other=UNLABELLED), "An Expert"),
        (Registrant(organization="Example Society", contact_person="An Expert"), "Example Society"),
        (Registrant(organization="é" * 400), "é" * 400),
        (Registrant(organization="é" * 401), "é" * 400),
        (Registrant(contact_person="x" * 401), "x" * 400),
        (Registrant(other="x" * 401 + "\n1 Example Street"), "x" * 400),
    ],
)
def test_the_holder_is_who_the_template_names_first_cut_to_fit(
    registrant: User, named: Registrant, holder: str
) -> None:
    namespace = register_formal(a_template(registrant=named), registrant=registrant).namespace
    namespace.refresh_from_db()
    assert namespace.holder == holder
