"""Actions that do not change the state: recusal, and the choice of how a case is decided."""

from registry.accounts.models import RoleName, User
from registry.cases.models import Case, Recusal, Review
from registry.cases.workflow.action_table import ANTICIPATE_STANDARDS_ACTION, RECUSE, REQUIRE_TWO_EXPERTS
from registry.cases.workflow.definition import action_of
from registry.cases.workflow.engine import act
from registry.cases.workflow.exceptions import SecondExpertNeeded
from registry.core.validators import check_optional_text, check_text


@action_of(RECUSE)
def recuse(case: Case, *, by: User, reason: str = "") -> Case:
    """Recuse `by` permanently from acting in the case as expert, administrator or liaison."""
    with act(RECUSE, case, by=by) as context:
        context.reason = check_optional_text(reason, "the reason")
        Recusal.objects.create(case=context.case, user=by, reason=context.reason)
    return context.case


@action_of(ANTICIPATE_STANDARDS_ACTION)
def anticipate_standards_action(case: Case, *, by: User, anticipated: bool, reason: str) -> Case:
    """Record whether a standards action is anticipated; the experts then report instead of approving (6.2, step 4)."""
    with act(ANTICIPATE_STANDARDS_ACTION, case, by=by) as context:
        context.reason = check_text(reason, "the reason")
        context.details = {"anticipated": anticipated}
        context.case.standards_action = anticipated
        context.case.save()
    return context.case


@action_of(REQUIRE_TWO_EXPERTS)
def require_two_experts(case: Case, *, by: User, required: bool, reason: str) -> Case:
    """Record whether two experts must agree on a round; otherwise the first verdict decides.

    After the verdict of one of two, only an expert who leads the others can lower the requirement: the second would
    otherwise decide against the first.
    """
    with act(REQUIRE_TWO_EXPERTS, case, by=by) as context:
        if context.case.needs_two_experts and not required:
            _check_may_lower(context.case, by)
        context.reason = check_text(reason, "the reason")
        context.details = {"required": required}
        context.case.needs_two_experts = required
        context.case.save()
    return context.case


def _check_may_lower(case: Case, by: User) -> None:
    """Raise SecondExpertNeeded after a verdict, unless `by` is a leader who gave none."""
    given = Review.objects.deciding().filter(round__case=case, round__number=case.latest_round_number)
    if RoleName.LEADER in by.roles:
        given = given.filter(expert=by)
    if review := given.select_related("expert").first():
        raise SecondExpertNeeded(
            f"{review.expert} has reviewed the round as the first of two experts. Only another leader who is an "
            "expert can now record that one is enough."
        )
