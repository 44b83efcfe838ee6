/** Runs the real program as `svc SUBCOMMAND ...` in its own process. */
import { BUN, MAIN } from '../program.ts';

export interface CliResult {
  readonly exitCode: number | null;
  readonly output: string;
  readonly errors: string;
}

export interface CliProcessOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Program and its first arguments; default: that of all tests. */
  readonly program?: readonly string[];
}

/** Runs the program to its end. Variables of this process that begin with SVC_ are not inherited. */
export async function runSvcProcess(args: readonly string[], options: CliProcessOptions): Promise<CliResult> {
  const { cwd, env = {}, input = '', program = [BUN, MAIN] } = options;
  const inherited = Object.entries(process.env).filter(([name]) => !/^(?:SVC_|XDG_|CI$|FORCE_COLOR)/.test(name));
  const child = Bun.spawn([...program, ...args], {
    cwd,
    env: { ...(Object.fromEntries(inherited) as Record<string, string>), NO_COLOR: '1', HOME: cwd, ...env },
    stdin: Buffer.from(input),
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  await child.exited;
  return { exitCode: child.exitCode, output, errors };
}
