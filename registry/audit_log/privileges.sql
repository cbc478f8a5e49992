-- Privileges of the group roles, granted after each `migrate` by the owner of the tables. The application gets no
-- TRUNCATE, and no UPDATE or DELETE that a trigger refuses (`migrations/triggers.sql`).

-- A database that was upgraded from PostgreSQL 14 lets everyone create objects in the schema. Everyone may create temporary
-- tables, with which a role that only reads could fill the disk. Imports need them.
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
DO $$
BEGIN
    EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
    EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO urn_registry_application', current_database());
END
$$;

GRANT USAGE ON SCHEMA public TO urn_registry_application, urn_registry_read_only;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO urn_registry_application;
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO urn_registry_application;
REVOKE INSERT, UPDATE, DELETE ON django_migrations FROM urn_registry_application;
-- Imported files are written once; only the owner erases.
REVOKE UPDATE, DELETE ON publication_originaltext FROM urn_registry_application;

DO $$
DECLARE
    refusal record;
    permitted record;
    own record;
BEGIN
    -- A temporary table is found before one of the same name in the schema, unless its schema comes last. So no trigger
    -- can be made to read another table than its own.
    FOR own IN
        SELECT oid::regprocedure AS name FROM pg_proc
        WHERE prorettype = 'trigger'::regtype AND pronamespace = 'public'::regnamespace
        AND pg_has_role(proowner, 'USAGE')
    LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = public, pg_temp', own.name);
    END LOOP;

    FOR refusal IN
        SELECT tgrelid::regclass AS name, bool_or((tgtype & 8) <> 0) AS deletes, bool_or((tgtype & 16) <> 0) AS updates
        FROM pg_trigger
        WHERE (tgfoid = 'refuse_statement'::regproc AND (tgtype & 1) = 0) -- once per statement, so for every row
        OR tgfoid = 'refuse_unless_erased'::regproc -- only the owner erases
        GROUP BY tgrelid
    LOOP
        IF refusal.deletes THEN
            EXECUTE format('REVOKE DELETE ON %s FROM urn_registry_application', refusal.name);
        END IF;
        IF refusal.updates THEN
            EXECUTE format('REVOKE UPDATE ON %s FROM urn_registry_application', refusal.name);
        END IF;
    END LOOP;

    -- Secrets are not readable: passwords, tokens, mails with secret links, sessions, stored API responses.
    FOR permitted IN
        SELECT c.oid::regclass AS name, string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) AS columns
        FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
        AND c.relname ~ '^(accounts|audit_log|cases|namespaces|publication|resolution|review_desk)_'
        AND c.relname <> 'accounts_token' AND (c.relname, a.attname) <> ('accounts_user', 'password')
        GROUP BY c.oid
    LOOP
        EXECUTE format('GRANT SELECT (%s) ON %s TO urn_registry_read_only', permitted.columns, permitted.name);
    END LOOP;
END
$$;
