DROP TRIGGER change_is_of_its_register ON registers_entryrequest;
DROP FUNCTION registers_check_changes();
DROP TRIGGER entry_request_keeps_its_change ON registers_entryrequest;
