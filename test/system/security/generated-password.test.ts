/** `generatedPasswordFile`: the random password of a first start is in a private file, and in no log. */
import { afterAll, expect, test } from 'bun:test';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, queryOf, type ServiceProcess, StartFailure, startService } from '../service-process.ts';

const LIMIT_MS = 60_000;
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function folder(): string {
  const created = newFolder();
  folders.push(created);
  return created;
}

function start(dataDir: string, file: string | undefined, env: Record<string, string> = {}): Promise<ServiceProcess> {
  const setting = file === undefined ? {} : { SVC_GENERATED_PASSWORD_FILE: file };
  return startService({ dataDir, env: { SVC_AUTHENTICATION: 'true', SVC_LOG_STDOUT: 'json', ...setting, ...env } });
}

async function logsIn(service: ServiceProcess, password: string): Promise<boolean> {
  const login = { cmd: 'authenticate', 'svc.login': 'svc', 'svc.password': password };
  return (await service.send(queryOf(login))).error === null;
}

const readPassword = (file: string) => readFileSync(file, 'utf8').trimEnd();

test(
  'the file is private and has the password, and neither output nor logs have it',
  async () => {
    const dataDir = folder();
    const file = join(dataDir, 'generated-password');
    await using service = await start(dataDir, file);
    const password = readPassword(file);
    expect(password).toMatch(/^[\w-]{24}$/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await logsIn(service, password)).toBe(true);
    await service.stop();
    expect(service.output()).toContain('The password of the first user is in a file');
    const logs = readdirSync(join(dataDir, 'log')).map((name) => readFileSync(join(dataDir, 'log', name), 'utf8'));
    for (const text of [service.output(), ...logs]) expect(text).not.toContain(password);
    expect(readdirSync(dataDir).filter((name) => name.endsWith('.new'))).toEqual([]);
    // The file must not make the folder count as shared, because then its permissions would stay.
    chmodSync(dataDir, 0o755);
    await using again = await start(dataDir, file);
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
    // The store has its users, so nothing is generated when the file has been removed.
    rmSync(file);
    await again.stop();
    await using third = await start(dataDir, file);
    expect(existsSync(file)).toBe(false);
    expect(await logsIn(third, password)).toBe(true);
  },
  LIMIT_MS,
);

test(
  'a new store takes the password that the file has, as after an interrupted start',
  async () => {
    const dataDir = folder();
    const file = join(folder(), 'password');
    writeFileSync(file, 'of the start before\n');
    await using service = await start(dataDir, file);
    expect(await logsIn(service, 'of the start before')).toBe(true);
  },
  LIMIT_MS,
);

test(
  'a given password is not written, and without the option a random one is printed',
  async () => {
    const file = join(folder(), 'password');
    await using given = await start(folder(), file, { SVC_ADMIN_PASSWORD: 'given' });
    expect(await logsIn(given, 'given')).toBe(true);
    expect(existsSync(file)).toBe(false);
    await using printing = await start(folder(), undefined);
    const printed = /^password of the user svc: (\S+)$/m.exec(printing.output())?.[1] ?? '';
    expect(await logsIn(printing, printed)).toBe(true);
  },
  LIMIT_MS,
);

test.each([
  ['', 'it is empty'],
  [undefined, 'ENOENT'],
])(
  'a file with %p that cannot be used ends the start',
  async (content, reason) => {
    const parent = folder();
    const file = content === undefined ? join(parent, 'none', 'password') : join(parent, 'password');
    if (content !== undefined) writeFileSync(file, content);
    const failure = await start(folder(), file).catch((error: unknown) => error);
    if (!(failure instanceof StartFailure)) throw new Error('The service started.');
    expect(failure.output).toContain(`generatedPasswordFile: ${file} cannot be used: `);
    expect(failure.output).toContain(reason);
    expect(failure.exitCode).toBe(2);
  },
  LIMIT_MS,
);
