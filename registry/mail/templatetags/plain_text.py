"""Template filters for mails, from `registry.mail.plain_text`."""

from django import template

from registry.mail import plain_text

register = template.Library()
register.filter("one_line", plain_text.one_line)
register.filter("quoted", plain_text.quoted)
register.filter("indented", plain_text.indented)
