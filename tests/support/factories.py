"""Factories of test data: functions with keyword arguments that use the registry's own actions."""

from collections.abc import Sequence
from dataclasses import fields, replace
from datetime import timedelta
from types import SimpleNamespace
from typing import Any
from unittest import mock

from allauth.account.models import EmailAddress

from registry.accounts.models import Body, Recognition, RoleName, User
from registry.accounts.roles import grant_role
from registry.cases.drafts import drafts
from registry.cases.drafts.replies import DraftReply, open_points_of
from registry.cases.models import Case, Outcome, Round, State
from registry.cases.workflow import functions
from registry.cases.workflow.functions.people import accept_invitation, invite_co_editor
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.models import Kind, Namespace, Origin
from registry.registration_template.sections import Registrant
from registry.registration_template.template import RegistrationTemplate
from urnsyntax.profiles import Names, Profile
from urnsyntax.profiles.profile import FACTS

PASSWORD = "correct horse battery"
# The outbox of a test contains what the test does: not the mails to a new holder of a role and to the administrators. Their
# recipients are not looked up.
WITHOUT_MAILS: dict[str, Any] = {
    "outbox": SimpleNamespace(post=lambda *_, **__: []),
    "addresses": lambda _: [],
    "_administrators_locked": lambda _: [],
}


def a_person(
    *, email: str, roles: tuple[RoleName, ...] = (), is_verified: bool = True, **fields: Any
) -> User:
    """Create an account with the given roles, and by default with a confirmed address."""
    name = fields.pop("name", email.partition("@")[0].replace("-", " ").title())
    person = User.objects.create_user(email, PASSWORD, name=name, **fields)
    EmailAddress.objects.create(user=person, email=person.email, verified=is_verified, primary=True)
    if roles:
        with mock.patch.multiple("registry.accounts.roles", **WITHOUT_MAILS):
            for role in roles:
                grant_role(person, role, by=None)
    return person


def a_template(**changes: Any) -> RegistrationTemplate:
    """Return a complete and valid template for the formal namespace "example-trees"."""
    sound = RegistrationTemplate(
        namespace_identifier="example-trees",
        version=1,
        date="2026-11-21",
        registrant=Registrant(
            organization="Example Arboretum",
            address="1 Example Street, Exampletown",
            contact_person="Example Registrant",
            email="registrant@example.org",
        ),
        purpose=(
            "Names trees in the care of botanical gardens, so that records of one tree in several "
            "catalogues can be brought together. Any garden on the Internet may use them."
        ),
        syntax=(
            "The NSS is a garden's number, a colon, and the tree's number: urn:example-trees:12:4711. "
            "No q-, r- or f-components are defined."
        ),
        assignment=(
            "Assignment is delegated to gardens recognised by the arboretum. Each gives a number once, "
            "from a counter, which keeps the names unique."
        ),
        security_and_privacy="None beyond those of RFC 8141, Section 8: the names tell nothing of people.",
        interoperability="No conflicts with other identifier systems are known.",
        resolution="Resolution through the arboretum's public catalogue is intended.",
        documentation="https://example.org/trees/specification",
    )
    return replace(sound, **changes)


BASIS = "Syntax: “a garden's number, a colon, and the tree's number”."  # of a profile


def a_profile(
    nid: str = "example-trees",
    *,
    examples: Sequence[str] = ("12:4711", "1:1", "99:4"),
    counterexamples: Sequence[str] = ("twelve", "12", "12:x"),
    **changes: Any,
) -> Profile:
    """Return a valid profile, by default with the pattern of two numbers. `examples` are NSSs."""
    of_names = {each.name for each in fields(Names)}
    names = {name: value for name, value in changes.items() if name in of_names}
    if not names.keys() & {"abnf", "unstated"}:
        names.setdefault("pattern", "[0-9]+:[0-9]+")
    names["examples"] = [{"urn": f"urn:{nid}:{nss}"} for nss in examples]
    if "unstated" not in names:
        names["counterexamples"] = [
            {"urn": f"urn:{nid}:{nss}", "reason": "It is wrong."} for nss in counterexamples
        ]
    whole = {
        "nid": nid,
        "title": "Trees of gardens",
        "summary": "Every tree has a name.",
        "subjects": ["science"],
    }
    whole |= {name: value for name, value in changes.items() if name not in of_names}
    stated = {name for name, value in (whole | names).items() if value} & set(FACTS) | {"grammar"}
    compared = names.keys() & {"ignores_case", "ignored_characters", "equivalence"}
    facts = sorted(stated | ({"comparison"} if compared else set()))
    source = {
        "facts": facts,
        "kind": "registration",
        "document": f"Registration of urn:{nid}",
        "section": "Syntax",
    }
    return Profile.from_dict({**whole, "names": names, "sources": [source]})


