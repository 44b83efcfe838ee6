/** Executes the example of every command's declaration on the running program. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import type { ExampleBody } from '../../src/commands/command.ts';
import { COMMANDS } from '../../src/commands/registry.ts';
import { misfitsOf } from './declared-replies.ts';
import { newFolder, type ServiceProcess, startService } from './service-process.ts';

const backups = newFolder();
let open: ServiceProcess;
let closed: ServiceProcess;

beforeAll(async () => {
  open = await startService({ env: { SVC_BACKUP_FOLDER: backups } });
  closed = await startService({ env: { SVC_AUTHENTICATION: 'true', SVC_ADMIN_PASSWORD: 'admin-password' } });
}, 60_000);
afterAll(async () => {
  await open[Symbol.asyncDispose]();
  await closed[Symbol.asyncDispose]();
  rmSync(backups, { recursive: true, force: true });
});

for (const { name, group, example, batch } of COMMANDS) {
  test(name, async () => {
    const admin = '&svc.login=svc&svc.password=admin-password';
    // Managing users requires authentication.
    const service = group === 'user' ? closed : open;
    const prepared = group === 'user' ? admin : '';
    const ending = name === 'authenticate' ? '' : prepared;
    // Examples use the same names. A role that is assigned cannot be removed.
    if (group === 'user') await removeAccounts(admin);
    let last: unknown;
    for (const each of example.before ?? []) {
      const { query, body } = typeof each === 'string' ? { query: each, body: undefined } : each;
      const { error, response } = await service.send(query + prepared, initOf(body));
      if (error !== null) throw new Error(error);
      last = response;
    }
    if (batch === 'returnsRows') {
      const response = await fetch(`${service.url}?${example.query}`);
      expect(response.headers.get('content-type')).toContain('text/csv');
      expect(await response.text()).toContain('a,1,string,long,');
      return;
    }
    if (batch === 'returnsChanges') {
      const response = await fetch(`${service.url}?${example.query}`);
      expect(response.headers.get('content-type')).toContain('application/x-ndjson');
      expect(await response.text()).toContain('"operation":"created","cache":"parcels"');
      return;
    }
    const answer = await service.send(withMembers(example.query, last) + ending, initOf(example.body));
    expect(answer.error).toBeNull();
    if (example.response !== undefined) expect(answer.response).toEqual(example.response);
    const reply = { method: 'GET', path: `/svc?${example.query}`, body: '', http: answer.http, text: answer.text };
    expect(misfitsOf(reply)).toEqual([]);
    if (['inactive', 'deactivate'].includes(name)) await service.command('cmd=activate');
  });
}

/** Removes the users and roles that earlier examples have added. */
async function removeAccounts(admin: string): Promise<void> {
  const users = (await closed.command(`cmd=userlist${admin}`)) as ReadonlyArray<{ name: string; isDefault: boolean }>;
  for (const { name, isDefault } of users) if (!isDefault) await closed.command(`cmd=removeuser&user=${name}${admin}`);
  const roles = (await closed.command(`cmd=rolelist${admin}`)) as ReadonlyArray<{ name: string; source: string }>;
  for (const { name, source } of roles)
    if (source === 'stored') await closed.command(`cmd=rolermv&name=${name}${admin}`);
}

function initOf(body: ExampleBody | undefined): RequestInit {
  return body === undefined ? {} : { method: 'POST', headers: { 'Content-Type': body.type }, body: body.text };
}

/** Replaces `{id}` with that member of the previous response. */
function withMembers(query: string, last: unknown): string {
  return query.replace(/\{(\w+)\}/g, (_text, member: string) => {
    if (typeof last !== 'object' || last === null || !(member in last))
      throw new Error(`There is no ${member} before.`);
    return String((last as Readonly<Record<string, unknown>>)[member]);
  });
}
