import { describe, expect, test } from 'bun:test';
import { AddressSet, isAddress, networkOf } from './networks.ts';

describe('the network of an address', () => {
  const cases: ReadonlyArray<readonly [string, string]> = [
    ['127.0.0.1', '127.0.0.1'],
    ['::ffff:10.1.2.3', '10.1.2.3'],
    ['::1', '0:0:0:0::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['no address', 'no address'],
  ];
  for (const [address, network] of cases)
    test(`${address} -> ${network}`, () => expect(networkOf(address)).toBe(network));
});

describe('texts that are not an address', () => {
  for (const text of [
    '',
    '1.2.3',
    '256.1.1.1',
    '1.2.3.4.5',
    '::1::2',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    'g::1',
    '::1.2.3.999',
    'localhost',
    '1.2.3.4:80',
    ':',
  ])
    test(JSON.stringify(text), () => expect(isAddress(text)).toBe(false));
});

describe('a set of addresses', () => {
  const cases: ReadonlyArray<readonly [network: string, address: string, has: boolean]> = [
    ['10.0.0.1', '10.0.0.1', true],
    ['10.0.0.1', '::ffff:10.0.0.1', true],
    ['10.0.0.1', '10.0.0.2', false],
    ['10.0.0.0/8', '10.255.1.2', true],
    ['10.0.0.0/8', '11.0.0.0', false],
    ['10.1.2.3/8', '10.255.1.2', true],
    ['0.0.0.0/0', '203.0.113.9', true],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['2001:db8::/32', '2001:db8:ffff::1', true],
    ['2001:db8::/32', '2001:db9::1', false],
    ['2001:db8::/33', '2001:db8:8000::1', false],
    ['::/0', '10.0.0.1', true],
    ['::1', 'unix', false],
  ];
  for (const [network, address, has] of cases)
    test(`${network} ${has ? 'contains' : 'does not contain'} ${address}`, () =>
      expect(new AddressSet([network]).has(address)).toBe(has));

  for (const text of [
    '',
    'localhost',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/x',
    '10.0.0.0/8/8',
    '::/129',
    '10.0.0.0/',
  ])
    test(`${JSON.stringify(text)} is rejected`, () =>
      expect(() => new AddressSet([text])).toThrow('is neither an IP address nor a network'));
});
