/**
 * Executes the shell blocks of a document in order, in one shell and an empty folder, as a reader would. A block of
 * output (`text`, `json` or `csv`) right after a shell block is compared with what that block prints.
 *
 * - A block that ends with `npm start`, `svc serve` or `svc record` keeps running, as in a separate terminal, until
 *   it is stopped or the document ends. The transcript continues when it listens.
 * - In expected output, `...` stands for any text within a line, and a line of it for any lines. Blank lines do not
 *   count.
 * - A block with the name of a file as its title is that file. A reader saves it in the current folder.
 * - A shell block titled `In another terminal` runs alongside those that follow. An output with that title is compared
 *   with everything that the block has printed, once it has arrived.
 * - The ports of the document are replaced by free ones.
 */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { blocksOf, withoutDetails } from './shell.ts';

const root = join(import.meta.dir, '../..');
/** Ports that documents name. */
const HTTP_PORT = 8080;
const TLS_PORT = 8443;
/** Ports of a second service and of `svc record`. */
const OTHER_PORTS = [8081, 8079];
const OUTPUTS: ReadonlySet<string> = new Set(['text', 'json', 'csv']);
const SERVICE = /^(?:[A-Z_]+=\S+ )*(?:npm start|(?:npx )?svc serve|svc record)\b.*$/;
/** How long a service may take to listen, and a block to end. */
/** `npm start` in a new clone builds the program, which takes half a minute on a busy machine. */
const START_LIMIT_MS = 180_000;
const BLOCK_LIMIT_MS = 180_000;
/** How long another terminal may take to show an output. */
const SHOWN_LIMIT_MS = 20_000;
const STALE_PACKAGES = 'node_modules is not that of the last commit: node scripts/install-missing.mjs';
/** The title of a block that runs alongside the others. */
const OTHER_TERMINAL = 'In another terminal';

/** The transcript that needs a running cluster. */
export const CLUSTER_TRANSCRIPT = 'docs/leaving-ignite.md';

/** The other documents that are executed, by path. */
export const TRANSCRIPTS: readonly string[] = [
  'docs/getting-started.md',
  'docs/tutorial.md',
  'docs/change-feed.md',
  ...['docs/guides/*.md', 'docs/quick-starts/*.md'].flatMap((pattern) =>
    [...new Bun.Glob(pattern).scanSync({ cwd: root })].sort(),
  ),
];

/** A shell block and the output that the document shows for it, a file to save, or what another terminal shows. */
export interface TranscriptStep {
  /** Line of the document, from 1. */
  readonly line: number;
  /** What the shell of the step executes; empty if it only shows an output. */
  readonly script: string;
  readonly expected: string | undefined;
  readonly isElsewhere?: boolean;
}

/** Returns the shell blocks of a document with their outputs, and its files. */
export function transcriptOf(markdown: string): TranscriptStep[] {
  const text = withoutDetails(markdown);
  const lines = text.split('\n');
  const blocks = blocksOf(text);
  return blocks.flatMap(({ language, title, text, line }, index): TranscriptStep[] => {
    if (title === OTHER_TERMINAL)
      return [{ line, script: '', expected: undefined, ...elsewhere(language, text), isElsewhere: true }];
    if (title !== undefined)
      return [{ line, script: `cat > '${title}' <<'END OF FILE'\n${text}END OF FILE`, expected: undefined }];
    if (language !== 'sh') return [];
    const next = blocks[index + 1];
    const endLine = line + text.split('\n').length;
    // Only blank lines may be between a command and its output.
    const isNext = next !== undefined && lines.slice(endLine, next.line - 1).every((each) => each.trim() === '');
    const isOutput = isNext && OUTPUTS.has(next.language) && next.title === undefined;
    return [{ line, script: text, expected: isOutput ? next.text : undefined }];
  });
}

function elsewhere(language: string, text: string): Partial<TranscriptStep> {
  return language === 'sh' ? { script: text } : { expected: text };
}

