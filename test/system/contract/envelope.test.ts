/** The rules of the contract about requests, envelopes, pages and tasks, over sockets (docs/spec/contract.md). */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type ServiceProcess, startService } from '../service-process.ts';

let service: ServiceProcess;
beforeAll(async () => {
  service = await startService();
}, 60_000);
afterAll(() => service[Symbol.asyncDispose]());

interface Page {
  readonly items: unknown[];
  readonly last: boolean;
  readonly queryId: number;
  readonly fieldsMetadata: unknown[];
}

describe('the contract', () => {
  test('parameters come from the query string or from the form of a POST [1.5, 4.1, 4.4]', async () => {
    const init = { method: 'POST', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } };
    const put = await service.send('', { ...init, body: 'cmd=put&key=posted&val=%C3%A9' });
    expect([put.response, (await service.send('cmd=get&key=posted')).response]).toEqual([true, 'é']);
    expect((await service.send('cmd=get', { ...init, body: 'key=posted' })).response).toBe('é');
  });

  test('every response is a JSON object with the members of the envelope [1.1]', async () => {
    for (const query of ['cmd=version', 'cmd=get&key=a', 'cmd=get', 'cmd=nosuch', 'cmd=top']) {
      const { text } = await service.send(query);
      const envelope = JSON.parse(text) as Record<string, unknown>;
      for (const member of ['successStatus', 'error', 'sessionToken', 'response'])
        expect(envelope).toHaveProperty(member);
    }
  });

  test('a success has status 0 and no error, and no token without authentication [1.10, 2.1.3, 2.1.6]', async () => {
    const { successStatus, error, sessionToken } = await service.send('cmd=version');
    expect([successStatus, error, sessionToken]).toEqual([0, null, null]);
  });

  test('a failure has status 1 and a text, and no response [2.1.2, 2.1.7, 7.1]', async () => {
    const { successStatus, error, response } = await service.send('cmd=get');
    expect([successStatus, response]).toEqual([1, null]);
    expect(error).toContain('key');
  });

  test('affinityNodeId is the id of the node of the key [2.1.1]', async () => {
    const { text } = await service.send('cmd=get&key=a');
    const [node] = (await service.command('cmd=top&caches=false')) as Array<{ nodeId: string }>;
    expect((JSON.parse(text) as { affinityNodeId: string }).affinityNodeId).toBe(node?.nodeId ?? '');
  });

  test('a page says whether it is the last, and further pages are fetched by the id of the query [2.6.4, 2.6.6, 2.6.8, 2.6.9, 3.2.1, 3.2.2]', async () => {
    const first = (await service.command('cmd=qryfldexe&pageSize=2&qry=select+x+from+system_range(1,5)')) as Page;
    expect([first.items, first.last]).toEqual([[[1], [2]], false]);
    const second = (await service.command(`cmd=qryfetch&pageSize=2&qryId=${first.queryId}`)) as Page;
    expect([second.items, second.last, second.fieldsMetadata]).toEqual([[[3], [4]], false, []]);
    const third = (await service.command(`cmd=qryfetch&pageSize=2&qryId=${first.queryId}`)) as Page;
    expect([third.items, third.last]).toEqual([[[5]], true]);
    expect((await service.send(`cmd=qryfetch&pageSize=2&qryId=${first.queryId}`)).error).toContain(
      'Failed to find query',
    );
  });

  test('a closed query is gone [3.2.3]', async () => {
    const { queryId } = (await service.command('cmd=qryfldexe&pageSize=1&qry=select+x+from+system_range(1,5)')) as Page;
    expect(await service.command(`cmd=qrycls&qryId=${queryId}`)).toBe(true);
    expect((await service.send(`cmd=qryfetch&pageSize=2&qryId=${queryId}`)).error).toContain('Failed to find query');
  });

  test('res returns the result of an asynchronous task [3.3.3, 4.7.6]', async () => {
    const { id } = (await service.command('cmd=exe&name=svc.echo&p1=later&async=true')) as { id: string };
    for (let left = 200; left > 0; left--) {
      const outcome = (await service.command(`cmd=res&id=${id}`)) as { finished: boolean; result: unknown };
      if (outcome.finished) return expect(outcome.result).toBe('later');
      await Bun.sleep(20);
    }
    throw new Error('The task does not finish.');
  });
});
