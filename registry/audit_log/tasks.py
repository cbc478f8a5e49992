"""The hourly job of the worker (`manage.py worker`) that publishes the head of the log."""

from django.conf import settings
from django.db import transaction
from procrastinate.contrib.django import app

from registry.audit_log.heads import publish_head
from registry.audit_log.tiles import write_tiles
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
