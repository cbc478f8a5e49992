"""The pages of contacts: the change, and the confirmation by a mailed link."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.cache import never_cache

from registry.actions.forms import ActionForm
from registry.actions.pages import action_page
from registry.core.exceptions import NotPermitted
from registry.core.form_views import form_page, get_or_post, take_action
from registry.custody.links import is_confirmation_token
from registry.custody.models import NamespaceContact
from registry.custody.services.contact import CHANGE_CONTACT, confirm_contact
from registry.namespaces.queries import get_namespace
from registry.namespaces.views.changes import find_namespace, show_namespace


class ContactForm(ActionForm):
    """The contact is filled in as it is."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if contact := NamespaceContact.objects.filter(pk=self.subject.pk).first():
            self.initial.update(name=contact.name, email=contact.email)


change_contact = action_page(
    CHANGE_CONTACT,
    find_namespace,
    template="custody/contact.html",
    show=show_namespace,
    form_class=ContactForm,
)


@login_not_required
@get_or_post
@never_cache
def confirm_by_link(request: HttpRequest, nid: str, token: str) -> HttpResponse:
    """The page of the link in reminders. Only its button confirms the contact."""
    namespace = get_namespace(nid.lower())
    contact = NamespaceContact.objects.filter(pk=namespace.pk).first()
    is_by_contact = contact is not None and is_confirmation_token(contact, token, is_to_contact=True)
    if contact is None or not (is_by_contact or is_confirmation_token(contact, token)):
        raise NotPermitted(
            f"This link no longer confirms the contact of “{namespace.nid}”: it was confirmed or changed."
        )

    def perform() -> HttpResponse:
        confirm_contact(namespace, by=None, is_by_contact=is_by_contact)
        messages.success(request, "The contact is confirmed for a year.")
        return redirect(namespace)

    page = form_page(request, "custody/confirm.html", {"namespace": namespace, "contact": contact})
    return take_action(perform, page) if request.method == "POST" else page()
