"""Jobs of the worker (`manage.py worker`): the head of the log is published every hour, and others are asked about it."""

from django.conf import settings
from django.db import transaction
from procrastinate import JobContext
from procrastinate.contrib.django import app

from registry.audit_log.heads import publish_head
from registry.audit_log.tiles import write_tiles
from registry.core.jobs import OUTGOING
from registry.mail import outbox


@app.periodic(cron="27 * * * *")
@app.task(
    name="registry.audit_log.publish_hourly_head", queueing_lock="registry.audit_log.publish_hourly_head"
)
def publish_hourly_head(timestamp: int) -> None:
    """Write missing tiles. Publish the head if there are new events, and mail it to LOG_HEAD_RECIPIENTS, in one transaction."""
    write_tiles()
    with transaction.atomic():
        if head := publish_head():
            outbox.post("signed_head", to=settings.LOG_HEAD_RECIPIENTS, context={"head": head})


@app.periodic(cron="*/5 * * * *")
@app.task(
    name="registry.audit_log.ask_witnesses",
    queueing_lock="registry.audit_log.ask_witnesses",
    queue=OUTGOING,
    pass_context=True,
)
def ask_witnesses(context: JobContext, timestamp: int) -> None:
    """Ask the witnesses of LOG_WITNESSES to cosign heads, and LOG_TIMESTAMP_AUTHORITIES for time stamps of them.

    Ends early if the worker is stopped, and at a malformed setting.
    """
    # Web processes load this module too, and none of them sends requests.
    from registry.audit_log.attestations import ask_each
    from registry.audit_log.timestamps import authorities
    from registry.audit_log.witnesses import witnesses

    ask_each(witnesses(), should_stop=context.should_abort)
    ask_each(authorities(), should_stop=context.should_abort)
