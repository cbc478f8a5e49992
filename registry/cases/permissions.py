"""Is this person X for this case, or for this body? Predicates, the only place that answers.

Nobody is expert, administrator or liaison for a case in which they are registrant or co-editor, that
revises a namespace of theirs, or from which they recused themselves, whatever roles they hold.
"""

from django.contrib.auth.models import AnonymousUser

from registry.accounts.models import Body, RoleName, User
from registry.cases.models import Case

Person = User | AnonymousUser


def is_registrant(user: Person, case: Case) -> bool:
    return user.is_authenticated and case.registrant_id == user.pk


def is_editor(user: Person, case: Case) -> bool:
    """The registrant, or a co-editor."""
    if not user.is_authenticated:
        return False
    # Read whole, and so once where the case was fetched with them.
    co_editors = case.co_editors.all()
    return is_registrant(user, case) or any(link.user_id == user.pk for link in co_editors)


def is_disinterested(user: Person, case: Case) -> bool:
    if is_editor(user, case) or _holds_what_is_revised(user, case):
        return False
    return all(recusal.user_id != user.pk for recusal in case.recusals.all())


def _holds_what_is_revised(user: Person, case: Case) -> bool:
    """After a transfer, a revision that its former registrant began is still of this person's namespace."""
    if not case.is_revision or case.namespace is None:
        return False
    return user.is_authenticated and case.namespace.registrant_id == user.pk


def _acts_as(role: RoleName, user: Person, case: Case) -> bool:
    return isinstance(user, User) and role in user.roles and is_disinterested(user, case)


def is_expert(user: Person, case: Case) -> bool:
    return _acts_as(RoleName.EXPERT, user, case)


def is_administrator(user: Person, case: Case) -> bool:
    return _acts_as(RoleName.ADMINISTRATOR, user, case)


def is_liaison(user: Person, case: Case) -> bool:
    return _acts_as(RoleName.LIAISON, user, case)


def may_recuse(user: Person, case: Case) -> bool:
    """Whoever holds a role that they could use in the case."""
    has_role = isinstance(user, User) and bool(user.roles)
    return has_role and case.is_public and is_disinterested(user, case)


def may_decide_on(user: User, body: Body) -> bool:
    """Whether the standing word on a body is theirs to record: a liaison's who neither speaks for it nor edits a
    case of it.
    """
    if RoleName.LIAISON not in user.roles or body.representatives.filter(pk=user.pk).exists():
        return False
    return not Case.objects.edited_by(user).filter(body=body).exists()
