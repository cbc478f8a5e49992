-- A crash of the server may forget these tables. In the counters, room for each row's next version keeps updates out of
-- the index.
ALTER TABLE core_counter SET UNLOGGED, SET (fillfactor = 50);

-- The table of settings.CACHES, as `manage.py createcachetable` would create it: django-allauth counts sign-ins in it.
CREATE UNLOGGED TABLE core_cache (
    cache_key varchar(255) PRIMARY KEY,
    value text NOT NULL,
    expires timestamptz NOT NULL
);
CREATE INDEX core_cache_expires ON core_cache (expires);
