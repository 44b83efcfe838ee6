"""Executes calls of the client: reads a line of JSON for each, and writes one with its result or its error."""

import sys

from svc_grid import SvcClient
from svc_grid._exact import parse_exact, write_exact


def execute(svc, method, parameters):
    if method == "query":
        return list(svc.query(parameters["qry"]))
    if method == "scan":
        return [entry._asdict() for entry in svc.scan(cache_name=parameters["cacheName"])]
    return svc.call(method, parameters)


with SvcClient(sys.argv[1]) as svc:
    for line in sys.stdin:
        task = parse_exact(line)
        try:
            answer = {"result": execute(svc, task["method"], task["parameters"])}
        except Exception as error:
            answer = {"error": repr(error)}
        print(write_exact(answer), flush=True)
