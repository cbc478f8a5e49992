-- Lists of namespaces in every order, optionally limited to those changed since an instant, from indexes only.
--
-- `namespaces_listed` runs one query per kind and status, each answered by one index. A keyset condition over a date
-- and a NID makes the planner expect most of the table and sort it; the function disables those plans. Lists of
-- namespaces that changed since an instant, in another order, use indexes by year of the last change: later years are read
-- in the requested order; in the year of that instant, the changed rows are sorted if they are few, and filtered if they
-- are many.

-- A column for indexes, which Django does not know.
ALTER TABLE namespaces_namespace ADD COLUMN changed text COLLATE "C"
    GENERATED ALWAYS AS (namespaces_instant(changed_at)) STORED;

CREATE INDEX by_change_active ON namespaces_namespace (kind, changed, nid, registered_on, updated_on)
    WHERE deprecated_at IS NULL;
CREATE INDEX by_nid_in_years_active ON namespaces_namespace (kind, left(changed, 4), nid)
    INCLUDE (changed) WHERE deprecated_at IS NULL;
CREATE INDEX by_registration_in_years_active ON namespaces_namespace
    (kind, left(changed, 4), (registered_on || ''), nid) INCLUDE (changed, registered_on) WHERE deprecated_at IS NULL;
CREATE INDEX by_update_in_years_active ON namespaces_namespace
    (kind, left(changed, 4), (updated_on || ''), nid) INCLUDE (changed, updated_on) WHERE deprecated_at IS NULL;

CREATE INDEX by_change_deprecated ON namespaces_namespace (kind, changed, nid, registered_on, updated_on)
    WHERE deprecated_at IS NOT NULL;
CREATE INDEX by_nid_in_years_deprecated ON namespaces_namespace (kind, left(changed, 4), nid)
    INCLUDE (changed) WHERE deprecated_at IS NOT NULL;
CREATE INDEX by_registration_in_years_deprecated ON namespaces_namespace
    (kind, left(changed, 4), (registered_on || ''), nid) INCLUDE (changed, registered_on) WHERE deprecated_at IS NOT NULL;
CREATE INDEX by_update_in_years_deprecated ON namespaces_namespace
    (kind, left(changed, 4), (updated_on || ''), nid) INCLUDE (changed, updated_on) WHERE deprecated_at IS NOT NULL;

-- The query of `namespaces_listed` for one kind and one status.
CREATE FUNCTION namespaces_list_query(
    since text, kind text, status text, grammar text, date text, descends boolean, beyond_date text, beyond_nid text,
    few integer, most integer
) RETURNS text
LANGUAGE plpgsql STABLE STRICT
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_indexscan = on SET enable_indexonlyscan = on
SET jit = off
AS $$
DECLARE
    -- Sorts after all days of the year.
    year_end CONSTANT text := left(since, 4) || '-~';
    class CONSTANT text := format(
        'FROM namespaces_namespace AS one WHERE one.kind = %L AND one.deprecated_at IS %s%s', kind,
        CASE status WHEN 'active' THEN 'NULL' ELSE 'NOT NULL' END,
        CASE grammar WHEN 'with' THEN ' AND one.has_grammar' WHEN 'without' THEN ' AND NOT one.has_grammar' ELSE '' END
    );
    columns CONSTANT text := CASE date WHEN '' THEN ''''' AS sort_date, one.nid'
        ELSE format('one.%I AS sort_date, one.nid', date) END;
    key CONSTANT text := CASE
        WHEN date = '' THEN 'one.nid'
        WHEN since = '' OR grammar = 'with' THEN format('one.%I, one.nid', date)
        ELSE format('(one.%I || ''''), one.nid', date)
    END;
    direction CONSTANT text := CASE WHEN descends THEN 'DESC' ELSE 'ASC' END;
    sorting CONSTANT text := replace(key, ',', ' ' || direction || ',') || ' ' || direction;
    beyond CONSTANT text := CASE
        WHEN beyond_nid = '' THEN 'true'
        WHEN date = '' THEN format('one.nid %s %L', CASE WHEN descends THEN '<' ELSE '>' END, beyond_nid)
        ELSE format('(%s) %s (%L, %L)', key, CASE WHEN descends THEN '<' ELSE '>' END, beyond_date, beyond_nid)
    END;
    rows_changed integer;
    in_its_year text;
