// Reads with the Node thin client what svc wrote, and writes for svc. Arguments: endpoint, `read` or `write`, modules.
'use strict';
const assert = require('node:assert');
const [, , endpoint, direction, modules] = process.argv;
const IgniteClient = require(`${modules}/apache-ignite-client`);
const { IgniteClientConfiguration, ObjectType } = IgniteClient;

async function main() {
  const client = new IgniteClient();
  await client.connect(new IgniteClientConfiguration(endpoint));
  const cache = client.getCache('clients').setKeyType(ObjectType.PRIMITIVE_TYPE.STRING);
  if (direction === 'read') {
    assert.strictEqual(await cache.get('text'), 'é€😀');
    assert.strictEqual(await cache.get('double'), 1.5);
    assert.strictEqual(await cache.get('boolean'), true);
  } else {
    await cache.put('node text', 'é€😀');
    await cache.put('node double', 2.5);
  }
  client.disconnect();
  process.stdout.write('done\n');
}

main().catch((error) => {
  process.stderr.write(`${error.stack}\n`);
  process.exit(1);
});
