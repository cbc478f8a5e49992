"""The filter of the list of services."""

from typing import TYPE_CHECKING

from django import forms

from registry.resolution.models import HealthState, ListedService

if TYPE_CHECKING:
    from django.db.models import QuerySet


class HealthFilter(forms.Form):
    """Services with one state of health, or all."""

    state = forms.ChoiceField(
        required=False, label="Health", choices=[("", "All services"), *HealthState.choices]
    )

    def narrow(self, services: "QuerySet[ListedService]") -> "QuerySet[ListedService]":
        state = self.cleaned_data.get("state")
        return services.filter(state=state) if state else services
