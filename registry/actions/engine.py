"""Performs actions: locks, checks, the function, the event and the mails, in one transaction."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Protocol, TypeVar, cast, overload

from django.db import transaction

from registry.accounts import grants
from registry.accounts.gravity import Gravity, check_token_permits
from registry.accounts.locks import check_is_verified
from registry.accounts.models import User
from registry.accounts.roles import lock_roles
from registry.actions.declarations import Action, ActionContext, Subject, SubjectType
from registry.core.rate_limits import count_attempt

Result = TypeVar("Result")
Locked_co = TypeVar("Locked_co", covariant=True)


class Bind(Protocol[Locked_co]):
    """The decorator that `performs` returns."""

    @overload
    def __call__(self, function: Callable[..., None]) -> Callable[..., Locked_co]: ...

    @overload
    def __call__(self, function: Callable[..., Result]) -> Callable[..., Result]: ...


def performs(action: Action[Any], subject_type: SubjectType[Subject]) -> Bind[Subject]:
    """Bind a function to the action that it carries out, `function(context, **arguments)`, and to what the action is about.

    The decorated function is called with the subject, unless that is the person, `by`, and the arguments. It returns what the
    function returns, or else the locked subject.
    """

    def bind(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def perform(subject: Any = None, *, by: User | None, **arguments: Any) -> Any:
            subject = by if subject is None else subject
            if isinstance(by, User):
                check_token_permits(action.gravity, by=by)
                if action.limit:
                    count_attempt(action.limit, by=by)
            with transaction.atomic():
                context = _begin(action, subject_type, subject, by, arguments)
                result = function(context, **arguments)
                context.result = context.subject if result is None else result
                if action.is_logged and context.is_recorded:
                    subject_type.record(context)
                context.afterwards()
            return context.result

        action.function, action.subject_type = perform, subject_type
        return perform

    return cast("Bind[Subject]", bind)


def _begin(
    action: Action[Any],
    subject_type: SubjectType[Any],
    subject: Any,
    by: User | None,
    arguments: Mapping[str, Any],
) -> ActionContext[Any]:
    """Lock and re-read the subject, and check that `by` may act."""
    made_with = None
    if by is None:
        if not action.is_automatic:
            raise AssertionError(f"{action.name} needs a person")
        subject = subject_type.lock(subject, by)
        action.check_open(subject)
        return subject_type.begin(subject, by, action)
    if action.makes_grant:
        made_with = grants.lock_grantor(by)
    if action.uses_grants:
        found, others = action.uses_grants.found(subject, by), action.uses_grants.accounts(subject)
        grants.lock_parties(*found, by=by, others=others)
    action.lock_first(subject, arguments)
    subject = subject_type.lock(subject, by)
    lock_roles(by)
    action.check_allowed(by, subject)
    if action.acts_in_role(by, subject):
        check_token_permits(Gravity.DECISION, by=by)
    if action.needs_confirmed_address:
        check_is_verified(by)
    if action.uses_grants:
        lapses = [grants.lapse_of(each) for each in action.uses_grants.found(subject, by)]
        if all(lapses):
            message = action.uses_grants.message.format(lapse=lapses[0] if lapses else "")
            raise action.uses_grants.refusal(" ".join(message.split()))
    return subject_type.begin(subject, by, action, made_with)
