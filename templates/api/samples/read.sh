API=https://registry.example.org/api/v1

# The namespace of book numbers. Its ETag is kept in a file.
curl --fail --silent --etag-save isbn.etag "$API/namespaces/isbn/"

# One URN: its parts, its normal form, and whether it follows the rules of its namespace.
curl --fail --silent "$API/urns/urn:isbn:0-451-45052-3"

# Has the namespace changed? 304 says that it has not.
curl --silent --output /dev/null --write-out '%{http_code}\n' \
  --etag-compare isbn.etag "$API/namespaces/isbn/"
