/**
 * The files of `deploy` for containers and systemd. Nothing here can run containers: their files are read and checked
 * against the project, and the program is started with their settings, in the same way.
 */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unpinnedImages } from '../../../scripts/release-archives.ts';
import { OPTION_ROWS } from '../../../src/configuration/options.ts';
import { MAIN } from '../program.ts';
import { startService } from '../service-process.ts';

setDefaultTimeout(120_000);

const root = join(import.meta.dir, '../../..');
const deploy = join(root, 'deploy');
const folder = mkdtempSync(join(tmpdir(), 'svc-deploy-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const read = (path: string) => readFileSync(join(deploy, path), 'utf8');
/** Names of options in the environment, including those that read them from a file. */
const VARIABLES = new Set(OPTION_ROWS.flatMap(({ environment }) => [environment, `${environment}_FILE`]));

interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** Returns the instructions of a Dockerfile with continued lines joined. */
function instructionsOf(text: string): Instruction[] {
  const lines = text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n/g, ' ')
    .split('\n');
  return lines.flatMap((line) => {
    const [, name, rest] = /^([A-Z]+)\s+(.*)$/.exec(line.trim()) ?? [];
    return name === undefined || rest === undefined ? [] : [{ name, text: rest.replaceAll(/\s+/g, ' ') }];
  });
}

/** Returns the problems of a Dockerfile, by the rules of linters such as hadolint. */
function complaintsAbout(text: string): string[] {
  const instructions = instructionsOf(text);
  const complaints: string[] = [];
  const all = (name: string) => instructions.filter((each) => each.name === name).map((each) => each.text);
  const stages = all('FROM').flatMap((from) => / AS (\S+)$/.exec(from)?.[1] ?? []);
  for (const from of all('FROM')) {
    const image = from.split(' ')[0] ?? '';
    if (stages.includes(image)) continue;
    const [name = '', digest = ''] = image.split('@');
    if (!/:[\w.-]+$/.test(name) || name.endsWith(':latest')) complaints.push(`FROM ${name} has no version`);
    else if (!/^sha256:[0-9a-f]{64}$/.test(digest)) complaints.push(`FROM ${name} has no digest`);
  }
  const last = instructions.findLastIndex(({ name }) => name === 'FROM');
  const final = instructions.slice(last);
  const user = final.findLast(({ name }) => name === 'USER')?.text ?? 'root';
  if (!/^[1-9]\d*(?::[1-9]\d*)?$/.test(user)) complaints.push(`USER ${user} is not a number other than 0`);
  for (const name of ['ENTRYPOINT', 'CMD', 'HEALTHCHECK']) {
    const found = final.filter((each) => each.name === name);
    if (found.length !== 1) complaints.push(`${found.length} times ${name}`);
    if (!found.every(({ text }) => /(?:^|CMD )\["[^\]]*"\]$/.test(text)))
      complaints.push(`${name} runs a shell, which would keep signals to itself`);
  }
  for (const { name, text } of instructions) {
    if (name === 'ADD') complaints.push('ADD: use COPY');
    if (name === 'RUN' && /\b(?:sudo|apt-get upgrade|curl .*\| *sh)\b/.test(text)) complaints.push(`RUN ${text}`);
    if (name === 'WORKDIR' && !text.startsWith('/')) complaints.push(`WORKDIR ${text} is not absolute`);
    if (name === 'ENV' && /(?:password|secret|token)\w*(?<!_FILE)=/i.test(text))
      complaints.push('ENV contains a secret');
    if (name === 'COPY' && !text.includes('--from=')) {
      const paths = text.split(' ').filter((part) => !part.startsWith('--'));
      for (const path of paths.slice(0, -1))
        if (!existsSync(join(root, path))) complaints.push(`COPY ${path}: there is none`);
    }
  }
  if (!final.some(({ name }) => name === 'VOLUME')) complaints.push('no VOLUME for the data');
  return complaints;
}

const dockerfile = read('container/Dockerfile');

/** Returns the variables that ENV sets. */
function environmentOf(text: string): Record<string, string> {
  const set = instructionsOf(text).filter(({ name }) => name === 'ENV');
  return Object.fromEntries(
    set.flatMap((each) => each.text.split(' ').map((pair) => pair.split('=') as [string, string])),
  );
}

describe('the Dockerfile', () => {
  test('follows the rules', () => expect(complaintsAbout(dockerfile)).toEqual([]));

  const GOOD = dockerfile;
  const mistakes: ReadonlyArray<readonly [from: string | RegExp, to: string, complaint: string]> = [
    ['node:22-bookworm-slim', 'node', 'FROM node has no version'],
    [
      /base-debian12:nonroot@\S+/,
      'base-debian12:nonroot',
      'FROM gcr.io/distroless/base-debian12:nonroot has no digest',
    ],
    ['base-debian12:nonroot', 'base-debian12:latest', 'FROM gcr.io/distroless/base-debian12:latest has no version'],
    ['USER 65532:65532', 'USER root', 'USER root is not a number other than 0'],
    ['ENTRYPOINT ["/usr/local/bin/svc"]', 'ENTRYPOINT /usr/local/bin/svc', 'ENTRYPOINT runs a shell'],
    ['COPY src src', 'COPY sources src', 'COPY sources: there is none'],
    ['VOLUME /var/lib/svc\n', '', 'no VOLUME'],
    ['COPY src src', 'ADD src src', 'ADD: use COPY'],
    ['SVC_GENERATED_PASSWORD_FILE', 'SVC_ADMIN_PASSWORD', 'ENV contains a secret'],
  ];
  for (const [from, to, complaint] of mistakes) {
    test(`the rules notice: ${complaint}`, () => {
      const found = complaintsAbout(GOOD.replace(from, to));
      expect(found).toHaveLength(1);
      expect(found[0]).toStartWith(complaint);
    });
  }

  test('a release is built from images with a digest only', () => {
    expect(unpinnedImages(dockerfile)).toEqual([]);
    expect(unpinnedImages(dockerfile.replaceAll(/@sha256:\w+/g, ''))).toEqual([
      'node:22-bookworm-slim',
      'gcr.io/distroless/base-debian12:nonroot',
    ]);
  });

  test('sets options that exist, with a fixed port and the log on standard output', () => {
    const environment = environmentOf(dockerfile);
    expect(Object.keys(environment).filter((name) => !VARIABLES.has(name))).toEqual([]);
    expect(environment).toMatchObject({ SVC_STRICT_PORT: 'true', SVC_LOG_STDOUT: 'json', SVC_AUTHENTICATION: 'true' });
  });

  test('copies what the build needs, and the context has it', async () => {
    const ignored = read('container/Dockerfile.dockerignore').split('\n');
    const copied = instructionsOf(dockerfile).flatMap(({ name, text }) =>
      name === 'COPY' && !text.includes('--from=') ? text.split(' ').slice(0, -1) : [],
    );
    expect(copied.filter((path) => !ignored.includes(`!${path}`))).toEqual([]);
    // The build imports nothing of the project but these.
    const scripts = copied.filter((path) => path.startsWith('scripts/'));
    const imports = scripts.flatMap((script) =>
      [...readFileSync(join(root, script), 'utf8').matchAll(/from '(\.[^']+)'/g)]
        .map(([, path = '']) => join('scripts', path))
        .filter((path) => !path.startsWith('src/')),
    );
    expect(imports.filter((path) => !copied.includes(path))).toEqual([]);
  });

  test('a service with these settings is healthy by its health check, and ends on its signal', async () => {
    const { SVC_DATA_DIR, SVC_HTTP_PORT, SVC_GENERATED_PASSWORD_FILE, ...environment } = environmentOf(dockerfile);
    expect([SVC_DATA_DIR, SVC_HTTP_PORT]).toEqual(['/var/lib/svc', '8080']);
    expect(SVC_GENERATED_PASSWORD_FILE).toBe('/var/lib/svc/generated-password');
    const health = /HEALTHCHECK .* CMD \["\/usr\/local\/bin\/svc", "([^"]+)"\]/.exec(
      instructionsOf(dockerfile)
        .map(({ name, text }) => `${name} ${text}`)
        .join('\n'),
    );
    const dataDir = join(folder, 'container');
    const passwordFile = join(dataDir, 'generated-password');
    const env = { ...environment, SVC_GENERATED_PASSWORD_FILE: passwordFile };
    await using service = await startService({ env, dataDir, args: ['serve'] });
    const check = () =>
      Bun.spawnSync([process.execPath, join(root, 'src/main.ts'), health?.[1] ?? ''], {
        cwd: folder,
        env: { PATH: process.env.PATH ?? '', SVC_DATA_DIR: dataDir },
      });
    const { exitCode, stdout, stderr } = check();
    expect(`${stderr}${stdout}`).toContain('ready');
    expect(exitCode).toBe(0);
    // Without credentials, no one can execute commands, and the log is JSON on standard output.
    expect((await service.send('cmd=get&key=a')).successStatus).not.toBe(0);
    const entries = service
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'));
    expect(entries.some((line) => JSON.parse(line).message === 'Listening')).toBe(true);
    // The log does not have the password; the file does.
    const password = readFileSync(passwordFile, 'utf8').trimEnd();
    expect(service.output()).not.toContain(password);
    expect((await service.send(`cmd=get&key=a&svc.login=svc&svc.password=${password}`)).successStatus).toBe(0);
    expect(await service.stop()).toBe(0);
    expect(check().exitCode).not.toBe(0);
  });
});

