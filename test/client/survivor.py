"""The default writer and reader of the Python client: `survivor.py URL CACHE NAME NAMES`. Prints the changes that it has read."""

import sys
import threading
import time

from svc_grid import SvcClient

url, cache, name, names = sys.argv[1:]
stopped = threading.Event()


def write() -> None:
    with SvcClient(url) as svc:
        at = 0
        while not stopped.is_set():
            svc.put(f"{name}-{at}", at, cache_name=cache)
            at += 1
            time.sleep(0.01)
        svc.put(f"{name}-end", 0, cache_name=cache)


writer = threading.Thread(target=write)
writer.start()
left = {f"{each}-end" for each in names.split(",")}
with SvcClient(url) as svc:
    for change in svc.watch(caches=[cache], from_="start"):
        print(change.operation, change.key, flush=True)
        if change.key == "stop":
            stopped.set()
        left.discard(change.key)
        if not left:
            break
writer.join()
