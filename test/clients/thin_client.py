"""Reads with pyignite what svc wrote, and writes for svc. Arguments: port of the node, `read` or `write`."""
import sys
import uuid

from pyignite import Client
from pyignite.datatypes import IntObject, LongObject

UUID = uuid.UUID('123e4567-e89b-12d3-a456-426614174000')

client = Client()
with client.connect('127.0.0.1', int(sys.argv[1])):
    cache = client.get_cache('clients')
    if sys.argv[2] == 'read':
        assert cache.get('text') == 'é€😀', cache.get('text')
        assert cache.get('long') == 2**60, cache.get('long')
        assert cache.get('double') == 1.5
        assert cache.get('uuid') == UUID
        assert cache.get(7, key_hint=IntObject) == 'by number'
    else:
        cache.put('python text', 'é€😀')
        cache.put('python long', 2**60, value_hint=LongObject)
        cache.put('python uuid', UUID)
        cache.put(8, 'by number', key_hint=IntObject)
print('done')
