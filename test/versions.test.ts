/** Everything that names a version has the one in package.json, and upgrades are documented. */
import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import product from '../package.json' with { type: 'json' };
import { SCHEMA_VERSION } from '../src/engines/embedded/storage/schema.ts';

const root = join(import.meta.dir, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** The sections of a page by their headings. */
function sectionsOf(page: string, level: string): ReadonlyMap<string, string> {
  const sections = page.split(new RegExp(`^${level} `, 'm')).slice(1);
  return new Map(sections.map((text) => [text.slice(0, text.indexOf('\n')), text]));
}

/** Returns the first three parts of a heading such as `1.1.0 (unreleased)`. */
const versionOf = (heading: string) => /^\d+\.\d+\.\d+/.exec(heading)?.[0] ?? '';

const changelog = [...sectionsOf(read('CHANGELOG.md'), '##')].map(
  ([heading, text]) => [versionOf(heading), text] as const,
);

test('the changelog begins with the version, and every version has one section, newest first', () => {
  const versions = changelog.map(([version]) => version);
  expect(versions[0]).toBe(product.version);
  expect(versions).toEqual([...new Set(versions)].sort(Bun.semver.order).reverse());
});

test('the version is in the lock file, the chart, the package of the client, and the names of files that the documentation shows', () => {
  const lock = JSON.parse(read('package-lock.json')) as { version: string };
  const chart = Bun.YAML.parse(read('deploy/helm/svc/Chart.yaml')) as { version: string; appVersion: string };
  const client = JSON.parse(read('clients/typescript/package.json')) as { version: string };
  const found = [lock.version, chart.version, chart.appVersion, client.version];
  expect(found).toEqual(found.map(() => product.version));
  const pages = [
    'README.md',
    'CONTRIBUTING.md',
    ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.md'))
      .map((path) => join('docs', path)),
  ];
  const FILE = /\bsvc(?:-grid-svc)?[-_](\d+\.\d+\.\d+)(?=[-._])/g;
  const named = pages.flatMap((page) => [...read(page).matchAll(FILE)].map(([name, version]) => [page, name, version]));
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter(([, , version]) => version !== product.version)).toEqual([]);
});

test('every version with another schema has notes in docs/upgrade.md, and docs/backup.md says what opens what', () => {
  const notes = sectionsOf(read('docs/upgrade.md'), '##');
  const rows = [...read('docs/backup.md').matchAll(/^\| (\d+\.\d+\.\d+) \| (\d+) \|/gm)].map(
    ([, version = '', schema]) => [version, Number(schema)] as const,
  );
  expect(rows.at(-1)).toEqual([product.version, SCHEMA_VERSION]);
  expect(rows.map(([version]) => version)).toEqual(changelog.map(([version]) => version).reverse());
  for (const [at, [version, schema]] of rows.entries()) {
    const before = rows[at - 1];
    if (before === undefined || before[1] === schema) continue;
    const text = notes.get(`From ${before[0]} to ${version}`) ?? '';
    expect([version, text.includes(`schema version ${before[1]} to ${schema}`)]).toEqual([version, true]);
  }
});

test('a data folder of every version is kept, stopped and killed', () => {
  const kept = readdirSync(join(root, 'test/fixtures/data-folders'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  const wanted = changelog.flatMap(([version]) => [version, `${version}-killed`]);
  // Schemas of development versions that people may have used also have folders.
  expect(kept.filter((name) => !/-schema\d+(?:-killed)?$/.test(name)).sort()).toEqual(wanted.sort());
});
