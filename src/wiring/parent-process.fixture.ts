/** A process that starts another one, which ends with it and never yields. */
import { writeSync } from 'node:fs';
import { endWithParent, watchParent } from './parent-process.ts';

const STDOUT = 1;
const [role = '', way = '', parent = ''] = process.argv.slice(2);

if (role === 'parent') {
  const command = [process.execPath, import.meta.path, 'child', way, String(process.pid)];
  const child = Bun.spawn(command, { stdio: ['ignore', 'inherit', 'inherit'] });
  writeSync(STDOUT, `child ${child.pid}\n`);
  await child.exited;
} else {
  if (way === 'watchParent') watchParent(Number(parent));
  else endWithParent(Number(parent));
  // The service's messages give the thread the time to begin.
  await Bun.sleep(500);
  writeSync(STDOUT, 'looping\n');
  for (;;);
}
