"""The form that confirms a host of services, or withdraws the confirmation."""

from typing import Any

from registry.actions.forms import ActionForm
from registry.resolution.models import Basis
from registry.resolution.services.hosts import CHECKS, CONFIRM_HOST
from registry.resolution.services.registered_text import evidence_in_registration


class HostForm(ActionForm):
    """A decision on one host of a namespace. If the registered text names the host, that is the proposed basis."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.action is CONFIRM_HOST and (evidence := evidence_in_registration(self.subject, self.host)):
            self.initial.update(basis=Basis.REGISTERED_TEXT, evidence=evidence)

    @property
    def host(self) -> str:
        return str(self.given["host"])

    def check_open(self) -> None:
        CHECKS[self.action](self.subject, self.host)
