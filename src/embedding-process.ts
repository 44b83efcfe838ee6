/** Entry of the process in which `start` runs a service for a program on Node (embedding-node.ts). */
import { start } from './embedding.ts';
import type { StartOptions } from './wiring/in-process.ts';

/** What the process tells the program that started it, once. */
export type StartReport = { readonly url: string } | { readonly error: string };

/** Runs a service until the program closes the channel, or ends and thereby closes it. */
async function run(options: StartOptions): Promise<void> {
  const ended = new Promise((resolve) => process.once('disconnect', resolve));
  try {
    const service = await start(options);
    report({ url: service.url });
    await ended;
    await service.stop();
    process.exit(0);
  } catch (error) {
    report({ error: error instanceof Error ? error.message : String(error) });
    process.exit(1);
  }
}

function report(message: StartReport): void {
  if (process.connected) process.send?.(message);
}

// A terminal sends its signals to this process, too; the program decides what they end.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
process.umask(0o077);
process.once('message', (options: StartOptions) => void run(options));
