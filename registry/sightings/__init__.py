"""Unregistered NIDs: NIDs that are in use although no namespace has them, by sightings that people report."""
