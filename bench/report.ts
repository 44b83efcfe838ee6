/** The parts of a report about a run: its options and the machine. */
import { readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';

/** Returns the options of this run. */
export function optionsText(): string {
  const options = process.argv.slice(2).join(' ');
  return options === '' ? '' : ` (\`${options}\`)`;
}

/** Returns processor, memory, system and runtime. */
export function machineText(): string {
  const system = /^PRETTY_NAME="(.*)"$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? process.platform;
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  return `${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), ${memory}, ${system}, Bun ${Bun.version}`;
}
