/** Builds the Debian package from the executable and the files of deploy/debian, with dpkg-deb. */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import product from '../package.json' with { type: 'json' };
import { bundledPackages, installedPackages, type Package } from './bundled-packages.ts';
import type { Target } from './executable.ts';
import { sourceDateSeconds, succeed } from './release-archives.ts';

/** The platforms of the package by Debian's names. */
export const DEBIAN_TARGETS = { amd64: 'bun-linux-x64', arm64: 'bun-linux-arm64' } as const satisfies Readonly<
  Record<string, Target>
>;
export type DebianArchitecture = keyof typeof DEBIAN_TARGETS;

const root = join(import.meta.dir, '..');
const deploy = join(root, 'deploy');
const MAINTAINER = 'Maintainers of svc <maintainers@svc.invalid>';
/** The user that the package creates, because the data outlives the service. */
const ACCOUNT = 'User=svc\nGroup=svc\n';
const SCRIPTS = ['postinst', 'prerm', 'postrm'] as const;
const COMPLETIONS = {
  bash: 'usr/share/bash-completion/completions/svc',
  zsh: 'usr/share/zsh/vendor-completions/_svc',
  fish: 'usr/share/fish/vendor_completions.d/svc.fish',
} as const;

interface DebianPackage {
  readonly executable: string;
  readonly architecture: DebianArchitecture;
  /** The folder that gets the package. */
  readonly folder: string;
}

/** Builds a package and returns its file. Throws where dpkg-deb is missing. */
export async function buildDebianPackage({ executable, architecture, folder }: DebianPackage): Promise<string> {
  if (Bun.which('dpkg-deb') === null) throw new Error('dpkg-deb is not on the PATH');
  const tree = mkdtempSync(join(tmpdir(), 'svc-deb-'));
  const write = (path: string, content: string | Uint8Array, mode = 0o644): void => {
    mkdirSync(dirname(join(tree, path)), { recursive: true, mode: 0o755 });
    writeFileSync(join(tree, path), content);
    chmodSync(join(tree, path), mode);
  };
  const read = (path: string): string => readFileSync(join(deploy, path), 'utf8');
  try {
    chmodSync(tree, 0o755);
    mkdirSync(join(tree, 'usr/bin'), { recursive: true, mode: 0o755 });
    copyFileSync(executable, join(tree, 'usr/bin/svc'));
    chmodSync(join(tree, 'usr/bin/svc'), 0o755);
    write('usr/lib/systemd/system/svc.service', packaged(read('systemd/svc.service'), ACCOUNT));
    write('usr/lib/systemd/system/svc-watch@.service', packaged(read('systemd/svc-watch@.service')));
    write('etc/svc/svc.env', read('debian/svc.env'));
    write('usr/share/man/man1/svc.1.gz', compressed(read('debian/svc.1')));
    for (const [shell, path] of Object.entries(COMPLETIONS))
      write(path, succeed([process.execPath, join(root, 'src/main.ts'), 'completion', shell]));
    write('usr/share/doc/svc/copyright', read('debian/copyright'));
    write('usr/share/doc/svc/changelog.gz', compressed(changelog()));
    write('usr/share/doc/svc/third-party-licenses.gz', compressed(await licenses()));
    write('usr/share/lintian/overrides/svc', read('debian/lintian-overrides'));
    write('DEBIAN/conffiles', '/etc/svc/svc.env\n');
    write('DEBIAN/md5sums', checksums(tree));
    write('DEBIAN/control', control(architecture, installedKib(tree)));
    for (const script of SCRIPTS) write(`DEBIAN/${script}`, read(`debian/${script}`), 0o755);
    const file = join(folder, `svc_${product.version}_${architecture}.deb`);
    rmSync(file, { force: true });
    const env = { SOURCE_DATE_EPOCH: sourceDateSeconds() };
    succeed(['dpkg-deb', '--root-owner-group', '-Zgzip', '--build', tree, file], env);
    return file;
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
}

/** Returns a unit for the package: with its executable, and without the line that says how to install the unit. */
function packaged(unit: string, account = 'DynamicUser=yes\n'): string {
  return unit
    .replace(/^#.*\n/, '')
    .replaceAll('/usr/local/bin/svc', '/usr/bin/svc')
    .replace('DynamicUser=yes\n', account);
}

function control(architecture: DebianArchitecture, installedKib: number): string {
  return `Package: svc
Version: ${product.version}
Architecture: ${architecture}
Maintainer: ${MAINTAINER}
Installed-Size: ${installedKib}
Depends: adduser, libc6 (>= 2.17)
Section: database
Priority: optional
Description: durable data grid with an HTTP API
 Typed key-value entries, counters, SQL, scans and tasks behind one endpoint. On
 one machine svc stores its data in SQLite, durably by default; in front of an
 Apache Ignite 2 cluster it offers the same interface. The package starts it as
 a service of systemd that listens on this machine only and requires a login.
`;
}

/** Returns the changelog in Debian's form. */
function changelog(): string {
  const date = new Date(Number(sourceDateSeconds()) * 1000).toUTCString().replace('GMT', '+0000');
  return `svc (${product.version}) unstable; urgency=medium

  * CHANGELOG.md in the sources of svc lists the changes of this version.

 -- ${MAINTAINER}  ${date}
`;
}

/** Returns names, versions and licenses of what the executable contains. */
async function licenses(): Promise<string> {
  const contained = new Map<string, Package>();
  for (const each of [...installedPackages(), ...(await bundledPackages())]) contained.set(each.name, each);
  const texts = [...contained.values()].map(({ name, version }) => {
    const folder = join(root, 'node_modules', name);
    if (!existsSync(folder)) return '';
    const { license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { license?: unknown };
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
    const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8');
    return `${name} ${version}: ${String(license)}\n\n${text}`;
  });
  return texts.filter((text) => text !== '').join(`\n${'-'.repeat(72)}\n`);
}

function filesOf(tree: string): readonly string[] {
  return readdirSync(tree, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(tree.length + 1))
    .filter((path) => !path.startsWith('DEBIAN/'))
    .sort();
}

function checksums(tree: string): string {
  const sum = (path: string) => new Bun.CryptoHasher('md5').update(readFileSync(join(tree, path))).digest('hex');
  return filesOf(tree)
    .filter((path) => !path.startsWith('etc/'))
    .map((path) => `${sum(path)}  ${path}\n`)
    .join('');
}

function installedKib(tree: string): number {
  return filesOf(tree).reduce((sum, path) => sum + Math.ceil(Bun.file(join(tree, path)).size / 1024), 0);
}

/** Compresses as `gzip -9n` does, so the bytes depend only on the text. */
function compressed(text: string): Uint8Array {
  return Bun.gzipSync(text, { level: 9 });
}
