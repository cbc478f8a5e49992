CALL refuse_statements(
    'resolution_confirmedhost', 'confirmed_host_is_not_changed', 'UPDATE OR TRUNCATE', 'are never changed, only withdrawn'
);
CALL refuse_statements('resolution_servicehealth', 'service_health_is_kept', 'TRUNCATE', 'are not truncated');

CALL renew_change_token('resolution_confirmedhost', 'INSERT OR DELETE');
CALL renew_change_token('resolution_servicehealth', 'INSERT OR UPDATE OR DELETE');
