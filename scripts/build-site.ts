/**
 * Builds the documentation site in build/site from docs, the pages that it links to, and those that only the site has:
 * one for each error, and the OpenAPI document. The generator, mkdocs-material,
 * is installed in build/site-tools with the versions of site/requirements.txt. The site needs no server and no other
 * host: open build/site/index.html.
 *
 * Installed, it takes 138 MB in 29 packages. VitePress 1.6 takes 102 MB in 125, depends on Vite 5, and its pages need a
 * server. mdBook is a separate program for each platform, which no registry has.
 */
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import { linksOf, withTargets } from './document-links.ts';
import { pathOfErrorPage } from './pages/errors-page.ts';
import { builtFiles } from './pages/generated-files.ts';
import { withTabs } from './site-tabs.ts';

const root = join(import.meta.dir, '..');
const INDEX = 'docs/README.md';
const HOME = 'README.md';
/**
 * The locations in the site of pages that are not at their repository paths: the site begins with why, when and when
 * not.
 */
const PLACES: Readonly<Record<string, string>> = { [INDEX]: 'index.md', [HOME]: 'first-requests.md' };
/** Pages whose parts, in the folder of their name, are entries of the navigation. */
const PAGES_WITH_PARTS: ReadonlySet<string> = new Set(['docs/reference.md', 'docs/limits.md']);
/** With it, pages that are opened as files can search: browsers allow them no workers. */
const WORKER_SHIM = { module: 'iframe-worker@1.0.4', file: 'node_modules/iframe-worker/shim/index.js' };
/** The address that the generator writes for {@link WORKER_SHIM}. */
const SHIM_ADDRESS = 'https://unpkg.com/iframe-worker/shim';
const SHIM_PATH = 'assets/javascripts/iframe-worker.js';
const REQUIREMENTS = join(root, 'site/requirements.txt');

/** Where the site is built. */
export interface SiteFolders {
  /** Python packages of the generator. */
  readonly tools: string;
  /** Copies of the pages, at their places in the site, and the configuration. */
  readonly source: string;
  readonly site: string;
}

const FOLDERS: SiteFolders = {
  tools: join(root, 'build/site-tools'),
  source: join(root, 'build/site-source'),
  site: join(root, 'build/site'),
};

const ERRORS = 'docs/errors.md';
/** The files that only the site has. */
const built = builtFiles();

/** Returns the text of a page of the site. */
function textOf(path: string): string {
  return built[path] ?? readFileSync(join(root, path), 'utf8');
}

/** Returns the pages that can be reached from the index, and the other files that they link to or that the site has. */
export function siteFiles(): readonly string[] {
  const found = new Set([INDEX, HOME, ...Object.keys(built)]);
  for (const path of found) {
    if (!path.endsWith('.md')) continue;
    for (const { target } of linksOf(textOf(path))) {
      const [file = ''] = target.split('#');
      if (file === '' || /^[a-z]+:/.test(target)) continue;
      found.add(relative(root, join(root, dirname(path), file)));
    }
  }
  return [...found];
}

/** Returns the location in the site of a file of the repository. */
export function placeOf(path: string): string {
  return PLACES[path] ?? path;
}

/** Returns a page with tabs, and with links to the places of the site: those to an error lead to its page. */
function pageOf(path: string): string {
  const place = placeOf(path);
  return withTargets(withTabs(textOf(path)), (target) => {
    const [name = '', ...anchor] = target.split('#');
    if (name === '' || /^[a-z]+:/.test(target)) return target;
    // From the page's path in the repository to the locations in the site.
    const file = posix.join(posix.dirname(path), name);
    const error = file === ERRORS ? pathOfErrorPage(anchor.join('#')) : '';
    if (error in built) return posix.relative(posix.dirname(place), error);
    const linked = placeOf(file);
    return [posix.relative(posix.dirname(place), linked), ...anchor].join('#');
  });
}

/** An entry of the navigation: its title, and a page or the entries below it. */
interface Entry {
  readonly [title: string]: string | readonly Entry[];
}

