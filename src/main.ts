/** The program: reads the configuration, opens the engine, starts what answers, and ends cleanly. */
import { systemClock } from './base/clock.ts';
import { runTaskProcess, TASK_PROCESS_ARGUMENT } from './service/tasks/task-process.ts';
import { loadOwnConfiguration, loadTasks } from './wiring/launch.ts';
import { type RunningService, runService } from './wiring/run.ts';
import { startFailureText } from './wiring/start-failure.ts';

async function main(): Promise<void> {
  const argv = process.argv.slice(2);
  if (argv[0] === TASK_PROCESS_ARGUMENT) return runTaskProcess(loadTasks);
  if (argv[0] === 'migrate') {
    // Loaded when it is asked for: a service never does.
    const { runMigration } = await import('./wiring/migrate.ts');
    process.exit(await runMigration(argv.slice(1), systemClock));
  }
  const loaded = await loadOwnConfiguration(argv);
  if (loaded.kind === 'print') {
    process.stdout.write(loaded.text);
    return;
  }
  const service = await runService(loaded.configuration, argv, systemClock);
  process.stdout.write(`listening on ${service.url}\n`);
  stopOnSignals(service);
}

/** The first signal ends cleanly: what is in work is answered, changes are committed. The second ends at once. */
function stopOnSignals(service: RunningService): void {
  let stopping = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, async () => {
      if (stopping) process.exit(1);
      stopping = true;
      try {
        await service.stop();
        process.exit(0);
      } catch (error) {
        process.stderr.write(`svc: ${startFailureText(error)}\n`);
        process.exit(1);
      }
    });
  }
}

// Whatever is created from here on, by SQLite and by tasks too, is the owner's alone.
process.umask(0o077);
try {
  await main();
} catch (error) {
  process.stderr.write(`svc: ${startFailureText(error)}\n`);
  process.exit(1);
}
