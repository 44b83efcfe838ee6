/** The Java names in the guide for Ignite users exist in its interfaces. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { javaNames } from '../documentation/java-names.ts';
import { igniteJars, missingForNodes } from './ignite-node.ts';

setDefaultTimeout(180_000);
const missing = missingForNodes();

const INTERFACES = [
  'IgniteCache',
  'client.ClientAtomicLong',
  'client.ClientCache',
  'client.ClientCluster',
  'client.ClientCompute',
  'client.ClientTransaction',
  'client.ClientTransactions',
  'client.IgniteClient',
];

test.skipIf(missing !== undefined)(`methods of Java exist${missing === undefined ? '' : ` (${missing})`}`, async () => {
  const classes = INTERFACES.map((name) => `org.apache.ignite.${name}`);
  const { success, stdout } = Bun.spawnSync(['javap', '-cp', `${await igniteJars()}/*`, ...classes]);
  expect(success).toBe(true);
  const methods = new Set([...stdout.toString().matchAll(/(\w+)\(/g)].map(([, name = '']) => name));
  expect(methods.has('putIfAbsent')).toBe(true);
  // `atomicLong(name).addAndGet` names two methods, `close` one; arguments are not methods.
  const named = javaNames().flatMap(([java]) =>
    java.flatMap((code) => code.replaceAll(/\([^)]*\)/g, '').split(/\.| to /)),
  );
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((name) => !methods.has(name))).toEqual([]);
});
