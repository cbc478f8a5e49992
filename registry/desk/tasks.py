"""What the worker (`manage.py procrastinate worker`) does for the desk: it reminds, and sends the summaries."""

from procrastinate.contrib.django import app

from registry.desk.reminders import remind
from registry.desk.summaries import send_summaries


@app.periodic(cron="7 * * * *")
@app.task(name="registry.desk.remind", queueing_lock="registry.desk.remind")
def remind_and_sum_up(timestamp: int) -> None:
    remind()
    send_summaries()
