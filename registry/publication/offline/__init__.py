"""The public registry as packages for programs without a network: `urn-registry-data`, a wheel for Python and an archive for npm.

Both have the same parts, each a JSON document (`contents`), with a few lines of code that read them (`archives`). The data has
the time of the last event, so the same state of the registry makes the same packages.
"""
