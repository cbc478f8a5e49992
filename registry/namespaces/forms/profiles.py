"""The form that sets the profile of a namespace as a TOML document."""

from typing import Any

from django import forms

from registry.actions.forms import ActionForm
from registry.core.exceptions import RegistryError
from registry.namespaces.profile_documents import profile_from_toml, to_toml
from registry.namespaces.services import profiles
from urnsyntax.profiles import Profile


class SetProfileForm(ActionForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        last = self.subject.profile_versions.last()
        self.current = last if last and last.value else None
        self.initial["profile"] = to_toml(self.current.value) if self.current else ""

    def clean_profile(self) -> Profile | None:
        """The profile, whose examples behave as it says; None for an empty text."""
        document = self.cleaned_data["profile"]
        if not document:
            return None
        try:
            profile = profile_from_toml(document)
            profiles.check_profile(self.subject, profile)
        except profiles.NamesContradict as refusal:
            raise forms.ValidationError([refusal.title, *refusal.failures]) from refusal
        except RegistryError as error:
            raise forms.ValidationError(str(error), code="invalid") from error
        return profile
