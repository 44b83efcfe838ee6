#!/usr/bin/env node
// Does the same as the script svc, for Windows: runs the program with the Bun that npm installed next to it. Signals go
// to the program, whose exit code is returned.
const { spawn } = require('node:child_process');
const { existsSync } = require('node:fs');
const { devNull } = require('node:os');
const { dirname, join } = require('node:path');
const { runtimePath } = require('./runtime.cjs');

const root = dirname(__dirname);
// The npm package has the bundle, a clone the sources.
const sources = join(root, 'src', 'main.ts');
const main = existsSync(sources) ? sources : join(root, 'dist', 'service', 'main.js');
let runtime;
try {
  runtime = runtimePath();
} catch (error) {
  process.stderr.write(`svc: ${error.message}\n`);
  process.exit(1);
}
const [word = 'serve'] = process.argv.slice(2);
const trusts = /^(?:serve|config|doctor|migrate|-.*)$/s.test(word) && !/^(?:--help|-h|--version|-v)$/.test(word);
const distrust = trusts ? [] : ['--no-env-file', `--config=${devNull}`, `--tsconfig-override=${devNull}`];
const child = spawn(runtime, ['--no-install', ...distrust, main, ...process.argv.slice(2)], { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => {
  if (signal === null) process.exit(code ?? 1);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
