/** Bundles the suite with the client, for runtimes that execute no TypeScript. */
import { join } from 'node:path';

/** Returns the source of a module that defines `runSuite`. It imports nothing. */
export async function bundle(): Promise<string> {
  const { outputs, success, logs } = await Bun.build({
    entrypoints: [join(import.meta.dir, 'suite.ts')],
    target: 'browser',
    format: 'esm',
  });
  const [output] = outputs;
  if (!success || output === undefined) throw new AggregateError(logs);
  const text = await output.text();
  if (/^import\b/m.test(text)) throw new Error('the client imports a module');
  return text.replace(/^export \{[^}]*\};?$/m, '');
}
