import { commandCases, exactly, refused } from '../../../test/test-service.ts';

commandCases('get', [
  ['reads what was put', ['put key=a val=red', true], ['get key=a', 'red']],
  ['gives null where there is no entry', ['get key=a', null]],
  ['tells an empty text from no entry', ['put key=a val=', true], ['get key=a', '']],
  ['takes an empty key', ['put key= val=x', true], ['get key=', 'x']],
  ['tells keys of different types apart', ['put key=5 keyType=int val=x', true], ['get key=5', null]],
  [
    'keeps every digit of a long',
    ['put key=a val=9007199254740993 valueType=long', true],
    ['get key=a', exactly('9007199254740993')],
  ],
  ['writes a double as the contract does', ['put key=a val=1 valueType=double', true], ['get key=a', exactly('1.0')]],
  ['writes NaN as a text', ['put key=a val=NaN valueType=double', true], ['get key=a', 'NaN']],
  [
    'reads the named cache',
    ['getorcreate cacheName=c', null],
    ['put key=a val=1', true],
    ['get cacheName=c key=a', null],
  ],
  ['the default cache has a name too', ['put key=a val=1', true], ['get cacheName=default key=a', '1']],
  [
    'gives null when the time is over',
    ['put key=a val=1 exp=100', true],
    99,
    ['get key=a', '1'],
    1,
    ['get key=a', null],
  ],
  ['refuses a key that is no value of its type', ['get key=x keyType=int', refused('[type=int, val=x')]],
  ['needs a key', ['get', refused('Failed to find mandatory parameter in request: key')]],
  [
    'reads its unused parameters as well',
    ['get key=a exp=x', refused('Failed to parse parameter of Long type [exp=x]')],
  ],
]);
