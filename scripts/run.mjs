// `node scripts/run.mjs FILE [ARGUMENT ...]` runs a program of the project with Bun. Installs missing packages before.
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import './install-missing.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const child = spawn(join(root, 'node_modules', '.bin', 'bun'), process.argv.slice(2), { stdio: 'inherit' });
// A terminal sends its signals to both; others reach this process alone.
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
process.on('SIGINT', () => {});
child.on('exit', (code, signal) => {
  if (signal !== null) process.kill(process.pid, signal);
  process.exitCode = code ?? 1;
});
