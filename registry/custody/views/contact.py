"""The pages of contacts: the change, and the confirmation by a mailed link."""

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.cache import never_cache

from registry.accounts.middleware import SignedInRequest
from registry.accounts.recent_sign_in import recent_sign_in_for
from registry.core.exceptions import NotPermitted
from registry.core.form_views import form_page, get_or_post, posted, process_form, take_action
from registry.custody.forms import ContactForm
from registry.custody.links import is_confirmation_token
from registry.custody.models import NamespaceContact
from registry.custody.services import contact as contacts
from registry.custody.services.contact import check_may_change_contact, confirm_contact
from registry.namespaces.queries import get_namespace


@get_or_post
@recent_sign_in_for(contacts.change_contact)
def change_contact(request: SignedInRequest, nid: str) -> HttpResponse:
    namespace = get_namespace(nid.lower())
    check_may_change_contact(namespace, by=request.user)
    contact = NamespaceContact.objects.filter(pk=namespace.pk).first()
    initial = {"name": contact.name, "email": contact.email} if contact else {}
    form = ContactForm(posted(request), initial=initial)

    def perform() -> HttpResponse:
        form.perform(namespace, by=request.user)
        messages.success(request, "The contact was changed. The registered text stays as it is.")
        return redirect(namespace)

    page = form_page(request, "custody/contact.html", {"namespace": namespace, "form": form})
    return process_form(form, perform, page)


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
