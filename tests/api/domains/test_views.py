"""Domains of organisations by token: as the pages do them, for representatives alone."""

import pytest

from registry.accounts.models import Scope, User
from registry.domains.checks import check_domain
from registry.domains.models import OrganisationDomain
from registry.organisations.actions.organisations import create_organisation
from registry.organisations.models import MemberRole, Membership, Organisation
from tests.api.client import KEY, TokenClient, check_problem
from tests.domains.conftest import *  # noqa: F403  # its servers
from tests.domains.conftest import NameServer
from tests.support.https_servers import FakeDNS


@pytest.fixture
def society(registrant: User) -> Organisation:
    return create_organisation(by=registrant, name="Society of gardens")


def test_a_domain_is_added_checked_and_removed(
    society: Organisation, registrant: User, name_server: NameServer, fake_dns: FakeDNS
) -> None:
    program, path = TokenClient(registrant), f"organisations/{society.pk}/domains/"
    answers = [program.post(path, {"domain": "Gardens.example"}, Idempotency_Key=KEY) for _ in range(2)]
    added = answers[0].json()
    assert answers[0].status_code == 201
    assert answers[1].json() == added
    assert answers[0].headers["Location"] == added["links"]["self"]
    assert (added["domain"], added["verified_at"], added["method"]) == ("gardens.example", None, None)
    own = f"{path}{added['number']}/"
    assert program.post(f"{own}check/").json()["check_requested_at"]
    name_server.records[added["record"]] = [added["proof"]]
    check_domain(added["number"])
    seen = program.get(own).json()
    assert (seen["method"], seen["failure"], seen["check_requested_at"]) == ("dns", None, None)
    assert program.get(path).json()["results"] == [seen]
    assert program.ask("delete", own).status_code == 204
    check_problem(program.get(own), 404, "not-found")


def test_domains_exist_for_representatives_alone(
    society: Organisation, registrant: User, expert: User
) -> None:
    Membership.objects.create(organisation=society, user=expert, part=MemberRole.EDITOR)
    domain = OrganisationDomain.objects.create(organisation=society, domain="gardens.example")
    path = f"organisations/{society.pk}/domains/"
    other = TokenClient(expert)
    for where in (path, f"{path}{domain.pk}/"):
        check_problem(other.get(where), 404, "not-found")
    own = create_organisation(by=expert, name="Other")
    check_problem(other.get(f"organisations/{own.pk}/domains/{domain.pk}/"), 404, "not-found")
    check_problem(TokenClient(registrant, Scope.READ).get("organisations/x/domains/"), 404, "not-found")