interface ComposeService {
  readonly image?: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly secrets?: readonly string[];
  readonly networks?: readonly string[];
  readonly ports?: readonly string[];
}

interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  readonly networks: Readonly<Record<string, object>>;
  readonly volumes: Readonly<Record<string, object>>;
}

describe('the compose file', () => {
  const compose = Bun.YAML.parse(read('container/compose.yml')) as Compose;
  const services = Object.entries(compose.services);
  const nodes = services.filter(([, { image = '' }]) => image.startsWith('apacheignite/ignite:'));

  test('has three nodes with a volume each, of one version, and svc in front of them', () => {
    expect(nodes.map(([name]) => name)).toEqual(['ignite1', 'ignite2', 'ignite3']);
    expect(new Set(nodes.map(([, { image }]) => image)).size).toBe(1);
    for (const [name, { volumes = [] }] of nodes) expect(volumes).toContain(`${name}:/persistence`);
    const endpoints = compose.services.svc?.environment?.SVC_ENDPOINTS;
    expect(endpoints).toBe(nodes.map(([name]) => `${name}:10800`).join(','));
    for (const [name] of nodes) expect(read('container/ignite.xml')).toContain(`<value>${name}:47500</value>`);
    expect(read('container/ignite.xml')).toContain('<property name="port" value="10800"/>');
  });

  test('names volumes, secrets, networks and files that exist', () => {
    for (const [, { volumes = [], secrets = [], networks = [] }] of services) {
      for (const volume of volumes) {
        const source = volume.split(':')[0] ?? '';
        if (source.startsWith('.'))
          expect([source, existsSync(join(deploy, 'container', source))]).toEqual([source, true]);
        else expect(Object.keys(compose.volumes)).toContain(source);
      }
      for (const secret of secrets) expect(Object.keys(compose.secrets)).toContain(secret);
      for (const network of networks) expect(Object.keys(compose.networks)).toContain(network);
    }
    const { context = '', dockerfile: path = '' } = compose.services.svc?.build ?? {};
    expect(existsSync(join(deploy, 'container', context, path))).toBe(true);
  });

  test('sets options that exist, and publishes on this machine only', () => {
    const { environment = {}, ports = [] } = compose.services.svc ?? {};
    expect(Object.keys(environment).filter((name) => !VARIABLES.has(name))).toEqual([]);
    expect(ports.every((port) => port.startsWith('127.0.0.1:'))).toBe(true);
  });
});

