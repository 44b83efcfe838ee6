#!/bin/sh
# Stores and reads values and objects, reads rows page by page and as lines. Argument: the endpoint.
set -eu
svc=${1:-http://localhost:8080/svc}
# The value of a member that is a number, a word or a string.
member() { sed -n "s/.*\"$1\":\"\{0,1\}\([^\",}]*\).*/\1/p"; }

curl -sSf "$svc/put?httpStatus=true" --json '{"key": "colour", "val": "red"}' > /dev/null
echo "get: $(curl -sSf "$svc/get?key=colour&httpStatus=true" | member response)"

curl -sSf "$svc/put?httpStatus=true" --json '{"key": "ann", "val": {"name": "Ann", "age": 41}, "valueType": "Person"}' > /dev/null
echo "object: $(curl -sSf "$svc/get?key=ann&httpStatus=true" | member name)"

sql='SELECT X FROM SYSTEM_RANGE(1, ?)'
page=$(curl -sSf "$svc/qryfldexe?httpStatus=true" --json "{\"qry\": \"$sql\", \"args\": [5], \"pageSize\": 2}")
rows=
while :; do
  rows="$rows$(echo "$page" | sed 's/.*"items":\[\(.*\)\],"last".*/\1/' | tr -d '[]' | tr ',' ' ') "
  [ "$(echo "$page" | member last)" = true ] && break
  id=$(echo "$page" | member queryId)
  page=$(curl -sSf "$svc/qryfetch?httpStatus=true&qryId=${cursor:=$id}&pageSize=2")
done
echo "rows: ${rows% }"

lines=$(curl -sSN "$svc/qryfldexe" -H 'Accept: application/x-ndjson' --json "{\"qry\": \"$sql\", \"args\": [1000], \"pageSize\": 1000}" | wc -l)
echo "lines: $((lines))"
