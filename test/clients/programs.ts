/** Programs of other languages, and the libraries that they need: installed once, in `build/clients`. */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

const build = join(import.meta.dir, '../../build/clients');
const PYTHON_PACKAGES = ['requests==2.32.3', 'pyignite==0.6.1', 'ignite==1.1.0', 'wrapt==1.17.3'];
const NODE_PACKAGE = 'apache-ignite-client@1.0.0';

/** Runs a program of this folder and returns its output. Throws with both streams when it fails. */
export async function runProgram(command: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const child = Bun.spawn([...command], {
    cwd: import.meta.dir,
    env: { ...process.env, ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} failed:\n${output}\n${errors}`);
  return output;
}

/** Returns why a program cannot be run here; undefined when it can. */
export function missingProgram(name: string): string | undefined {
  return Bun.which(name) === null ? `skipped: ${name} is not on the PATH` : undefined;
}

/** Installs the Python packages and returns the environment in which Python finds them. */
export async function pythonEnvironment(): Promise<Record<string, string>> {
  const target = join(build, 'python');
  if (!['pyignite', 'ignite', 'wrapt'].every((name) => existsSync(join(target, name)))) {
    mkdirSync(target, { recursive: true });
    await runProgram(['python3', '-m', 'pip', 'install', '--quiet', '--target', target, ...PYTHON_PACKAGES]);
  }
  return { PYTHONPATH: target, PYTHONIOENCODING: 'utf-8' };
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

const BLACKBOX = 'prometheus-blackbox-exporter';

/**
 * Returns the path of Prometheus' blackbox exporter: the installed one, or that of Debian's package, which is unpacked
 * into `build/clients`; or what is missing.
 */
export async function blackboxExporter(): Promise<string | { readonly missing: string }> {
  const installed = Bun.which(BLACKBOX) ?? Bun.which('blackbox_exporter');
  if (installed !== null) return installed;
  const folder = join(build, 'debian');
  const program = join(folder, 'usr/bin', BLACKBOX);
  if (existsSync(program)) return program;
  try {
    mkdirSync(folder, { recursive: true });
    await runProgram(['sh', '-c', `cd "${folder}" && apt-get download ${BLACKBOX} && dpkg -x ${BLACKBOX}_*.deb .`]);
    return program;
  } catch {
    return { missing: `skipped: ${BLACKBOX} is not on the PATH, and apt-get cannot download it` };
  }
}
