/** A release as users get it: built, checked, started, and its Debian package installed on a copy of this system. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import product from '../../../package.json' with { type: 'json' };
import { bundledPackages } from '../../../scripts/bundled-packages.ts';
import { endOf, outputOf } from '../../ended-program.ts';
import { freePort } from '../../free-port.ts';
import { newFolder } from '../service-process.ts';
import { lintian } from './tools.ts';

setDefaultTimeout(600_000);

const root = join(import.meta.dir, '../../..');
const folder = newFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const build = [process.execPath, join(root, 'scripts/build-release.ts')];
const platform = `linux-${process.arch}`;
const dist = join(folder, 'dist');
const executable = `svc-${product.version}-${platform}`;
const architecture = process.arch === 'arm64' ? 'arm64' : 'amd64';
const deb = `svc_${product.version}_${architecture}.deb`;
const context = `svc-${product.version}-container.tgz`;
const chart = `svc-${product.version}.tgz`;
const openapi = `svc-${product.version}-openapi.json`;
const sbom = `svc-${product.version}.cdx.json`;

beforeAll(async () => {
  const parts = ['deb', `bun-${platform}`, 'container', 'chart', 'openapi'].flatMap((part) => ['--only', part]);
  await outputOf([...build, '--folder', dist, ...parts], { cwd: root });
});

describe('a release', () => {
  test('has its files, their checksums, and an executable that runs', async () => {
    const signed = ['intoto.jsonl', 'pub'].map((ending) => `svc-${product.version}.${ending}`);
    const files = [executable, deb, context, chart, openapi, sbom, ...signed];
    expect(readdirSync(dist).sort()).toEqual(['SHA256SUMS', ...files].sort());
    const checked = await outputOf(['sha256sum', '--check', 'SHA256SUMS'], { cwd: dist });
    expect(checked).toBe(files.map((file) => `${file}: OK\n`).join(''));
    expect(await outputOf([join(dist, executable), 'version'], { cwd: folder })).toBe(`${product.version}\n`);
  });

  test('has the OpenAPI document of a service with the default options', async () => {
    const { openapi: version, paths }: { openapi: string; paths: Record<string, unknown> } = JSON.parse(
      readFileSync(join(dist, openapi), 'utf8'),
    );
    expect(version).toBe('3.1.0');
    expect(Object.keys(paths)).toContain('/svc/getorcreate');
  });

  test('lists what is in the executable', async () => {
    const { bomFormat, metadata, components } = JSON.parse(readFileSync(join(dist, sbom), 'utf8')) as {
      bomFormat: string;
      metadata: { component: { name: string; version: string } };
      components: ReadonlyArray<{ name: string; version: string }>;
    };
    expect(bomFormat).toBe('CycloneDX');
    expect(metadata.component).toMatchObject({ name: product.name, version: product.version });
    const listed = components.map(({ name, version }) => `${name} ${version}`);
    for (const [name, version] of Object.entries(product.dependencies)) expect(listed).toContain(`${name} ${version}`);
    const names = components.map(({ name }) => name);
    // A part of the program, of the page at /docs and of the console.
    for (const name of ['commander', 'preact', 'uplot']) expect(names).toContain(name);
    for (const { name, version } of await bundledPackages()) expect(listed).toContain(`${name} ${version}`);
    for (const name of ['typescript', '@biomejs/biome', 'playwright-core']) expect(names).not.toContain(name);
  });

  test('has the whole context of the container: its build succeeds there', async () => {
    const source = join(folder, 'context');
    mkdirSync(source);
    await outputOf(['tar', '-xzf', join(dist, context), '-C', source], { cwd: folder });
    const dockerfile = readFileSync(join(source, 'deploy/container/Dockerfile'), 'utf8');
    expect(dockerfile).toContain('bun scripts/build.ts --outfile /out/svc');
    symlinkSync(join(root, 'node_modules'), join(source, 'node_modules'));
    const built = join(folder, 'svc');
    await outputOf([process.execPath, 'scripts/build.ts', '--outfile', built], { cwd: source });
    expect(await outputOf([built, 'version'], { cwd: folder })).toBe(`${product.version}\n`);
    rmSync(built);
  });

  test('reports a platform whose runtime cannot be downloaded', async () => {
    const offline = join(folder, 'offline');
    // Nothing listens on the port of the proxy, and no runtime of an earlier download is found.
    const nowhere = 'http://127.0.0.1:9';
    const cache = join(folder, 'no-cache');
    const variables = {
      HTTPS_PROXY: nowhere,
      https_proxy: nowhere,
      HTTP_PROXY: nowhere,
      BUN_INSTALL: cache,
      HOME: folder,
    };
    const env = { ...process.env, ...variables };
    const { exitCode, errors } = await endOf([...build, '--folder', offline, '--only', 'bun-darwin-x64'], {
      cwd: root,
      env,
    });
    expect(errors).toContain('bun-darwin-x64: not built, its runtime could not be downloaded or used');
    expect(exitCode).toBe(3);
    expect(readFileSync(join(offline, 'SHA256SUMS'), 'utf8')).not.toContain('darwin');
  });

  test('rejects an unknown part', async () => {
    const { exitCode, errors } = await endOf([...build, '--only', 'bun-amiga'], { cwd: root });
    expect(errors).toContain('--only: bun-amiga is unknown; choose one of bun-linux-x64,');
    expect(exitCode).toBe(2);
  });
});

describe('the Debian package', () => {
  test('has the version, its configuration, and the files of a service', async () => {
    const info = await outputOf(['dpkg-deb', '--field', deb], { cwd: dist });
    expect(info).toContain(`Package: svc\nVersion: ${product.version}\nArchitecture: ${architecture}\n`);
    const contents = await outputOf(['dpkg-deb', '--contents', deb], { cwd: dist });
    const files: ReadonlyArray<readonly [mode: string, path: string]> = [
      ['-rwxr-xr-x', './usr/bin/svc'],
      ['-rw-r--r--', './usr/lib/systemd/system/svc.service'],
      ['-rw-r--r--', './usr/lib/systemd/system/svc-watch@.service'],
      ['-rw-r--r--', './etc/svc/svc.env'],
      ['-rw-r--r--', './usr/share/man/man1/svc.1.gz'],
      ['-rw-r--r--', './usr/share/bash-completion/completions/svc'],
      ['-rw-r--r--', './usr/share/zsh/vendor-completions/_svc'],
      ['-rw-r--r--', './usr/share/fish/vendor_completions.d/svc.fish'],
      ['-rw-r--r--', './usr/share/doc/svc/copyright'],
      ['-rw-r--r--', './usr/share/doc/svc/changelog.gz'],
      ['-rw-r--r--', './usr/share/doc/svc/third-party-licenses.gz'],
    ];
    const listed = contents.split('\n').map((line) => line.split(/\s+/));
    for (const [mode, path] of files) {
      const found = listed.find((columns) => columns.at(-1) === path);
      expect([path, ...(found ?? []).slice(0, 2)]).toEqual([path, mode, 'root/root']);
    }
    expect(await outputOf(['dpkg-deb', '--info', deb, 'conffiles'], { cwd: dist })).toBe('/etc/svc/svc.env\n');
  });

  test('its unit of consumers starts the executable of the package, with a user for each', async () => {
    const tree = join(folder, 'unpacked');
    await outputOf(['dpkg-deb', '--extract', deb, tree], { cwd: dist });
    const unit = readFileSync(join(tree, 'usr/lib/systemd/system/svc-watch@.service'), 'utf8');
    const [, ...command] = /^ExecStart=(\S+) (watch) .*(--post) /m.exec(unit) ?? [];
    expect(command).toEqual(['/usr/bin/svc', 'watch', '--post']);
    expect(unit).toStartWith('[Unit]\n');
    expect(unit).toContain('\nDynamicUser=yes\n');
  });

  const checker = lintian();
  if (typeof checker !== 'string') test.skip(`lintian (${checker.missing})`, () => {});
  else
    test('lintian has no complaint', async () => {
      // lintian works in a separate folder.
      const { exitCode, output } = await endOf([checker, '--allow-root', '--fail-on', 'error,warning', deb], {
        cwd: dist,
      });
      expect([exitCode, output]).toEqual([0, '']);
    });

  const canMount = process.getuid?.() === 0 && Bun.spawnSync(['unshare', '--mount', 'true']).exitCode === 0;
  if (!canMount) test.skip('installing it (skipped: only root can mount a copy of the system)', () => {});
  else
    test('it is installed, runs as its own user, keeps changed configuration, and leaves the data when it is purged', async () => {
      const copy = join(folder, 'system');
      mkdirSync(copy);
      const script = join(import.meta.dir, 'install-package.sh');
      const output = await outputOf(['unshare', '--mount', 'sh', script, copy, join(dist, deb), String(freePort())], {
        cwd: folder,
      });
      const lines = output.split('\n').filter((line) => /^[a-z ]+: /.test(line));
      expect(lines.map((line) => line.trimEnd())).toEqual([
        'user: svc /var/lib/svc',
        'data: svc 700',
        'enabled: svc.service',
        'status: ready',
        'password: svc 600',
        'stopped: 0',
        'conffile: # mine',
        'after remove: /etc/svc/svc.env /var/lib/svc/svc.db',
        'after purge: /var/lib/svc/svc.db',
      ]);
    });
});
