-- The page of a namespace says that mail to its contact came back.
CALL renew_change_token('mail_bouncedaddress', 'INSERT OR UPDATE OR DELETE');
