"""Whether mails are written about what happens. `mail.outbox.silence` says so; actions ask before they look for recipients."""

from contextvars import ContextVar

is_silent: ContextVar[bool] = ContextVar("is_silent", default=False)