BEGIN
    -- Few namespaces have a grammar, so all of them are filtered.
    IF since = '' OR grammar = 'with' THEN
        RETURN format(
            'SELECT one.sort_date::text, one.nid::text FROM ('
            'SELECT %s %s AND %s AND %s ORDER BY %s LIMIT %s) AS one',
            columns, class, CASE since WHEN '' THEN 'true' ELSE format('one.changed >= %L', since) END, beyond,
            sorting, most
        );
    END IF;
    EXECUTE format(
        'SELECT count(*) FROM (SELECT %s AND one.changed >= %L AND one.changed < %L LIMIT %s) AS first_ones',
        class, since, year_end, few
    ) INTO rows_changed;
    IF rows_changed < few THEN
        in_its_year := format(
            'SELECT %s FROM (SELECT one.nid, one.registered_on, one.updated_on %s AND one.changed >= %L'
            ' AND one.changed < %L OFFSET 0) AS one WHERE %s ORDER BY %s LIMIT %s',
            columns, class, since, year_end, beyond, sorting, most
        );
    ELSE
        in_its_year := format(
            'SELECT %s FROM (SELECT one.nid, one.changed, %s %s AND left(one.changed, 4) = %L AND %s'
            ' ORDER BY %s OFFSET 0) AS one WHERE one.changed >= %L LIMIT %s',
            columns, CASE date WHEN '' THEN '1' ELSE format('one.%I', date) END, class, left(since, 4), beyond,
            sorting, since, most
        );
    END IF;
    RETURN format(
        'WITH RECURSIVE years (year) AS (
             SELECT (SELECT left(min(one.changed), 4) %1$s AND one.changed > %2$L)
             UNION ALL
             SELECT (SELECT left(min(one.changed), 4) %1$s AND one.changed > years.year || ''-~'')
             FROM years WHERE years.year IS NOT NULL
         )
         SELECT one.sort_date::text, one.nid::text FROM (
             (%3$s)
             UNION ALL
             SELECT in_year.* FROM years CROSS JOIN LATERAL (
                 SELECT %4$s %1$s AND left(one.changed, 4) = years.year AND %5$s ORDER BY %6$s LIMIT %7$s
             ) AS in_year WHERE years.year IS NOT NULL
         ) AS one
         ORDER BY one.sort_date %8$s, one.nid %8$s LIMIT %7$s',
        class, year_end, in_its_year, columns, beyond, sorting, most, direction
    );
END
$$;

-- Returns the keys of namespaces, ordered by `date` (a column, or '' for none) and NID: for each kind and status the
-- first `most` after the key (`beyond_date`, `beyond_nid`), if one is given. `grammar` is 'with', 'without' or '',
-- `since` is an instant in UTC, a day, a month or ''. At most `few` rows are sorted.
CREATE FUNCTION namespaces_listed(
    since text, kinds text[], statuses text[], grammar text, date text, descends boolean, beyond_date text,
    beyond_nid text, few integer, most integer
) RETURNS TABLE (sort_date text, nid text)
LANGUAGE plpgsql STABLE STRICT
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET enable_indexscan = on
SET enable_indexonlyscan = on SET jit = off
AS $$
DECLARE
    kind text;
    status text;
BEGIN
    FOREACH kind IN ARRAY kinds LOOP
        FOREACH status IN ARRAY statuses LOOP
            RETURN QUERY EXECUTE namespaces_list_query(
                since, kind, status, grammar, date, descends, beyond_date, beyond_nid, few, most
            );
        END LOOP;
    END LOOP;
END
$$;
