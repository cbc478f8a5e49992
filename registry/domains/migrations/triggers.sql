-- Pages of namespaces name the verified domains of the organisation.
CALL renew_change_token('domains_organisationdomain', 'UPDATE OR DELETE');
