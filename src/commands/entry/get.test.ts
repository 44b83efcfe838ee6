import { commandCases, exactly, failsWith } from '../../../test/test-service.ts';

commandCases('get', [
  ['returns the stored value', ['put key=a val=red', true], ['get key=a', 'red']],
  ['returns null if the key does not exist', ['get key=a', null]],
  ['returns an empty string as such', ['put key=a val=', true], ['get key=a', '']],
  ['accepts an empty key', ['put key= val=x', true], ['get key=', 'x']],
  ['distinguishes keys by type', ['put key=5 keyType=int val=x', true], ['get key=5', null]],
  [
    'returns all digits of a long',
    ['put key=a val=9007199254740993 valueType=long', true],
    ['get key=a', exactly('9007199254740993')],
  ],
  [
    'writes a whole double with a fraction digit',
    ['put key=a val=1 valueType=double', true],
    ['get key=a', exactly('1.0')],
  ],
  ['writes NaN as a string', ['put key=a val=NaN valueType=double', true], ['get key=a', 'NaN']],
  [
    'reads only the given cache',
    ['getorcreate cacheName=c', null],
    ['put key=a val=1', true],
    ['get cacheName=c key=a', null],
  ],
  ['accepts the name of the default cache', ['put key=a val=1', true], ['get cacheName=default key=a', '1']],
  [
    'returns null once the entry has expired',
    ['put key=a val=1 exp=100', true],
    99,
    ['get key=a', '1'],
    1,
    ['get key=a', null],
  ],
  ['rejects a key that is invalid for its type', ['get key=x keyType=int', failsWith('[type=int, val=x')]],
  ['requires a key', ['get', failsWith('Failed to find mandatory parameter in request: key')]],
  [
    'validates parameters that it does not use',
    ['get key=a exp=x', failsWith('Failed to parse parameter of Long type [exp=x]')],
  ],
]);
