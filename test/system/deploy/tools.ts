/** Helm, the checker of Kubernetes objects, both in `build/deploy`, and Debian's lintian: installed once. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dir, '../../../build/deploy');
const HELM = 'helm.sh/helm/v3/cmd/helm@v3.22.0';
/** Has the schemas of Kubernetes in the package. */
const VALIDATOR = 'kubernetes-validate==1.37.0';

export interface Missing {
  readonly missing: string;
}

/** Returns what is missing, which is an error in CI. */
function missing(what: string): Missing {
  if (process.env.SVC_TEST_CI === 'true') throw new Error(what);
  process.stderr.write(`Skipped: ${what}.\n`);
  return { missing: `skipped: ${what}` };
}

function install(command: readonly string[], env: Record<string, string> = {}): boolean {
  if (Bun.which(command[0] ?? '') === null) return false;
  const { exitCode } = Bun.spawnSync([...command], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  return exitCode === 0;
}

/** Returns the path of Helm, built from its Go module, or what is missing. */
export function helm(): string | Missing {
  const program = join(folder, 'go/helm');
  if (existsSync(program) || install(['go', 'install', HELM], { GOBIN: join(folder, 'go') })) return program;
  return missing(`${HELM} cannot be installed with go`);
}

/** A program of Python's package index, with the environment that finds it. */
export interface PythonProgram {
  readonly program: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Returns the checker of Kubernetes objects, or what is missing. */
export function kubernetesValidate(): PythonProgram | Missing {
  const target = join(folder, 'python');
  const program = join(target, 'bin/kubernetes-validate');
  const pip = ['python3', '-m', 'pip', 'install', '--quiet', '--root-user-action=ignore', '--target', target];
  if (!existsSync(program) && !install([...pip, VALIDATOR]))
    return missing(`${VALIDATOR} cannot be installed with pip`);
  return { program, env: { PYTHONPATH: target } };
}

/** Returns the path of Debian's checker of packages, installed with apt-get, or what is missing. */
export function lintian(): string | Missing {
  const isRoot = process.getuid?.() === 0;
  const args = ['install', '--yes', '--quiet', '--no-install-recommends', 'lintian'];
  if (Bun.which('lintian') === null && isRoot && !install(['apt-get', ...args])) {
    // The list of packages may be older than the package.
    install(['apt-get', 'update']);
    install(['apt-get', ...args]);
  }
  return Bun.which('lintian') ?? missing('lintian is not on the PATH, and apt-get cannot install it');
}
