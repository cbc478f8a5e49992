-- Replicated changes are checked, too, as by all other triggers of registers. The tables are locked in the order in which actions write.
ALTER TABLE registers_register ENABLE ALWAYS TRIGGER register_is_below_its_namespace;
ALTER TABLE registers_entry ENABLE ALWAYS TRIGGER entry_is_of_its_namespace;
