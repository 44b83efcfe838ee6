"""Stores and reads values and objects, reads rows page by page and as lines. Argument: the endpoint."""

import sys

import requests

URL = sys.argv[1] if len(sys.argv) > 1 else "http://localhost:8080/svc"
SQL = "SELECT X FROM SYSTEM_RANGE(1, ?)"
session = requests.Session()
session.params = {"httpStatus": "true", "errors": "object"}


class CommandError(Exception):
    def __init__(self, error):
        super().__init__(error["message"])
        self.code = error["code"]


def command(name, **parameters):
    envelope = session.post(f"{URL}/{name}", json=parameters).json()
    if envelope["successStatus"] != 0:
        raise CommandError(envelope["error"])
    return envelope["response"]


def rows(sql, *args, page_size=1000):
    page = command("qryfldexe", qry=sql, args=args, pageSize=page_size)
    cursor = page["queryId"]
    try:
        while True:
            yield from page["items"]
            if page["last"]:
                return
            page = command("qryfetch", qryId=cursor, pageSize=page_size)
    finally:
        if not page["last"]:
            command("qrycls", qryId=cursor)


command("put", key="colour", val="red")
print("get:", command("get", key="colour"))

command("put", key="ann", val={"name": "Ann", "age": 41}, valueType="Person")
print("object:", command("get", key="ann")["name"])

print("rows:", *(x for (x,) in rows(SQL, 5, page_size=2)))

request = {"qry": SQL, "args": [1000], "pageSize": 1000}
headers = {"Accept": "application/x-ndjson"}
with session.post(f"{URL}/qryfldexe", json=request, headers=headers, stream=True) as response:
    print("lines:", sum(1 for _ in response.iter_lines()))
