"""Puts, gets, selects and imports with the client that openapi-python-client generated."""

import sys
from io import BytesIO

from svc_client import Client
from svc_client.api.entry import get, put
from svc_client.api.query import qryfldexe
from svc_client.api.resource import get_entry, get_rows_of_city, post_rows_of_city, put_entry
from svc_client.api.transfer import import_
from svc_client.models import CITYRow, ImportFormat, PutRequest, QryfldexeRequest
from svc_client.types import File

client = Client(base_url=sys.argv[1])
stored = put.sync(client=client, body=PutRequest(key="python", val=7, value_type="long"), idempotency_key="python-1")
assert stored is not None and stored.response is True, stored
found = get.sync(client=client, key="python")
assert found is not None and found.response == 7, found
page = qryfldexe.sync(client=client, body=QryfldexeRequest(qry="SELECT ? + 1", page_size=10, args=[41]))
assert page is not None and page.response.items == [[42]], page
body = File(payload=BytesIO(b"key,value\ngenerated,1\n"))
rows = import_.sync(client=client, body=body, cache_name="default", format_=ImportFormat.CSV)
assert rows is not None and rows.response.rows == 1, rows
entry = put_entry.sync_detailed("default", "python/b", client=client, body={"colour": "red"})
assert entry.status_code == 201, entry
value = get_entry.sync_detailed("default", "python/b", client=client)
assert value.status_code == 200 and b'"red"' in value.content, value
rows = post_rows_of_city.sync_detailed(client=client, body=[CITYRow(id=4, name="Bergen")])
assert rows.status_code == 201, rows
selected = get_rows_of_city.sync(client=client, name="eq.Bergen", limit=5)
assert isinstance(selected, list) and selected[0].name == "Bergen", selected
print("done")
