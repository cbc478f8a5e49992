-- Each new entry is looked up by its number. In a join, PostgreSQL would read the whole list for each, if its statistics are those of
-- rows that were taken back.
CREATE OR REPLACE FUNCTION registers_check_entries() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
    IF EXISTS (
        SELECT FROM added
        WHERE (SELECT namespace_id FROM subnamespaces_subnamespace WHERE id = added.subnamespace_id)
            <> (SELECT namespace_id FROM registers_register WHERE id = added.register_id)
    ) THEN
        RAISE EXCEPTION '% refused: rows of % have a register of the namespace of their sub-namespace', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END
$$;
