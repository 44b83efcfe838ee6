#!/bin/sh
# Stores and reads values and objects, reads rows page by page and as lines. Argument: the endpoint.
set -eu
svc=${1:-http://localhost:8080/svc}
# The value of a member that is a number, a word or a string.
member() { sed -n "s/.*\"$1\":\"\{0,1\}\([^\",}]*\).*/\1/p"; }

curl -sS "$svc/put" --json '{"key": "colour", "val": "red"}' > /dev/null
echo "get: $(curl -sS "$svc/get?key=colour" | member response)"

curl -sS "$svc/put" --json '{"key": "ann", "val": {"name": "Ann", "age": 41}, "valueType": "Person"}' > /dev/null
echo "object: $(curl -sS "$svc/get?key=ann" | member name)"

sql='SELECT X FROM SYSTEM_RANGE(1, ?)'
page=$(curl -sS "$svc/qryfldexe" --json "{\"qry\": \"$sql\", \"args\": [5], \"pageSize\": 2}")
rows=
while :; do
  rows="$rows$(echo "$page" | sed 's/.*"items":\[\(.*\)\],"last".*/\1/' | tr -d '[]' | tr ',' ' ') "
  [ "$(echo "$page" | member last)" = true ] && break
  id=$(echo "$page" | member queryId)
  page=$(curl -sS "$svc/qryfetch?qryId=${cursor:=$id}&pageSize=2")
done
echo "rows: ${rows% }"

lines=$(curl -sSN "$svc/qryfldexe" -H 'Accept: application/x-ndjson' --json "{\"qry\": \"$sql\", \"args\": [1000], \"pageSize\": 1000}" | wc -l)
echo "lines: $((lines))"
