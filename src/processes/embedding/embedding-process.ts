/** Entry of the process in which a service runs for a program on Node (embedding-node.ts). */
import { errorText } from '../../base/errors.ts';
import { start, startForTests } from '../../embedding.ts';
import type { StartedService, StartOptions } from '../../wiring/in-process.ts';
import type { ProcessStart, StartReport, TestAnswer, TestCall } from './embedding-messages.ts';

/** Runs a service until the program closes the channel, or ends and thereby closes it. */
async function run({ options, isForTests }: ProcessStart): Promise<void> {
  const ended = new Promise((resolve) => process.once('disconnect', resolve));
  try {
    const service = isForTests ? await startControlled(options) : await start(options);
    send({ url: service.url });
    await ended;
    await service.stop();
    process.exit(0);
  } catch (error) {
    send({ error: errorText(error) });
    process.exit(1);
  }
}

async function startControlled(options: StartOptions): Promise<StartedService> {
  const service = await startForTests(options);
  process.on('message', ({ id, name, byMs }: TestCall) => {
    service[name](byMs).then(
      () => send({ id }),
      (error: unknown) => send({ id, error: errorText(error) }),
    );
  });
  return service;
}

function send(message: StartReport | TestAnswer): void {
  if (process.connected) process.send?.(message);
}

// A terminal also sends its signals to this process; the program decides what they end.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
process.umask(0o077);
process.once('message', (message: ProcessStart) => void run(message));
