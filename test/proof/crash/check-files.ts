/**
 * Checks the data file of a folder that no process has open, and backups, and prints one violation per line:
 * `bun check-files.ts FOLDER BACKUP...`. It runs in its own process because the service's process must not open
 * database files except through SQLite.
 */
import { createReadStream } from 'node:fs';
import { dirname } from 'node:path';
import { verifyFolder } from '../../../src/engines/embedded/backup/verify.ts';
import { verifyBackup } from '../../../src/engines/embedded/backup/verify-backup.ts';

const [folder, ...backups] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: bun check-files.ts FOLDER BACKUP...');
const log = (): void => {};
for (const violation of verifyFolder(folder, log).violations) process.stdout.write(`${violation}\n`);
for (const backup of backups) {
  const options = { source: createReadStream(backup), temporaryFolder: dirname(folder), program: '', log };
  const { violations } = await verifyBackup(options).then(
    ({ found }) => found,
    (error: unknown) => ({ violations: [String(error)] }),
  );
  for (const violation of violations) process.stdout.write(`${backup}: ${violation}\n`);
}
