"""Puts, gets and selects with the client that openapi-python-client made."""

import sys

from svc_client import Client
from svc_client.api.entry import get, put
from svc_client.api.query import qryfldexe
from svc_client.models import PutRequest, QryfldexeRequest

client = Client(base_url=sys.argv[1])
stored = put.sync(client=client, body=PutRequest(key="python", val=7, value_type="long"), idempotency_key="python-1")
assert stored is not None and stored.response is True, stored
found = get.sync(client=client, key="python")
assert found is not None and found.response == 7, found
page = qryfldexe.sync(client=client, body=QryfldexeRequest(qry="SELECT ? + 1", page_size=10, args=[41]))
assert page is not None and page.response.items == [[42]], page
print("done")
