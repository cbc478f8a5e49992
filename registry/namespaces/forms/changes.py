"""The base class of forms that change a namespace."""

from collections.abc import Callable
from typing import Any, ClassVar

from django import forms

from registry.accounts.models import User
from registry.namespaces.models import Namespace, ProfileVersion

Changed = Namespace | ProfileVersion


class ChangeForm(forms.Form):
    """A change of one namespace. `check_who` runs before the page is shown, `check_open` before the form is offered."""

    label: ClassVar[str]
    button: ClassVar[str]
    effect: ClassVar[str]
    success_message: ClassVar[str]
    is_grave: ClassVar[bool] = False
    # The action and its checks. All take the namespace; `check_who` and the action also take `by`.
    check_who: ClassVar[Callable[..., None]]
    check_open: ClassVar[Callable[..., None]]
    action: ClassVar[Callable[..., Changed]]
    page: ClassVar[str] = "namespaces/change.html"

    def __init__(self, *args: Any, namespace: Namespace, **kwargs: Any) -> None:
        self.namespace = namespace
        super().__init__(*args, **kwargs)

    def perform(self, *, by: User) -> Changed:
        return self.action(self.namespace, by=by, **self.cleaned_data)
