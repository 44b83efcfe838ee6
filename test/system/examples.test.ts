/** The example of every command's declaration, executed on the running program. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { COMMANDS } from '../../src/commands/registry.ts';
import { misfitsOf } from './declared-replies.ts';
import { type ServiceProcess, startService } from './service-process.ts';

let open: ServiceProcess;
let closed: ServiceProcess;

beforeAll(async () => {
  open = await startService();
  closed = await startService({ env: { SVC_AUTHENTICATION: 'true', SVC_ADMIN_PASSWORD: 'admin-password' } });
}, 60_000);
afterAll(async () => {
  await open[Symbol.asyncDispose]();
  await closed[Symbol.asyncDispose]();
});

/** Users are managed where authentication is on; what an example needs to be there is made first. */
const USERS_BEFORE: Readonly<Record<string, string>> = {
  authenticate: 'cmd=adduser&user=ann&password=secret',
  removeuser: 'cmd=adduser&user=ann&password=secret',
  updateuser: 'cmd=adduser&user=ann&password=secret',
};

for (const { name, group, example } of COMMANDS) {
  test(name, async () => {
    const admin = '&svc.login=svc&svc.password=admin-password';
    const service = group === 'user' ? closed : open;
    const ending = group === 'user' && name !== 'authenticate' ? admin : '';
    if (group === 'user') await closed.ask(`cmd=removeuser&user=ann${admin}`);
    const preparation = USERS_BEFORE[name];
    if (preparation !== undefined) await closed.command(preparation + admin);

    let last: unknown;
    for (const each of example.before ?? []) last = await service.command(each + ending);
    const answer = await service.ask(withIds(example.query, last) + ending);
    expect(answer.error).toBeNull();
    if (example.response !== undefined) expect(answer.response).toEqual(example.response);
    const reply = { method: 'GET', path: `/svc?${example.query}`, body: '', http: answer.http, text: answer.text };
    expect(misfitsOf(reply)).toEqual([]);
    if (['inactive', 'deactivate'].includes(name)) await service.command('cmd=activate');
  });
}

/** Ids differ from run to run: the one of the request before stands in. */
function withIds(query: string, last: unknown): string {
  if (typeof last !== 'object' || last === null) return query;
  if ('queryId' in last) return query.replace(/qryId=[^&]*/, `qryId=${last.queryId}`);
  if ('id' in last) return query.replace(/([?&]id=)[^&]*/, `$1${last.id}`);
  return query;
}
