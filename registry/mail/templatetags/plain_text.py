"""The filters of `registry.mail.plain_text`, for the templates of mails."""

from django import template

from registry.mail import plain_text

register = template.Library()
register.filter("one_line", plain_text.one_line)
register.filter("indented", plain_text.indented)
