/** The packages of the clients in a release: for npm without the service, for pip, and for Go. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import product from '../package.json' with { type: 'json' };
import { pack, packedByNpm, sourceDateSeconds, succeed } from './release-archives.ts';

const root = join(import.meta.dir, '..');
const GO_MODULE = 'github.com/svc-grid/svc-go';
/** Largest size of the package of the TypeScript client. */
const CLIENT_BYTES = 300_000;

/** Runs an action in a folder that is removed afterwards. */
function inTemporary<T>(action: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'svc-client-'));
  try {
    return action(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Packs the TypeScript client alone, for Node, Deno, Bun and browsers. Throws if it is too large. */
export function packClient(folder: string): string {
  const file = packedByNpm(join(root, 'clients/typescript'), folder);
  const { size } = Bun.file(file);
  if (size > CLIENT_BYTES) throw new Error(`${file} has ${size} bytes; at most ${CLIENT_BYTES}`);
  return file;
}

/** Builds the wheel of the Python client. */
export function packPython(folder: string): string {
  return inTemporary((temporary) => {
    const env = { SOURCE_DATE_EPOCH: sourceDateSeconds() };
    const pip = ['python3', '-m', 'pip', 'wheel', '--quiet', '--no-deps', '--disable-pip-version-check'];
    succeed([...pip, '--wheel-dir', temporary, join(root, 'clients/python')], env);
    const [name = ''] = readdirSync(temporary);
    cpSync(join(temporary, name), join(folder, name));
    return join(folder, name);
  });
}

/** Writes an archive in the form of Go modules: names with the version, and no times. */
const ZIP = `
import sys, zipfile
target, prefix, *paths = sys.argv[1:]
with zipfile.ZipFile(target, 'w', zipfile.ZIP_DEFLATED) as archive:
    for path in sorted(paths):
        with open(path, 'rb') as file:
            archive.writestr(zipfile.ZipInfo(prefix + path), file.read(), zipfile.ZIP_DEFLATED)
`;

/** Packs the Go module as a folder that GOPROXY can name, so its path resolves without a server. */
export function packGo(folder: string): string {
  return inTemporary((temporary) => {
    const version = `v${product.version}`;
    const source = join(root, 'clients/go');
    const versions = join(temporary, 'go', GO_MODULE, '@v');
    mkdirSync(versions, { recursive: true });
    const time = new Date(Number(sourceDateSeconds()) * 1000).toISOString().replace('.000Z', 'Z');
    writeFileSync(join(versions, 'list'), `${version}\n`);
    writeFileSync(join(versions, `${version}.info`), `${JSON.stringify({ Version: version, Time: time })}\n`);
    cpSync(join(source, 'go.mod'), join(versions, `${version}.mod`));
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' });
    const names = files.filter((name) => /\.go$|^go\.mod$|^LICENSE$|^README\.md$/.test(name));
    succeed(['python3', '-c', ZIP, join(versions, `${version}.zip`), `${GO_MODULE}@${version}/`, ...names], {}, source);
    return pack(join(folder, `svc-go-${product.version}.tgz`), ['--directory', temporary, 'go']);
  });
}
