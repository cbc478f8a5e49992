"""The hourly job of the worker (`manage.py worker`): reminders, summaries and digests."""

from procrastinate.contrib.django import app

from registry.accounts.daily_mail import send_digests
from registry.review_desk.reminders import send_reminders, send_summaries


@app.periodic(cron="7 * * * *")
@app.task(name="registry.review_desk.send_reminders", queueing_lock="registry.review_desk.send_reminders")
def send_reminders_and_summaries(timestamp: int) -> None:
    send_reminders()
    send_summaries()
    send_digests()
