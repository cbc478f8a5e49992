"""Confirmed hosts and the health of services, which are not in the profile."""

from registry.resolution.models.confirmed_hosts import Basis, ConfirmedHost
from registry.resolution.models.listed_services import ListedService
from registry.resolution.models.service_health import HealthState, ServiceHealth

__all__ = ["Basis", "ConfirmedHost", "HealthState", "ListedService", "ServiceHealth"]
