"""Names of the group roles in PostgreSQL that login roles are members of. The owner is the role that migrates."""

# For the web and worker processes: reads and writes rows, but changes no immutable row and no table.
APPLICATION_ROLE = "urn_registry_application"
# For reports and verification: reads the data of the registry, without secrets.
READ_ONLY_ROLE = "urn_registry_read_only"
GROUP_ROLES = (APPLICATION_ROLE, READ_ONLY_ROLE)

# The libpq environment of a process that acts as the application, independently of the role it connects as.
AS_APPLICATION = {"PGOPTIONS": f"-c role={APPLICATION_ROLE}"}
