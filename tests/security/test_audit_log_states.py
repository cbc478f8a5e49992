"""State that follows from events, changed directly in the database."""

from typing import Any

import pytest

from registry.audit_log.verification import verify
from registry.cases.workflow import functions
from registry.namespaces.actions.transfers import accept_transfer, offer_transfer
from registry.namespaces.models import Namespace
from tests.security.test_audit_log import as_application, filled, registry  # noqa: F401
from tests.support.databases import in_sql
from tests.support.factories import a_case_in_review, a_person

ANOTHER = "(SELECT id FROM accounts_user WHERE email LIKE 'expert@%')"
# What the role of the application can change without an event, and what is named.
CHANGED = {
    "a state": ("UPDATE cases_case SET state = 'approved' WHERE state = 'in_review'", "the state of case"),
    "the registrant of a case": (
        f"UPDATE cases_case SET registrant_id = {ANOTHER}",
        "the registrant of case",
    ),
    "a stolen namespace": (
        f"UPDATE namespaces_namespace SET registrant_id = {ANOTHER} WHERE nid = 'example-trees'",
        "the registrant of “example-trees”",
    ),
    "an imported namespace": (
        f"UPDATE namespaces_namespace SET registrant_id = {ANOTHER} WHERE nid = 'example-old'",
        "the registrant of “example-old”",
    ),
    "a role": (
        f"INSERT INTO accounts_role (user_id, name, granted_at) VALUES ({ANOTHER}, 'administrator', now())",
        "the roles of account",
    ),
    "a withdrawn role": ("DELETE FROM accounts_role WHERE name = 'expert'", "the roles of account"),
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("change", "named"), CHANGED.values(), ids=CHANGED.keys())
@pytest.mark.usefixtures("as_application")
def test_a_change_without_an_event_is_named(change: str, named: str) -> None:
    in_sql(change)
    result = verify()
    assert result.is_chain_valid
    assert any(f"differs from the audit log in {named}" in fault for fault in result.faults), result.faults


@pytest.mark.exhaustive
def test_a_registrant_follows_transfers_and_stays_after_a_revision(registry: Any) -> None:  # noqa: F811
    namespace = Namespace.objects.get(nid="example-trees")
    assert namespace.registrant is not None
    heir = a_person(email="heir@example.org")
    accept_transfer(offer_transfer(namespace, by=namespace.registrant, to=heir.email), by=heir)
    case = a_case_in_review(by=heir, namespace_identifier="example-firs", syntax="Opaque.")
    functions.withdraw(case, by=heir)
    assert verify().faults == []
    in_sql(f"UPDATE namespaces_namespace SET registrant_id = {ANOTHER} WHERE nid = 'example-trees'")
    assert any("the registrant of “example-trees”" in fault for fault in verify().faults)


def test_the_demonstration_is_valid(demonstration_database: None) -> None:
    assert verify().faults == []
