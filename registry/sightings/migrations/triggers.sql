-- Pages of NIDs that are not registered name confirmed sightings.
CALL renew_change_token('sightings_sighting', 'INSERT OR UPDATE OR DELETE');
