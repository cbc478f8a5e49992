"""What the registry knows of services beyond the profile: confirmed hosts, and health."""

from registry.resolution.models.confirmed_hosts import Basis, ConfirmedHost
from registry.resolution.models.listed_services import ListedService
from registry.resolution.models.service_health import HealthState, ServiceHealth

__all__ = ["Basis", "ConfirmedHost", "HealthState", "ListedService", "ServiceHealth"]
