API=https://registry.example.org/api/v1

# Start a case. If the response is lost, the same request with the same key is safe.
DRAFT=$(curl --fail --silent "$API/cases/" --output case.json --write-out '%header{location}' \
  --header "Authorization: Bearer $TOKEN" \
  --header 'Idempotency-Key: "my-first-case"' \
  --header 'Content-Type: application/json' \
  --data '{"kind": "formal", "sections": {"namespace_identifier": "example-shrubs"}}')

# Read the draft, and change one section. If-Match protects the changes of others.
curl --fail --silent "$DRAFT" --output draft.json --etag-save draft.etag \
  --header "Authorization: Bearer $TOKEN"
curl --fail --silent --request PATCH "$DRAFT" --output draft.json \
  --header "Authorization: Bearer $TOKEN" \
  --header "If-Match: $(cat draft.etag)" \
  --header 'Content-Type: application/json' \
  --data '{"sections": {"purpose": "Names shrubs in the care of botanical gardens."}}'

# What is missing before the case can be submitted?
curl --fail --silent "${DRAFT%draft/}check/" --data '{}' \
  --header "Authorization: Bearer $TOKEN" \
  --header 'Content-Type: application/json'
