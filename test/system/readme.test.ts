/** The requests of README.md, executed in their order on a new data folder, and their answers compared. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ServiceProcess, startService } from './service-process.ts';

interface ReadmeExample {
  readonly requests: readonly string[];
  readonly answer: string;
}

/** Each block of requests with the block of the answer to its last one. */
function examplesOf(markdown: string): ReadmeExample[] {
  return [...markdown.matchAll(/```sh\n(.*?)```\s+```json\n(.*?)```/gs)].map(([, requests = '', answer = '']) => ({
    requests: requests.trim().split('\n'),
    answer: answer.trim(),
  }));
}

const examples = examplesOf(readFileSync(join(import.meta.dir, '../../README.md'), 'utf8'));
let service: ServiceProcess;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

test('there are ten', () => {
  expect(examples).toHaveLength(10);
});

for (const { requests, answer } of examples) {
  test(requests.join(' ; '), async () => {
    let last = '';
    for (const request of requests) {
      expect(request).toStartWith('curl ');
      const command = `${request.replace('http://localhost:8080', service.origin)} --silent --show-error`;
      const shell = Bun.spawn(['sh', '-c', command], { stdout: 'pipe', stderr: 'pipe' });
      last = await shell.stdout.text();
      expect(await shell.stderr.text()).toBe('');
    }
    // Ids differ from one time to the next; README shows the beginning of the node's.
    const text = last
      .replace(/"affinityNodeId":"[0-9a-f-]{36}"/, '"affinityNodeId":"6a1c..."')
      .replace(/"queryId":\d+/, '"queryId":16');
    if (answer.startsWith('{"successStatus"')) expect(text).toBe(answer);
    else expect(text).toEndWith(`"error":null,"response":${answer}}`);
  });
}