/** Returns whether an output is the expected one, of which `...` may be any text. */
export function isExpectedOutput(output: string, expected: string): boolean {
  const lines = (text: string) => text.split('\n').filter((line) => line.trim() !== '');
  const pattern = lines(expected)
    .map((line) => {
      if (line.trim() === '...') return '(?:.*\\n)*?';
      return `${line
        .split('...')
        .map((part) => RegExp.escape(part))
        .join('.*')}\\s*\\n`;
    })
    .join('');
  return new RegExp(`^${pattern}$`).test(`${lines(output).join('\n')}\n`);
}

/** A shell that executes the steps of one document. */
export class TranscriptShell implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'svc-transcript-'));
  /** The ports of the document, and those that take their place. */
  readonly #ports: ReadonlyMap<number, number>;
  readonly #shell: Bun.Subprocess<'pipe', 'pipe', 'pipe'>;
  #output = '';
  #steps = 0;
  #services = 0;

  /** `ports` maps the ports that the document names to those of programs that already run. */
  constructor(ports: ReadonlyMap<number, number> = new Map()) {
    this.#ports = new Map([
      ...[HTTP_PORT, TLS_PORT, ...OTHER_PORTS].map((port) => [port, freePort()] as const),
      ...ports,
    ]);
    const bin = join(this.#folder, 'bin');
    mkdirSync(bin);
    mkdirSync(join(this.#folder, 'work'));
    // As `npm link` does.
    symlinkSync(join(root, 'scripts/svc'), join(bin, 'svc'));
    symlinkSync(process.execPath, join(bin, 'bun'));
    this.#program('curl', `exec ${which('curl')} --silent --show-error --write-out '\\n' "$@"`);
    // The packages of this checkout are linked, so that no test depends on the registry. A clone that wants others
    // would install them through the link.
    const packages = join(root, 'node_modules');
    this.#program(
      'git',
      `${which('git')} "$@" --quiet || exit
cmp -s "\${@: -1}/package-lock.json" '${packages}/.installed-lock' || { echo '${STALE_PACKAGES}' >&2; exit 1; }
ln -s '${packages}' "\${@: -1}/"`,
    );
    const inherited = Object.entries(process.env).filter(([name]) => !/^(?:SVC_|XDG_|CI$|FORCE_COLOR|npm_)/.test(name));
    this.#shell = Bun.spawn(['bash', '--norc', '--noprofile'], {
      cwd: join(this.#folder, 'work'),
      env: {
        ...(Object.fromEntries(inherited) as Record<string, string>),
        PATH: `${bin}:${process.env.PATH}`,
        HOME: this.#folder,
        REPOSITORY: root,
        NO_COLOR: '1',
        npm_config_update_notifier: 'false',
        npm_config_loglevel: 'error',
        // Packages that this machine has are not fetched again.
        npm_config_cache: process.env.npm_config_cache ?? join(process.env.HOME ?? '', '.npm'),
        npm_config_prefer_offline: 'true',
        npm_config_audit: 'false',
        SVC_HTTP_PORT: String(this.#ports.get(HTTP_PORT)),
        SVC_HTTP_TLS_PORT: String(this.#ports.get(TLS_PORT)),
      },
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'pipe',
    });
    void this.#collect(this.#shell.stdout);
    void this.#collect(this.#shell.stderr);
  }

  #program(name: string, command: string): void {
    const path = join(this.#folder, 'bin', name);
    writeFileSync(path, `#!/bin/bash\n${command}\n`);
    chmodSync(path, 0o755);
  }

  async #collect(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    for await (const bytes of stream) this.#output += decoder.decode(bytes, { stream: true });
  }

  /** Executes a step. Returns its output and whether every command of it succeeded. */
  async run(step: TranscriptStep): Promise<{ readonly output: string; readonly succeeded: boolean }> {
    if (step.isElsewhere === true) return this.#runElsewhere(step);
    const { script } = step;
    const lines = script.trimEnd().split('\n');
    const last = lines.at(-1) ?? '';
    const isService = SERVICE.test(last);
    const { ok, output } = await this.#execute(isService ? lines.slice(0, -1).join('\n') : script);
    if (!isService || !ok) return { output, succeeded: ok };
    const started = await this.#startService(last);
    return { ...started, output: output + started.output };
  }

  async #runElsewhere({ script, expected }: TranscriptStep): Promise<{ output: string; succeeded: boolean }> {
    const file = join(this.#folder, 'other-terminal.txt');
    if (expected === undefined) {
      const { ok } = await this.#execute(`(exec ${script.trim()}) > '${file}' 2>&1 &`);
      return { output: '', succeeded: ok };
    }
    const text = () => this.#withDocumentedPorts(readFileSync(file, 'utf8'));
    const endMs = performance.now() + SHOWN_LIMIT_MS;
    while (!isExpectedOutput(text(), expected) && performance.now() < endMs) await Bun.sleep(5);
    return { output: text(), succeeded: true };
  }

  async #execute(script: string): Promise<{ readonly ok: boolean; readonly output: string }> {
    const step = join(this.#folder, `step-${++this.#steps}.sh`);
    const mark = `end-of-step-${this.#steps}`;
    writeFileSync(step, `${this.#withPorts(script)}\n`);
    const start = this.#output.length;
    this.#shell.stdin.write(
      `failed=0; trap 'failed=1' ERR; . '${step}' </dev/null 2>&1; trap - ERR; printf '\\n${mark} %s\\n' "$failed"\n`,
    );
    this.#shell.stdin.flush();
    await this.#until(() => this.#output.includes(`\n${mark} `, start), BLOCK_LIMIT_MS, script);
    await Bun.sleep(1);
    const end = this.#output.indexOf(`\n${mark} `, start);
    const ok = this.#output.slice(end).startsWith(`\n${mark} 0`);
    return { ok, output: this.#withDocumentedPorts(this.#output.slice(start, end)) };
  }

  async #startService(command: string): Promise<{ readonly output: string; readonly succeeded: boolean }> {
    const file = join(this.#folder, `service-${++this.#services}.txt`);
    writeFileSync(file, '');
    // The terminal that a reader uses for the service.
    await this.#execute(`(exec ${command.replace(/^((?:[A-Z_]+=\S+ )+)/, 'env $1')}) > '${file}' 2>&1 &`);
    const text = () => readFileSync(file, 'utf8');
    const isRunning = () => /\b(?:listening|recording) on /.test(text());
    await this.#until(() => isRunning() || /^svc: /m.test(text()), START_LIMIT_MS, command);
    // More lines follow the first one at once.
    await Bun.sleep(20);
    return { output: this.#withDocumentedPorts(text()), succeeded: isRunning() };
  }

  async #until(condition: () => boolean, limitMs: number, script: string): Promise<void> {
    const endMs = performance.now() + limitMs;
    while (!condition()) {
      if (performance.now() > endMs) throw new Error(`${script}: not done after ${limitMs} ms:\n${this.#output}`);
      if (this.#shell.exitCode !== null) throw new Error(`${script}: the shell has ended:\n${this.#output}`);
      await Bun.sleep(5);
    }
  }

  #withPorts(script: string): string {
    return [...this.#ports].reduce((text, [port, own]) => text.replaceAll(String(port), String(own)), script);
  }

  #withDocumentedPorts(output: string): string {
    return [...this.#ports].reduce((text, [port, own]) => text.replaceAll(String(own), String(port)), output);
  }

  /** Ends what the document has left running, and removes the folder. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#shell.stdin.write('kill $(jobs -p) 2>/dev/null; wait; exit\n');
    this.#shell.stdin.end();
    await this.#shell.exited;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function which(program: string): string {
  const path = Bun.which(program);
  if (path === null) throw new Error(`${program} is not installed`);
  return path;
}