const UNIT = 'systemd/svc.service';
const CONSUMER_UNIT = 'systemd/svc-watch@.service';

describe('the systemd unit', () => {
  const unit = read(UNIT);
  const settings = [...unit.matchAll(/^Environment=(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]);

  test('sets options that exist, with a fixed port and the log on standard output', () => {
    expect(settings.map(([name]) => name).filter((name) => !VARIABLES.has(name ?? ''))).toEqual([]);
    expect(Object.fromEntries(settings)).toMatchObject({ SVC_STRICT_PORT: 'true', SVC_LOG_STDOUT: 'text' });
  });

  test('a service with these settings starts and ends', async () => {
    const environment = Object.fromEntries(settings.filter(([name]) => name !== 'SVC_DATA_DIR'));
    await using service = await startService({ env: environment, args: ['serve'] });
    expect(await service.command('cmd=put&key=a&val=1')).toBe(true);
    expect(await service.stop()).toBe(0);
    expect(service.output()).toContain('Listening');
  });

  if (Bun.which('systemd-analyze') === null) test.skip('systemd-analyze (skipped: it is not on the PATH)', () => {});
  else {
    // systemd checks that the program exists.
    const path = join(folder, 'svc.service');
    const analyze = (...args: string[]) => {
      writeFileSync(path, unit.replaceAll('/usr/local/bin/svc', process.execPath));
      const { exitCode, stdout, stderr } = Bun.spawnSync(['systemd-analyze', ...args, path]);
      return { exitCode, output: `${stdout}${stderr}` };
    };

    test('systemd-analyze verify has no complaint', () => {
      const { exitCode, output } = analyze('verify');
      expect(output.split('\n').filter((line) => line.includes('svc.service'))).toEqual([]);
      expect(exitCode).toBe(0);
    });

    test('its exposure is at most 2 of 10', () => {
      const { exitCode, output } = analyze('security', '--offline=true', '--threshold=20');
      expect(output).toMatch(/Overall exposure level for svc.service: [01]\.\d/);
      expect(exitCode).toBe(0);
    });
  }
});

test('the unit of consumers is hardened as that of the service, and passes options that exist', () => {
  const settingsOf = (path: string) =>
    read(path)
      .split('\n')
      .filter((line) =>
        /^(?:Protect|Private|Restrict|No|Capability|Ambient|Lock|Dynamic|System|Remove|UMask)/.test(line),
      )
      .map((line) => line.replace(' AF_NETLINK', ''));
  expect(settingsOf(CONSUMER_UNIT)).toEqual(settingsOf(UNIT));
  const command = /^ExecStart=.* (watch .*)$/m.exec(read(CONSUMER_UNIT))?.[1] ?? '';
  const help = Bun.spawnSync([process.execPath, MAIN, 'help', 'watch']).stdout.toString();
  const options = command.match(/--[a-z-]+/g) ?? [];
  expect(options.length).toBe(3);
  expect(options.filter((option) => !help.includes(`${option} <`))).toEqual([]);
});
