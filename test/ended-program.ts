/** Runs other programs to their end, for their output. */

export interface EndedProgram {
  readonly exitCode: number;
  readonly output: string;
  readonly errors: string;
}

export interface ProgramOptions {
  readonly cwd?: string;
  /** The whole environment; default: that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What it reads from its standard input; default: nothing. */
  readonly input?: string;
}

export async function endOf(command: readonly string[], options: ProgramOptions = {}): Promise<EndedProgram> {
  const { cwd = process.cwd(), env = process.env, input = '' } = options;
  const streams = { stdin: Buffer.from(input), stdout: 'pipe', stderr: 'pipe' } as const;
  const child = Bun.spawn([...command], { cwd, env, ...streams });
  const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { exitCode: await child.exited, output, errors };
}

/** Returns a program's standard output. Throws an error with both of its streams unless it succeeds. */
export async function outputOf(command: readonly string[], options?: ProgramOptions): Promise<string> {
  const { exitCode, output, errors } = await endOf(command, options);
  if (exitCode !== 0) throw new Error(`${command.join(' ')} failed:\n${output}\n${errors}`);
  return output;
}