/** Returns the navigation: the sections of the index, each with the pages that its list items begin with. */
export function navigation(): readonly Entry[] {
  const sections = readFileSync(join(root, INDEX), 'utf8')
    .split(/^## /m)
    .slice(1)
    .flatMap((text): Entry[] => {
      const [title = '', ...lines] = text.split('\n');
      const entries = lines
        .flatMap((line) => (line.startsWith('- [') ? pageLinks(line).slice(0, 1) : []))
        .map(([name, target]) => entryOf(name, relative(root, join(root, dirname(INDEX), target))));
      return entries.length === 0 ? [] : [{ [title]: entries }];
    });
  return [{ 'Why and when': placeOf(INDEX) }, { 'First requests': placeOf(HOME) }, ...sections];
}

/** Returns the entry of a page, with the entries of its parts in the folder of its name. */
function entryOf(name: string, path: string): Entry {
  const title = name.replace(/^./, (first) => first.toUpperCase());
  if (!PAGES_WITH_PARTS.has(path)) return { [title]: path };
  const folder = path.replace(/\.md$/, '');
  const parts = pageLinks(readFileSync(join(root, path), 'utf8'))
    .map(([, target]) => relative(root, join(root, dirname(path), target)))
    .filter((target) => dirname(target) === folder);
  return { [title]: [{ Overview: path }, ...[...new Set(parts)].map((part) => ({ [titleOf(part)]: part }))] };
}

function titleOf(path: string): string {
  return /^# (?:Limits: )?(.+)$/m.exec(readFileSync(join(root, path), 'utf8'))?.[1] ?? path;
}

/** Returns the names and the targets of the links to pages in a text, without headings. */
function pageLinks(markdown: string): ReadonlyArray<readonly [name: string, target: string]> {
  return [...markdown.matchAll(/\[([^\]]+)\]\(([^)#]+\.md)(?:#[^)]*)?\)/g)].map(
    ([, name = '', target = '']) => [name, target] as const,
  );
}

/** Returns why the site cannot be built here, or undefined if it can. */
export function missingTool(): string | undefined {
  if (Bun.which('python3') === null) return 'python3 is not on the PATH';
  return Bun.spawnSync(['python3', '-m', 'pip', '--version']).success ? undefined : 'python3 has no pip';
}

function run(command: readonly string[], env: Readonly<Record<string, string>> = {}): void {
  const { success, stdout, stderr } = Bun.spawnSync([...command], { env: { ...process.env, ...env } });
  if (!success) throw new Error(`${command.join(' ')} failed:\n${stdout.toString()}${stderr.toString()}`);
}

/** Installs the generator, unless it is there with these versions. */
function installTools(tools: string): void {
  const stamp = join(tools, 'requirements.txt');
  const wanted = `${readFileSync(REQUIREMENTS, 'utf8')}# ${WORKER_SHIM.module}\n`;
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  rmSync(tools, { recursive: true, force: true });
  mkdirSync(tools, { recursive: true });
  const pip = ['python3', '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps'];
  run([...pip, '--target', tools, '--requirement', REQUIREMENTS]);
  run(['npm', 'install', '--silent', '--no-save', '--prefix', tools, WORKER_SHIM.module]);
  writeFileSync(stamp, wanted);
}

/** Builds the site. Throws with the output of the generator when a page, link or heading is missing. */
export function buildSite(folders: SiteFolders = FOLDERS): void {
  const { tools, source, site } = folders;
  installTools(tools);
  rmSync(source, { recursive: true, force: true });
  const pages = join(source, 'pages');
  for (const path of siteFiles()) {
    const place = join(pages, placeOf(path));
    mkdirSync(dirname(place), { recursive: true });
    if (path.endsWith('.md')) writeFileSync(place, pageOf(path));
    else if (path in built) writeFileSync(place, textOf(path));
    else cpSync(join(root, path), place);
  }
  const config = join(source, 'mkdocs.yml');
  const settings = { INHERIT: join(root, 'site/mkdocs.yml'), docs_dir: pages, site_dir: site, nav: navigation() };
  // JSON is YAML.
  writeFileSync(config, JSON.stringify(settings, undefined, 2));
  run(['python3', '-m', 'mkdocs', 'build', '--quiet', '--clean', '--config-file', config], {
    PYTHONPATH: tools,
    NO_MKDOCS_2_WARNING: 'true',
  });
  serveShim(folders);
}

/** Makes the pages load the shim from the site. */
function serveShim({ tools, site }: SiteFolders): void {
  copyFileSync(join(tools, WORKER_SHIM.file), join(site, SHIM_PATH));
  for (const page of new Bun.Glob('**/*.html').scanSync({ cwd: site })) {
    const html = readFileSync(join(site, page), 'utf8');
    const path = posix.relative(posix.dirname(page.replaceAll('\\', '/')), SHIM_PATH);
    writeFileSync(join(site, page), html.replaceAll(SHIM_ADDRESS, path));
  }
}

if (import.meta.main) {
  const missing = missingTool();
  if (missing !== undefined) throw new Error(`The site cannot be built: ${missing}`);
  buildSite();
  process.stdout.write(`${relative(process.cwd(), join(FOLDERS.site, 'index.html'))} written\n`);
}
