"""The form that sets the profile of a namespace as a TOML document."""

from typing import Any

from django import forms

from registry.accounts.models import User
from registry.core.exceptions import RegistryError
from registry.core.text_limits import MAX_BASIS_LENGTH
from registry.namespaces.forms.changes import ChangeForm
from registry.namespaces.models import Namespace, ProfileVersion
from registry.namespaces.profile_documents import profile_from_toml, to_toml
from registry.namespaces.services import profiles
from urnsyntax.profiles import Profile
from urnsyntax.profiles.collection import MAX_FILE_SIZE


class SetProfileForm(ChangeForm):
    label = "Edit the profile"
    button = "Set this profile"
    effect = (
        "A profile says what a namespace is, and which names it allows. "
        "It is public, every version is kept, and the registration stays unchanged. "
        "To remove the profile, empty it and state the basis of the removal."
    )
    success_message = "The profile was set. The registrant was notified by e-mail."
    page = "namespaces/edit_profile.html"
    check_who = staticmethod(profiles.check_may_set_profile)
    action = staticmethod(profiles.set_profile)

    profile = forms.CharField(
        label="Profile",
        help_text="A TOML document with the keys of the profiles in <code>fixtures/profiles</code>.",
        max_length=MAX_FILE_SIZE,
        required=False,
        widget=forms.Textarea(
            {
                "rows": 30,
                "class": "nid",
                "autocapitalize": "none",
                "autocomplete": "off",
                "spellcheck": "false",
            }
        ),
    )
    basis = forms.CharField(
        label="Basis",
        help_text="Why this version is set, such as a section of the registration and its text. This is public.",
        max_length=MAX_BASIS_LENGTH,
        widget=forms.Textarea({"rows": 4}),
    )
    replaces = forms.IntegerField(widget=forms.HiddenInput, min_value=0)

    def __init__(self, *args: Any, namespace: Namespace, **kwargs: Any) -> None:
        last = namespace.profile_versions.last()
        self.current = last if last and last.value else None
        value = last.value if last else None
        initial = {"profile": to_toml(value) if value else "", "replaces": last.version if last else 0}
        super().__init__(*args, namespace=namespace, initial=initial, **kwargs)

    def clean_profile(self) -> Profile | None:
        """The profile, whose examples behave as it says; None for an empty text."""
        document = self.cleaned_data["profile"]
        if not document:
            return None
        try:
            profile = profile_from_toml(document)
            profiles.check_profile(self.namespace, profile)
        except profiles.NamesContradict as refusal:
            raise forms.ValidationError([refusal.title, *refusal.failures]) from refusal
        except RegistryError as error:
            raise forms.ValidationError(str(error), code="invalid") from error
        return profile

    @staticmethod
    def check_open(namespace: Namespace) -> None:
        """A profile can be set at any time."""

    def perform(self, *, by: User) -> ProfileVersion:
        try:
            return self.action(self.namespace, by=by, **self.cleaned_data)
        except profiles.StaleProfile as stale:
            # The page now shows the current profile, so the next attempt replaces that one.
            self.data = {**self.data.dict(), "replaces": str(stale.current)}  # type: ignore[attr-defined]
            raise
