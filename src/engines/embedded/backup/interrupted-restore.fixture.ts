/** Restores the backup on standard input to a folder: `bun interrupted-restore.fixture.ts FOLDER PROGRAM`. */
import { restoreBackup } from './restore.ts';

const [folder = '', program = ''] = process.argv.slice(2);
await restoreBackup({ source: Bun.stdin.stream(), folder, replace: false, program, log: () => {} });