def an_imported_namespace(nid: str, *, kind: str = Kind.FORMAL, **fields: Any) -> Namespace:
    """Create a namespace as an import from IANA does, without a text."""
    return Namespace.objects.create(nid=nid, kind=kind, origin=Origin.IANA, **fields)


def describe(
    namespace: Namespace | str, profile: Profile | None = None, *, by: User | None = None, **changes: Any
) -> Namespace:
    """Set the profile of a namespace, by default that of `a_profile` with these changes."""
    if isinstance(namespace, str):
        namespace = Namespace.objects.get(nid=namespace)
    return set_profile(
        namespace,
        by=by,
        profile=profile or a_profile(namespace.nid, **changes),
        basis="The files.",
        replaces=namespace.profile_versions.count(),
    ).namespace


def a_draft(*, by: User, kind: Kind = Kind.FORMAL, body: Body | None = None, **changes: Any) -> Case:
    """Create a case for a new namespace, with a draft that can be submitted."""
    template = a_template(**changes)
    if kind == Kind.INFORMAL:
        template = replace(
            template,
            namespace_identifier="",
            syntax="The NSS is a garden's number, a colon, and the tree's number. No components are defined.",
        )
    return drafts.create_case(by=by, kind=kind, body=body, template=template)


def a_case_in_review(*, by: User, **how: Any) -> Case:
    case = a_draft(by=by, **how)
    return functions.submit(case, by=by, draft_stamp=case.draft_stamp)


def add_co_editor(case: Case, *, by: User, user: User) -> Case:
    """Make `user` a co-editor: `by` invites them, and they accept."""
    invite_co_editor(case, by=by, email=user.email)
    return accept_invitation(case, by=user)


def an_approved_case(*, by: User, expert: User, **how: Any) -> Case:
    case = a_case_in_review(by=by, **how)
    return functions.approve(case, by=expert, round_number=1, rationale="Sound, and useful to gardens.")


def a_namespace(*, by: User, expert: User, administrator: User, **how: Any) -> Namespace:
    """Register a namespace through the whole process."""
    case = functions.assign(an_approved_case(by=by, expert=expert, **how), by=administrator)
    assert case.namespace is not None
    return case.namespace


def all_done(case: Case) -> Case:
    """Mark every open action point of the case as done in its draft."""
    replies = {point.pk: DraftReply(Outcome.DONE) for point in open_points_of(case)}
    if not replies:
        return case
    stamp = case.draft_stamp
    return drafts.save_draft(case, case.draft_template, by=case.registrant, stamp=stamp, replies=replies)


def put_in_state(case: Case, state: State, **fields: Any) -> Case:
    """Put a case in a state without the transitions that lead there."""
    Case.objects.filter(pk=case.pk).update(state=state, **fields)
    return Case.objects.get(pk=case.pk)


def many_cases(case: Case, count: int) -> None:
    """Copies of a case with its round, each waiting a little longer than the one before."""
    latest = case.latest_round
    assert latest is not None
    made = Case.objects.bulk_create(
        Case(
            kind=case.kind,
            procedure=case.procedure,
            requested_nid=f"example-n{number}",
            state=case.state,
            state_since=case.state_since - timedelta(minutes=number // 2),
            registrant_id=case.registrant_id,
            draft=case.draft,
        )
        for number in range(count)
    )
    Round.objects.bulk_create(
        Round(
            case=each,
            number=1,
            content=latest.content,
            commitments=latest.commitments,
            text=latest.text,
            digest=latest.digest,
            submitted_by_id=latest.submitted_by_id,
        )
        for each in made
    )


def a_body(*, name: str = "Example Standards Body", recognition: Recognition = Recognition.PENDING) -> Body:
    return Body.objects.create(name=name, recognition=recognition)
