"""The daily job of the worker (`manage.py worker`): reminders to confirm contacts."""

from procrastinate.contrib.django import app

from registry.custody.actions.contact import remind_contacts


@app.periodic(cron="23 5 * * *")
@app.task(name="registry.custody.remind_contacts", queueing_lock="registry.custody.remind_contacts")
def remind_contacts_daily(timestamp: int) -> None:
    remind_contacts()
