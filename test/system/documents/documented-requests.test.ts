/** Executes the shell blocks with requests of documents on a running service. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { blocksOf, type CodeBlock, withoutDetails } from '../../documentation/shell.ts';
import { endOf } from '../../ended-program.ts';
import { type ServiceProcess, startService } from '../service-process.ts';

const root = join(import.meta.dir, '../../..');
const KEY = 'a-secret-key';

// Blocks use the data that earlier ones have stored: if a busy machine cuts one off, the others would also fail.
setDefaultTimeout(120_000);

let open: ServiceProcess;
let closed: ServiceProcess;
let signed: ServiceProcess;

beforeAll(async () => {
  open = await startService();
  closed = await startService({ env: { SVC_AUTHENTICATION: 'true', SVC_ADMIN_PASSWORD: 'admin-password' } });
  signed = await startService({ env: { SVC_SECRET_KEY: KEY } });
  await closed.command('cmd=adduser&roles=user&user=ann&password=secret&svc.login=svc&svc.password=admin-password');
}, 120_000);
afterAll(() => Promise.all([open, closed, signed].map((service) => service[Symbol.asyncDispose]())));

function textOf(path: string): string {
  return withoutDetails(readFileSync(join(root, path), 'utf8'));
}

/** The blocks of a document that send requests. */
function requestBlocks(path: string): CodeBlock[] {
  const blocks = blocksOf(textOf(path));
  return blocks.filter(({ language, text }) => language === 'sh' && /^curl /m.test(text));
}

async function runScript(script: string, service: ServiceProcess): Promise<string> {
  const text = script
    .replaceAll('http://localhost:8080', service.origin)
    .replaceAll(/^curl /gm, 'curl --silent --show-error ');
  const { output, errors } = await endOf(['sh', '-e', '-c', text], { env: { ...process.env, KEY } });
  expect(errors).toBe('');
  return output;
}

/** The service that a block needs: one with a secret key, one with users, or an open one. */
function serviceFor(script: string): ServiceProcess {
  if (script.includes('X-Signature')) return signed;
  return script.includes('.login=') || script.includes('TOKEN') ? closed : open;
}

for (const path of ['docs/reference.md', 'docs/cluster.md']) {
  describe(path, () => {
    const blocks = requestBlocks(path);
    test('has requests', () => expect(blocks.length).toBeGreaterThan(0));
    for (const { line, text } of blocks) {
      test(`line ${line}`, async () => {
        const service = serviceFor(text);
        let token = '';
        // A block runs as one script, because its lines share variables. TOKEN is in the response to an earlier line.
        const scripts = text.includes('TOKEN') ? text.trim().split('\n') : [text];
        for (const script of scripts) {
          const output = await runScript(script.replaceAll('TOKEN', token), service);
          const answers = output.match(/\{"successStatus":\d+/g) ?? [];
          expect(answers).toHaveLength(script.match(/^curl /gm)?.length ?? 0);
          expect(new Set(answers)).toEqual(new Set(['{"successStatus":0']));
          token = /"sessionToken":"(\w+)"/.exec(output)?.[1] ?? token;
        }
      });
    }
  });
}

describe.each([
  'README.md',
  'docs/behaviour.md',
  'docs/time-to-live.md',
  'docs/errors.md',
  'docs/exact-numbers.md',
  'docs/transactions.md',
  'docs/dry-run.md',
  'docs/idempotency.md',
  'docs/import.md',
  'docs/sql-statements.md',
])('%s', (path) => {
  // Each block of requests is followed by the block with the response to its last one.
  const examples = [...textOf(path).matchAll(/```sh\n(curl .*?)```\s+```(json|text)\n(.*?)```/gs)];
  test('shows a response to every block of requests', () => {
    expect(examples.length).toBe(requestBlocks(path).length);
    expect(examples.length).toBeGreaterThan(path === 'README.md' ? 5 : 0);
  });
  for (const [, script = '', language, response = ''] of examples) {
    test(script.trim(), async () => {
      const output = await runScript(script, open);
      if (/\/svc\/(?:caches|tables)\//.test(script)) {
        // Resources have no envelope, and each request prints what it returns.
        expect(output).toBe(response);
        return;
      }
      if (language !== 'json') {
        // The rows of an export have no envelope.
        expect(output.replaceAll('\r\n', '\n')).toEndWith(`}${response}`);
        return;
      }
      const answers = output.split(/^(?=\{"successStatus")|(?<=\})(?=\{"successStatus")/);
      expect(answers).toHaveLength(script.match(/^curl /gm)?.length ?? 0);
      // Ids differ from one run to the next; documents show the beginning of the node's.
      const text = (answers.at(-1) ?? '')
        .replaceAll(/"affinityNodeId":"[0-9a-f-]{36}"/g, '"affinityNodeId":"6a1c..."')
        .replace(/"queryId":\d+/, '"queryId":16');
      if (response.startsWith('{"successStatus"')) expect(text).toBe(response.trim());
      else expect(text).toEndWith(`"error":null,"response":${response.trim()}}`);
    });
  }
});

describe.each(['docs/README.md', 'docs/resources.md', 'docs/concepts.md'])('%s', (path) => {
  const examples = [
    ...withoutDetails(readFileSync(join(root, path), 'utf8')).matchAll(
      /```sh\n(.*?)```\s+```(?:text|json)\n(.*?)```/gs,
    ),
  ];

  test('shows what every block prints', () => {
    expect(examples.length).toBe(requestBlocks(path).length);
    expect(examples.length).toBeGreaterThan(0);
  });
  // Blocks use the data that earlier ones have stored.
  for (const [, script = '', printed = ''] of examples) {
    test(script.trim(), async () => {
      const output = (await runScript(script, open)).replaceAll('\r\n', '\n');
      expect(output.replace(/"queryId":\d+/, '"queryId":16')).toBe(printed);
    });
  }
});

describe('docs/api-keys.md', () => {
  const examples = [...textOf('docs/api-keys.md').matchAll(/```sh\n(curl .*?)```\s+```json\n(.*?)```/gs)];
  const known = { ID: '', KEY: '' };

  test('shows a response to every request', () => {
    expect(examples.length).toBe(requestBlocks('docs/api-keys.md').length);
    expect(examples.length).toBeGreaterThan(5);
  });
  // Each example uses the key of the previous one.
  for (const [, script = '', response = ''] of examples) {
    test(script.trim(), async () => {
      await closed.send('cmd=getorcreate&cacheName=orders&svc.login=svc&svc.password=admin-password');
      const answer = await runScript(script.replaceAll(/\bKEY\b/g, known.KEY).replaceAll(/\bID\b/g, known.ID), closed);
      known.KEY = /"key":"(\w+)"/.exec(answer)?.[1] ?? known.KEY;
      known.ID = /"id":"(\w+)"/.exec(answer)?.[1] ?? known.ID;
      const text = answer
        .replaceAll(known.KEY, 'KEY')
        .replaceAll(known.ID, 'ID')
        .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
        .replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, 'UUID');
      if (response.startsWith('{"successStatus"')) expect(text).toBe(response.trim());
      else expect(text).toEndWith(`"error":null,"response":${response.trim()}}`);
    });
  }
});
