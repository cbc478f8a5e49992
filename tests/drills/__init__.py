"""Drills: faults of real servers under load, as `docs/operations.md` reports them."""
