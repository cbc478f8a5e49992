"""Actions that do not change the state: recusal, and the choice of how a case is decided."""

from registry.accounts.models import RoleName, User
from registry.actions.engine import performs
from registry.cases.models import Case, Recusal, Review
from registry.cases.workflow.action_table import ANTICIPATE_STANDARDS_ACTION, RECUSE, REQUIRE_TWO_EXPERTS
from registry.cases.workflow.exceptions import SecondExpertNeeded
from registry.cases.workflow.subject import CASE, CaseContext
from registry.core.validators import check_optional_text, check_text


@performs(RECUSE, CASE)
def recuse(context: CaseContext, *, reason: str = "") -> None:
    """Recuse `by` permanently from acting in the case as expert, administrator or liaison."""
    context.reason = check_optional_text(reason, "the reason")
    Recusal.objects.create(case=context.case, user=context.actor, reason=context.reason)


@performs(ANTICIPATE_STANDARDS_ACTION, CASE)
def anticipate_standards_action(context: CaseContext, *, anticipated: bool, reason: str) -> None:
    """Record whether a standards action is anticipated; the experts then report instead of approving (6.2, step 4)."""
    context.reason = check_text(reason, "the reason")
    context.details = {"anticipated": anticipated}
    context.case.standards_action = anticipated
    context.case.save()


@performs(REQUIRE_TWO_EXPERTS, CASE)
def require_two_experts(context: CaseContext, *, required: bool, reason: str) -> None:
    """Record whether two experts must agree on a round; otherwise the first verdict decides.

    After the verdict of one of two, only an expert who leads the others can lower the requirement: the second would
    otherwise decide against the first.
    """
    if context.case.needs_two_experts and not required:
        _check_may_lower(context.case, context.actor)
    context.reason = check_text(reason, "the reason")
    context.details = {"required": required}
    context.case.needs_two_experts = required
    context.case.save()


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
