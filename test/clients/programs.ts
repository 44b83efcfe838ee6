/** Programs of other languages, and the libraries that they need: installed once, in `build/clients`. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { debianProgram } from '../debian-program.ts';
import { outputOf } from '../ended-program.ts';

const build = join(import.meta.dir, '../../build/clients');
const PYTHON_PACKAGES = ['requests==2.32.3', 'pyignite==0.6.1', 'ignite==1.1.0', 'wrapt==1.17.3', 'httpx==0.28.1'];
/** The clients of this project. */
const PYTHON_CLIENT = join(import.meta.dir, '../../clients/python/src');
const GO_CLIENT = join(import.meta.dir, '../../clients/go');
const NODE_PACKAGE = 'apache-ignite-client@1.0.0';

/** Runs a program of this folder and returns its output. Throws with both streams when it fails. */
export function runProgram(command: readonly string[], env: Record<string, string> = {}): Promise<string> {
  return outputOf(command, { cwd: import.meta.dir, env: { ...process.env, ...env } });
}

/** Returns why a program cannot be run here, or undefined if it can. */
export function missingProgram(name: string): string | undefined {
  return Bun.which(name) === null ? `skipped: ${name} is not on the PATH` : undefined;
}

/** Prepares a folder so that Go finds the client of svc in it. */
export function writeGoModule(folder: string): void {
  const replaced = `replace github.com/svc-grid/svc-go => ${GO_CLIENT}`;
  const lines = ['module example', 'go 1.24', 'require github.com/svc-grid/svc-go v0.0.0', replaced];
  writeFileSync(join(folder, 'go.mod'), `${lines.join('\n\n')}\n`);
}

/** Installs the Python packages and returns the environment in which Python finds them and the client of svc. */
export async function pythonEnvironment(): Promise<Record<string, string>> {
  const target = join(build, 'python');
  if (!['pyignite', 'ignite', 'wrapt', 'httpx'].every((name) => existsSync(join(target, name)))) {
    mkdirSync(target, { recursive: true });
    await runProgram(['python3', '-m', 'pip', 'install', '--quiet', '--target', target, ...PYTHON_PACKAGES]);
  }
  return { PYTHONPATH: `${PYTHON_CLIENT}:${target}`, PYTHONIOENCODING: 'utf-8', PYTHONDONTWRITEBYTECODE: '1' };
}

/** Installs the Node thin client and returns the folder of its modules. */
export async function nodeModules(): Promise<string> {
  const prefix = join(build, 'node');
  const modules = join(prefix, 'node_modules');
  if (!existsSync(join(modules, 'apache-ignite-client'))) {
    mkdirSync(prefix, { recursive: true });
    await runProgram(['npm', 'install', '--silent', '--no-save', '--prefix', prefix, NODE_PACKAGE]);
  }
  return modules;
}

/** Returns Prometheus' blackbox exporter, or what is missing. */
export const blackboxExporter = () =>
  debianProgram('prometheus-blackbox-exporter', 'prometheus-blackbox-exporter', 'blackbox_exporter');

/** Returns Prometheus' promtool, or what is missing. */
export const promtool = () => debianProgram('prometheus', 'promtool');
