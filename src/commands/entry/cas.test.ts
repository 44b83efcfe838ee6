import { commandCases, referenceCases, refused } from '../../../test/test-service.ts';

commandCases('cas', [
  ['swaps the expected value', ['put key=a val=1', true], ['cas key=a val=2 val2=1', true], ['get key=a', '2']],
  ['leaves another value', ['put key=a val=1', true], ['cas key=a val=2 val2=3', false], ['get key=a', '1']],
  ['is false where there is no entry', ['cas key=a val=2 val2=1', false], ['conkey key=a', false]],
  [
    'compares custom values with the order of their fields',
    ['put key=a val={"x":1,"y":2} valueType=P', true],
    ['cas key=a val={"z":0} val2={"y":2,"x":1} valueType=P', false],
    ['cas key=a val={"z":0} val2={"x":1,"y":2} valueType=P', true],
  ],
  [
    'needs the expected value',
    ['put key=a val=1', true],
    ['cas key=a val=2', refused('mandatory parameter in request: val2')],
    ['get key=a', '1'],
  ],
  [
    'needs a new value',
    ['put key=a val=1', true],
    ['cas key=a val2=1', refused('mandatory parameter in request: val')],
    ['get key=a', '1'],
  ],
]);

const MADE = ['getorcreate cacheName=c', null] as const;
referenceCases('cas', [
  [
    'without val2 it stores where there is no entry',
    MADE,
    ['cas cacheName=c key=a val=1', true],
    ['cas cacheName=c key=a val=2', false],
    ['get cacheName=c key=a', '1'],
  ],
  [
    'without val it removes the expected value',
    MADE,
    ['put cacheName=c key=a val=1', true],
    ['cas cacheName=c key=a val2=2', false],
    ['cas cacheName=c key=a val2=1', true],
    ['conkey cacheName=c key=a', false],
  ],
  [
    'without both it removes',
    MADE,
    ['put cacheName=c key=a val=1', true],
    ['cas cacheName=c key=a', true],
    ['cas cacheName=c key=a', false],
  ],
]);
