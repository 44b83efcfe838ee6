"""Leaves out the commands that end what the other requests need: an inactive grid answers 503 by design."""

import schemathesis

ENDING = {"deactivate", "inactive", "setstate"}


@schemathesis.hook
def filter_case(context, case):
    parameters = [case.query, case.body]
    return not any(isinstance(each, dict) and str(each.get("cmd")) in ENDING for each in parameters)
