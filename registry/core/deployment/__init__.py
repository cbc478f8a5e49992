"""Checks of a deployment, for `manage.py doctor`, `manage.py check --deploy` and `/health/ready`."""
