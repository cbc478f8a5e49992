-- The services of the current profiles with their health: `ListedService`. A profile has at most 30 services.
CREATE VIEW resolution_listedservice AS
SELECT
    namespace.id * 1000 + service.position AS id,
    namespace.nid,
    service.position::int AS position,
    service.value ->> 'title' AS title,
    service.value ->> 'kind' AS kind,
    service.value ->> 'template' AS template,
    coalesce(service.value ->> 'media_type', '') AS media_type,
    coalesce(service.value ->> 'language', '') AS language,
    coalesce(health.state, 'unknown') AS state,
    coalesce(health.failures, 0) AS failures,
    health.checked_at,
    health.worked_at,
    health.failing_since,
    coalesce(health.detail, '') AS detail
FROM namespaces_namespace namespace
JOIN namespaces_profileversion profile ON profile.id = namespace.profile_id
CROSS JOIN LATERAL jsonb_array_elements(profile.content -> 'services') WITH ORDINALITY AS service (value, position)
LEFT JOIN resolution_servicehealth health
    ON health.namespace_id = namespace.id AND health.template = service.value ->> 'template';
