/** Backups and data folders for the command line (src/cli). */

import { gridError } from '../../base/errors.ts';
import type { BackupContents, BackupFiles } from '../../cli/program.ts';
import { PRODUCT_VERSION } from '../../configuration/version.ts';
import { ObjectOutput, readBackupObject } from '../../engines/embedded/backup/backup-bucket.ts';
import { backupFolder } from '../../engines/embedded/backup/backup-folder.ts';
import { BackupDecoder, type BackupEnd, type BackupHeader } from '../../engines/embedded/backup/backup-format.ts';
import { type BackupKeys, newKeyFile, readKeys } from '../../engines/embedded/backup/backup-keys.ts';
import { urlMistake } from '../../engines/embedded/backup/continuous/destination.ts';
import { tailOf } from '../../engines/embedded/backup/continuous/failover/tail.ts';
import {
  checkBucket,
  checkKeys,
  type DestinationContext,
} from '../../engines/embedded/backup/continuous/open-destination.ts';
import { listRestorable, restoreContinuous } from '../../engines/embedded/backup/continuous/restore-continuous.ts';
import { ObjectStoreError } from '../../engines/embedded/backup/continuous/s3-errors.ts';
import { decrypted, encrypted } from '../../engines/embedded/backup/encryption.ts';
import { restoreBackup } from '../../engines/embedded/backup/restore.ts';
import { verifyFolder } from '../../engines/embedded/backup/verify.ts';
import { verifyBackup } from '../../engines/embedded/backup/verify-backup.ts';
import { equalKeysOf } from '../../engines/embedded/storage/key-migration.ts';

/** Creates the functions. Notes about file permissions go to standard error. */
export function backupFiles(context: DestinationContext): BackupFiles {
  const { clock } = context;
  const program = PRODUCT_VERSION;
  const log = (level: string, text: string): void => void process.stderr.write(`${level}: ${text}\n`);
  return {
    equalKeys: equalKeysOf,
    tailOf: (folder) => tailOf(folder, clock.nowMs()),
    ofFolder: (folder) => backupFolder({ folder, program, clock, log }),
    async check(source) {
      const decoder = new BackupDecoder(source);
      const header = await decoder.header();
      const runs = decoder.runs(header);
      for (;;) {
        const next = await runs.next();
        if (next.done === true) return contentsOf(header, next.value);
      }
    },
    async restore(source, folder, replace, onProgress) {
      const { header, end } = await restoreBackup({ source, folder, replace, program, log, onProgress });
      return contentsOf(header, end);
    },
    async writtenToObject(url, replace, source, read) {
      const output = new ObjectOutput(url, context, replace);
      try {
        const contents = await read(through(source, output));
        await output.complete();
        return { bytes: output.bytes, contents };
      } catch (error) {
        await output.discard();
        throw storeFailure(error);
      }
    },
    async *ofObject(url) {
      try {
        yield* readBackupObject(url, context);
      } catch (error) {
        throw storeFailure(error);
      }
    },
    urlMistake,
    newKeyFile: () => newKeyFile(clock.nowMs()),
    encrypted: (source, keyFile) => encrypted(source, readKeys(keyFile)),
    decrypted: (source, keyFile) => decrypted(source, { keys: keysOf(keyFile), what: 'the backup' }),
    async restoreContinuous({ url, keyFile, atMs, position, folder, replace, onProgress }) {
      const target = { ...(atMs !== undefined && { atMs }), ...(position !== undefined && { position }) };
      const { found, ...restored } = await usingStore(
        restoreContinuous({
          url,
          keys: keysOf(keyFile),
          target,
          folder,
          replace,
          program,
          log,
          onProgress,
          ...context,
        }),
      );
      return { ...restored, ...found };
    },
    listRestorable: (url, keyFile) => usingStore(listRestorable(url, context, keysOf(keyFile))),
    checkBucket: (url) => checkBucket(url, context),
    checkKeys: (url, keyFile) => checkKeys(url, context, readKeys(keyFile)),
    verifyFolder: (folder) => ({ checksums: false, ...verifyFolder(folder, log) }),
    async verify(source, temporaryFolder) {
      const { header, end, found } = await verifyBackup({ source, temporaryFolder, program, log });
      return { checksums: true, ...contentsOf(header, end), ...found };
    },
  };
}

function keysOf(file: string | undefined): BackupKeys | undefined {
  return file === undefined ? undefined : readKeys(file);
}

async function* through(source: AsyncIterable<Uint8Array>, output: ObjectOutput): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    await output.write(chunk);
    yield chunk;
  }
}

/** Reports object store failures as such. */
async function usingStore<T>(action: Promise<T>): Promise<T> {
  try {
    return await action;
  } catch (error) {
    throw storeFailure(error);
  }
}

function storeFailure(error: unknown): unknown {
  return error instanceof ObjectStoreError ? gridError('OBJECT_STORE_FAILED', error.message) : error;
}

function contentsOf({ createdAt, program, schemaVersion, regions }: BackupHeader, end: BackupEnd): BackupContents {
  const names = regions.map(({ name }) => name);
  return { createdAt, program, schemaVersion, regions: names, restoredBytes: end.pageBytes, sha256: end.sha256 };
}
