"""The pages on which administrators confirm and withdraw hosts."""

from functools import partial

from registry.actions.pages import action_page
from registry.namespaces.views.changes import find_namespace, show_namespace
from registry.resolution.forms import HostForm
from registry.resolution.services.hosts import CONFIRM_HOST, WITHDRAW_HOST

_host_page = partial(
    action_page,
    find=find_namespace,
    template="resolution/host.html",
    show=show_namespace,
    form_class=HostForm,
)
confirm = _host_page(CONFIRM_HOST)
withdraw = _host_page(WITHDRAW_HOST)
