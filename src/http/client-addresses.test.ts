import { describe, expect, test } from 'bun:test';
import { ClientAddresses, type ForwardedHeader, senderOf } from './client-addresses.ts';
import { HeaderTable } from './head/head.ts';

const clientsOf = (forwardedHeader: ForwardedHeader, trustedProxies = ['10.0.0.0/8', '2001:db8:f::/48']) =>
  new ClientAddresses({ trustedProxies, forwardedHeader, proxyProtocol: false });

type Case = readonly [title: string, from: string, header: string | undefined, client: string];

const BOTH: readonly Case[] = [
  ['a header of an untrusted sender is ignored', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
  ['without a header the proxy is the client', '10.0.0.1', undefined, '10.0.0.1'],
];

describe('X-Forwarded-For', () => {
  const cases: readonly Case[] = [
    ...BOTH,
    ['the proxy reports its client', '10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['a proxy whose address is mapped to IPv6 is trusted', '::ffff:10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['what the client wrote before is ignored', '10.0.0.1', '192.0.2.1, 127.0.0.1, 198.51.100.1', '198.51.100.1'],
    ['trusted proxies in a row are passed', '10.0.0.1', '192.0.2.1, 198.51.100.1, 10.2.0.1,10.1.0.1', '198.51.100.1'],
    ['with trusted addresses only, the first one counts', '10.0.0.1', '10.3.0.1, 10.2.0.1', '10.3.0.1'],
    ['an entry that is not an address ends the search', '10.0.0.1', '192.0.2.1, nonsense, 10.2.0.1', '10.2.0.1'],
    ['an empty entry ends the search', '10.0.0.1', '192.0.2.1,', '10.0.0.1'],
    ['ports are dropped', '10.0.0.1', '198.51.100.1:4711', '198.51.100.1'],
    ['IPv6', '10.0.0.1', '2001:DB8:1::9', '2001:db8:1::9'],
    ['IPv6 with port', '10.0.0.1', '[2001:db8:1::9]:4711', '2001:db8:1::9'],
    ['IPv6 proxies', '2001:db8:f::1', '198.51.100.1, 2001:db8:f::2', '198.51.100.1'],
    ['mapped addresses are those of IPv4', '10.0.0.1', '::ffff:198.51.100.1', '198.51.100.1'],
    ['a zone is no part of an address', '10.0.0.1', 'fe80::1%eth0', '10.0.0.1'],
  ];
  for (const [title, from, header, client] of cases) {
    test(title, () => {
      const headers: Record<string, string> =
        header === undefined ? {} : { 'x-forwarded-for': header, forwarded: 'for=192.0.2.99' };
      expect(clientsOf('X-Forwarded-For').clientOf(from, new HeaderTable(headers))).toBe(client);
    });
  }
});

describe('Forwarded', () => {
  const cases: readonly Case[] = [
    ...BOTH,
    ['the proxy reports its client', '10.0.0.1', 'for=198.51.100.1', '198.51.100.1'],
    ['other pairs', '10.0.0.1', 'by=10.0.0.1;FOR=198.51.100.1;proto=https', '198.51.100.1'],
    ['a quoted IPv6 address with port', '10.0.0.1', 'for="[2001:db8:1::9]:4711"', '2001:db8:1::9'],
    ['several proxies', '10.0.0.1', 'for=192.0.2.1, for=198.51.100.1;by=x, for=10.1.0.1', '198.51.100.1'],
    [
      'a comma inside quotes separates nothing',
      '10.0.0.1',
      'for=192.0.2.1;by="a, for=192.0.2.7", for=198.51.100.1',
      '198.51.100.1',
    ],
    ['a name is not an address', '10.0.0.1', 'for=192.0.2.1, for=_hidden', '10.0.0.1'],
    ['unknown', '10.0.0.1', 'for=192.0.2.1, for=unknown', '10.0.0.1'],
    ['an element without for', '10.0.0.1', 'for=192.0.2.1, proto=http', '10.0.0.1'],
    ['an escaped character', '10.0.0.1', 'for="198.51.100.\\1"', '198.51.100.1'],
    ['a quote that does not end', '10.0.0.1', 'for="198.51.100.1', '10.0.0.1'],
  ];
  for (const [title, from, header, client] of cases) {
    test(title, () => {
      const headers: Record<string, string> =
        header === undefined ? {} : { forwarded: header, 'x-forwarded-for': '192.0.2.99' };
      expect(clientsOf('Forwarded').clientOf(from, new HeaderTable(headers))).toBe(client);
    });
  }

  test('a header of the largest size is read in linear time', () => {
    for (const header of [
      'for=";'.repeat(8_000),
      ','.repeat(48_000),
      `for="${'\\"'.repeat(24_000)}`,
      'for='.repeat(12_000),
    ]) {
      const begun = performance.now();
      clientsOf('Forwarded').clientOf('10.0.0.1', new HeaderTable({ forwarded: header }));
      expect(performance.now() - begun).toBeLessThan(5_000);
    }
  });
});

describe('the network that shares are counted for', () => {
  const cases: ReadonlyArray<readonly [string, string]> = [
    ['198.51.100.1', '198.51.100.1'],
    ['2001:db8:1:2:3::9', '2001:db8:1:2::/64'],
    ['127.0.0.1', '127.0.0.1 port 7'],
    ['::1', '::1 port 7'],
    ['::ffff:127.0.0.1', '::ffff:127.0.0.1 port 7'],
    ['10.9.9.9', '10.9.9.9 port 7'],
  ];
  const networkOf = (address: string, forwarded?: string) =>
    senderOf({ address, port: 7 }, clientsOf('Forwarded')).networkOf(
      new HeaderTable(forwarded === undefined ? {} : { forwarded }),
    );

  for (const [address, share] of cases)
    test(`${address} -> ${share}`, () =>
      expect(networkOf(address)).toEqual({ name: share, isConnection: share.includes('port') }));

  test('each request of a proxy has that of its client, and others that of their sender', () => {
    expect(networkOf('10.0.0.1', 'for=198.51.100.1').name).toBe('198.51.100.1');
    expect(networkOf('203.0.113.9', 'for=198.51.100.1').name).toBe('203.0.113.9');
    const proxy = senderOf({ address: '10.0.0.1', port: 7 }, clientsOf('Forwarded'));
    const names = ['for=198.51.100.1', 'for=198.51.100.2'].map(
      (forwarded) => proxy.networkOf(new HeaderTable({ forwarded })).name,
    );
    expect(names).toEqual(['198.51.100.1', '198.51.100.2']);
  });
});
