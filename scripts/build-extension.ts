/**
 * Builds the SQLite extension of the embedded engine (src/engines/embedded/native/statement-guard.c and what it
 * includes) for every platform that loads it, and records the checksums of source and libraries. It requires Zig, which
 * cross-compiles: `zig`, or the Python package `ziglang` (0.17.1). The libraries are checked in; run this after
 * changing the source.
 */
import { join } from 'node:path';

const TARGETS = { 'linux-x64': 'x86_64-linux-none', 'linux-arm64': 'aarch64-linux-none' } as const;
/** No C library, so one file works with glibc and musl. */
const FLAGS = ['-O2', '-ffreestanding', '-nostdlib', '-shared', '-fPIC', '-fvisibility=hidden', '-s'];

const folder = join(import.meta.dir, '../src/engines/embedded/native');
const source = 'statement-guard.c';
const included = ['page-rows.c', 'log-frames.c'];

async function sha256(name: string): Promise<string> {
  return new Bun.CryptoHasher('sha256').update(await Bun.file(join(folder, name)).bytes()).digest('hex');
}

const zig = Bun.which('zig') === null ? ['python3', '-m', 'ziglang'] : ['zig'];
const built: string[] = [source, ...included];
for (const [platform, target] of Object.entries(TARGETS)) {
  const name = `statement-guard-${platform}.so`;
  const command = [...zig, 'cc', '-target', target, ...FLAGS, '-o', name, source];
  const { exitCode, stderr } = Bun.spawnSync(command, { cwd: folder });
  if (exitCode !== 0) {
    process.stderr.write(`${command.join(' ')}\n${stderr}`);
    process.exit(1);
  }
  built.push(name);
}
const lines = await Promise.all(built.map(async (name) => `${await sha256(name)}  ${name}\n`));
await Bun.write(join(folder, 'statement-guard.sha256'), lines.join(''));
