"""Sends commands with the package `ignite`, a client of Ignite's HTTP interface. Argument: the endpoint.

The package is written for Python 2. It runs after replacing two names that Python 3 has elsewhere.
"""
import importlib.util
import sys
import types
from urllib.parse import urlsplit

spec = importlib.util.find_spec('ignite')
with open(f'{spec.submodule_search_locations[0]}/ignite.py', encoding='utf-8') as file:
    source = file.read()
for old, new in (('import urllib\n', 'import urllib.parse\n'), ('urllib.urlencode', 'urllib.parse.urlencode'), ('.iteritems()', '.items()')):
    assert source.count(old) >= 1, old
    source = source.replace(old, new)
package = types.ModuleType('ignite_package')
exec(compile(source, 'ignite.py', 'exec'), package.__dict__)

address = urlsplit(sys.argv[1])
client = package.IgniteClient(address.hostname, address.port, address.scheme, address.path.strip('/'))


def failure(call):
    try:
        call()
    except package.IgniteFailed as error:
        return str(error)
    raise AssertionError('it did not fail')


assert client.version().split('.')[0].isdigit()
client.get_or_create_cache('people')
assert client.put('ann', 'a b&c=é', cache_name='people')
assert client.get('ann', cache_name='people') == 'a b&c=é'
assert client.get('ann', cache_name='people').affinity_node_id
assert client.append('ann', '!', cache_name='people')
assert client.prepend('ann', '?', cache_name='people')
assert client.get_and_put('ann', 'new', cache_name='people') == '?a b&c=é!'
assert client.compare_and_swap('ann', 'newer', 'new', cache_name='people')
assert not client.compare_and_swap('ann', 'newest', 'new', cache_name='people')
assert not client.put_if_absent('ann', 'x', cache_name='people')
assert client.get_and_replace('ann', 'last', cache_name='people') == 'newer'
assert client.putall(k1='bob', v1='1', k2='cid', v2='2', cache_name='people')
assert client.getall(k1='bob', k2='cid', cache_name='people') == {'bob': '1', 'cid': '2'}
assert client.size('people') == 3
assert client.remove_value('bob', '1', cache_name='people')
assert client.get_and_remove('cid', cache_name='people') == '2'
assert not client.contains_keys(k1='bob', k2='cid', cache_name='people')
assert client.incr('visits', 5, init=10) == 15
assert client.decr('visits', 3) == 12
assert client.top()[0]['nodeId']

client.qryfldexe('CREATE TABLE city (id INT PRIMARY KEY, name VARCHAR)', 1)
client.qryfldexe("INSERT INTO city VALUES (1, 'Bern'), (2, 'Rome'), (3, 'Oslo')", 1)
page = client.qryfldexe('SELECT name FROM city WHERE id > ? ORDER BY id', 1, arg1='1')
assert page['items'] == [['Rome']] and not page['last'], page
assert client.qryfetch(5, page['queryId'])['items'] == [['Oslo']]
scan = client.qryscanexe(1, 'SQL_PUBLIC_CITY')
assert len(scan['items']) == 1
assert client.qrycls(scan['queryId'])

# It misspells a parameter and the name of a command. Ignite would destroy the default cache.
client.put('kept', 'value')
assert 'cacheName' in failure(lambda: client.destroy_cache('people'))
assert client.get('kept') == 'value'
assert 'qryexe' in failure(lambda: client.qryexe('id > 0', 'City', 1))
assert 'key' in failure(lambda: client.get(None))
print('done')
