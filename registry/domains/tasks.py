"""Jobs of the worker (`manage.py worker`) that check domains: when a representative asks, and daily what is due."""

from procrastinate import JobContext
from procrastinate.contrib.django import app

from registry.core.jobs import OUTGOING, in_transaction


@app.task(name="registry.domains.check", queue=OUTGOING)
def check(key: int) -> None:
    """Check one domain."""
    from registry.domains.checks import check_domain

    check_domain(key)


@app.periodic(cron="41 4 * * *")
@app.task(
    name="registry.domains.check_due",
    queueing_lock="registry.domains.check_due",
    queue=OUTGOING,
    pass_context=True,
)
def check_due(context: JobContext, timestamp: int) -> None:
    """Check verified domains again. If the worker is stopped, it ends early; the others are checked on the next day."""
    from registry.domains.checks import check_due_domains

    check_due_domains(should_stop=context.should_abort)


def defer_check(key: int, account: int) -> None:
    """Defer a check that an account asks for, in the caller's transaction. Those of one account run one after another."""
    in_transaction(check, lock=f"checks of domains for account {account}").defer(key=key)
