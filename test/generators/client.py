"""Puts, gets, selects and imports with the client that openapi-python-client made."""

import sys
from io import BytesIO

from svc_client import Client
from svc_client.api.entry import get, put
from svc_client.api.query import qryfldexe
from svc_client.api.transfer import import_
from svc_client.models import ImportFormat, PutRequest, QryfldexeRequest
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
print("done")
