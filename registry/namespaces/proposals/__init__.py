"""Proposed profiles: what registrants state of a namespace beside the registration template."""
