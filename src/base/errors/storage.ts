/** Errors of the data folder, its files and backups. */
import { defineErrors, defineTexts } from './error-entry.ts';

const KEEP_REGION = 'Declare it as it was; to change or remove it, destroy its caches first.';

export const STORAGE_ERRORS = defineErrors({
  STORAGE_FULL: {
    http: 503,
    wrap: 'command',
    text: () => 'The disk is full: nothing was written.',
    cause: 'The disk of the data folder has no space left.',
    remedy: 'Free disk space. The service then resumes by itself.',
  },
  WRITE_HEADER_MISSING: {
    http: 403,
    text: (name: string) => `A GET request that changes data needs the header ${name}.`,
    cause: 'The request lacks the header that `http.csrfHeader` names.',
    remedy: 'Send the header with any value, or use POST. The option http.csrfHeader requires it.',
  },
  STORAGE_LOW: {
    http: 503,
    wrap: 'command',
    text: () => 'The disk is almost full: nothing was written. Deletes are still possible.',
    cause:
      'Less space than `storage.minFreeBytes` is available to the data folder, or the statement would leave less. ' +
      "Available space is the disk's free bytes plus the data file's free pages, less the bytes needed to checkpoint the write-ahead log.",
    remedy:
      'Delete data by keys, with clear, DROP TABLE or DELETE without WHERE, or free disk space. The service then ' +
      'resumes by itself. Run a statement that changes many rows in parts.',
  },
  STORAGE_READ_ONLY: {
    http: 503,
    wrap: 'command',
    text: () => 'The data folder cannot be written to: nothing was written.',
    cause: 'The file system or its permissions do not allow changes to the data folder.',
    remedy: 'Give the service permission to write to its data folder.',
  },
  STORAGE_CORRUPT: {
    http: 500,
    wrap: 'command',
    text: (detail: string) => `The data file is damaged: ${detail}`,
    cause:
      'The data file has pages that no version of the service wrote: the disk, memory or another program ' +
      'changed them.',
    remedy: 'Stop the service and restore the last backup. The log has the details.',
  },
  STORAGE_FAILED: {
    http: 503,
    wrap: 'command',
    text: (detail: string) => `The data file cannot be read or written: ${detail}`,
    cause: 'The operating system reported an error while reading or writing the data file.',
    remedy: 'Check the disk and its file system. The log has the details.',
  },
  BACKUP_FOLDER_MISSING: {
    http: 400,
    wrap: 'command',
    text: () => 'No backup folder is configured: set backup.folder, or send stream=true to receive the backup.',
    cause: '`backup.folder` is not set.',
    remedy: 'Set the option backup.folder (SVC_BACKUP_FOLDER) and restart, or send stream=true.',
  },
  BACKUP_NAME_INVALID: {
    http: 400,
    wrap: 'command',
    text: (name: string, reason: string) => `The name of a backup ${reason} [name=${name}]`,
    cause: 'The name has invalid characters, or the folder already has a backup with that name.',
    remedy: 'Send an unused name of letters, digits, dots, dashes and underscores, or no name.',
  },
  BACKUP_RUNNING: {
    http: 409,
    wrap: 'command',
    text: () => 'A backup is already running; only one can run at a time.',
    cause: 'A backup started by another user or by the schedule is still running.',
    remedy: 'Wait until it has completed; the command backups shows its progress.',
  },
  BACKUP_SPACE: {
    http: 503,
    wrap: 'command',
    text: (folder: string, freeBytes: number, reserveBytes: number) =>
      `The disk is almost full, so no backup was made [folder=${folder}, free=${freeBytes}, reserve=${reserveBytes}]`,
    cause:
      'The backup folder has less free space than the reserve `storage.minFreeBytes`, or the data folder less than half of it.',
    remedy: 'Free disk space, choose another folder, or receive the backup with stream=true.',
  },
  BACKUP_FAILED: {
    http: 500,
    wrap: 'command',
    text: (reason: string) => `The backup failed: ${reason}`,
    cause: 'The backup could not be written.',
    remedy: 'The text says what failed. An incomplete backup is never restored.',
  },
  BACKUP_KEY_INVALID: {
    http: 500,
    wrap: 'command',
    text: (file: string, reason: string) => `The key file of the backups cannot be used: ${reason} [file=${file}]`,
    cause:
      '`backup.encryptionKeyFile` or `--key-file` names a file that is missing, readable by others or without keys.',
    remedy: 'Put the file back with mode 0600. svc doctor checks it.',
  },
  BACKUP_KEY_MISSING: {
    http: 500,
    wrap: 'command',
    text: (what: string) =>
      `No key was named, but ${what} is encrypted: name the key file (--key-file, backup.encryptionKeyFile)`,
    cause: 'An encrypted backup was read without a key.',
    remedy: 'Name the key file: --key-file for svc restore and svc verify, backup.encryptionKeyFile for the service.',
  },
  BACKUP_KEY_WRONG: {
    http: 500,
    wrap: 'command',
    text: (what: string, file: string) =>
      `No key in ${file} decrypts ${what}: add its encryption key after the first one`,
    cause: 'The backup was encrypted with a key that is not in the key file.',
    remedy:
      'Add the key that was used to the file, on a line after the first one. Without it, the backup cannot be read.',
  },
  BACKUP_NOT_ENCRYPTED: {
    http: 500,
    wrap: 'command',
    text: (what: string) => `A key was named, but ${what} is not encrypted: it may have been replaced`,
    cause: 'A key was named for a backup that is not encrypted, so nothing shows who wrote it.',
    remedy: 'Omit --key-file if the backup was made before encryption was enabled.',
  },
});

/** Texts of errors that share their code with others. */
export const STORAGE_TEXTS = defineTexts({
  STORAGE_LOW_ADDING: {
    code: 'STORAGE_LOW',
    text: () =>
      'The disk has too little space for everything that this would write: nothing was written. Run it in parts, or free some space.',
  },
  STORAGE_LOW_REMOVING: {
    code: 'STORAGE_LOW',
    text: () =>
      'The disk has too little space for the write-ahead log of such a large DELETE: nothing was written. Delete in parts ' +
      '(LIMIT, or a narrower WHERE), or everything (DELETE without WHERE, DROP TABLE, clear).',
  },
  // The data folder and the data file.
  FOLDER_IN_USE: {
    code: 'OPERATION_FAILED',
    text: (folder: string, processId?: number) =>
      processId === undefined
        ? `The data folder is in use by another process: ${folder} (dataDir)`
        : `The data folder is in use by process ${processId}: ${folder} (dataDir). Stop it with svc stop, or choose another folder`,
  },
  FOLDER_UNUSABLE: {
    code: 'OPERATION_FAILED',
    text: (folder: string, reason: string) =>
      `The data folder cannot be used [dataDir=${folder}, reason=${reason}]: choose another folder (dataDir, SVC_DATA_DIR)`,
  },
  FOLDER_FULL: {
    code: 'STORAGE_FULL',
    text: (folder: string) => `The disk of the data folder is full: free some space on it [dataDir=${folder}]`,
  },
  SQLITE_UNSUITABLE: {
    code: 'OPERATION_FAILED',
    text: (version: string, fault: string) =>
      `SQLite ${version} cannot be used: ${fault}. On macOS it comes from the system: update to macOS 14 or later`,
  },
  FOLDER_DAMAGED: {
    code: 'STORAGE_CORRUPT',
    text: (folder: string, reason: string) =>
      `The data file is damaged, restore the last backup [folder=${folder}, reason=${reason}]`,
  },
  DATA_FILE_MISSING: {
    code: 'STORAGE_CORRUPT',
    text: (folder: string, evidence: string) =>
      `The data file svc.db is missing or empty, but ${evidence}: put the file back, or restore the last backup. For an ` +
      `empty store choose another folder [folder=${folder}]`,
  },
  DATA_FILE_EMPTY: {
    code: 'STORAGE_CORRUPT',
    text: (folder: string) =>
      `The data file svc.db contains nothing, but lock.db records that the folder had data: its log svc.db-wal was ` +
      `damaged or removed. Put the log back, or restore the last backup. For an empty store choose another folder ` +
      `[folder=${folder}]`,
  },
  FOLDER_PUBLIC: {
    code: 'OPERATION_FAILED',
    text: (folder: string) =>
      `All users can create files in ${folder}: choose a separate folder inside it (dataDir, SVC_DATA_DIR)`,
  },
  FILE_PUBLIC: {
    code: 'OPERATION_FAILED',
    text: (path: string, advice: string) => `All users can change ${path}: ${advice}`,
  },
  SCHEMA_NEWER: {
    code: 'OPERATION_FAILED',
    text: (folder: string, version: number, writer: string | undefined, program: string, known: number) =>
      `The data folder was written by a newer program${writer === undefined ? '' : ` (${writer})`} and has schema ` +
      `version ${version}; this program (${program}) supports versions up to ${known}. Start the newer program, or ` +
      `restore a backup made before the upgrade [folder=${folder}]`,
  },
  KEYS_EQUAL: {
    code: 'OPERATION_FAILED',
    text: (pairs: string) =>
      `Some keys in the data folder are equal in this version, so one entry would replace another: ${pairs}. Nothing was ` +
      'changed: remove one of each pair with the version that wrote them, then start this one again',
  },
  FOLDER_EMPTY: {
    code: 'OPERATION_FAILED',
    text: (folder: string) => `There is no data file in the folder [folder=${folder}]`,
  },
  FOLDER_NOT_EMPTY: {
    code: 'OPERATION_FAILED',
    text: (folder: string) =>
      `The folder is not empty: choose another one, or replace its contents with --replace [folder=${folder}]`,
  },
  RESTORE_INCOMPLETE: {
    code: 'OPERATION_FAILED',
    text: (folder: string) =>
      `A restore to this folder was interrupted: run svc restore with it again [folder=${folder}]`,
  },
  // Backups as files.
  VERIFICATION_RUNNING: {
    code: 'BACKUP_RUNNING',
    text: () => 'A backup is already being verified; only one can be verified at a time.',
  },
  BACKUP_DAMAGED: {
    code: 'STORAGE_CORRUPT',
    text: (reason: string) => `The backup is damaged or incomplete: ${reason}`,
    specificRemedy: () => 'Use another backup: svc verify FILE checks whether one is sound.',
  },
  BACKUP_NEWER: {
    code: 'OPERATION_FAILED',
    text: (version: number, known: number) =>
      `The backup has format version ${version}; this program supports versions up to ${known}. Use the newer program.`,
  },
  OBJECT_STORE_FAILED: {
    code: 'BACKUP_FAILED',
    text: (reason: string) => `The object store cannot be used: ${reason}`,
  },
  RESTORE_SPACE: {
    code: 'BACKUP_SPACE',
    text: (folder: string, neededBytes: number, freeBytes: number) =>
      `The disk has too little space to restore a backup [folder=${folder}, needed=${neededBytes}, free=${freeBytes}]`,
  },
  BACKUP_POINT_MISSING: {
    code: 'OPERATION_FAILED',
    text: (reason: string) => `Nothing can be restored: ${reason}`,
  },
  TOO_MANY_REGIONS: {
    code: 'OPERATION_FAILED',
    text: (limit: number) => `There can be at most ${limit} non-persistent data regions.`,
  },
  REGION_REMOVED: {
    code: 'OPERATION_FAILED',
    text: (region: string, cache: string) =>
      `The data region ${region} holds the cache ${cache}, but it is no longer declared. ${KEEP_REGION}`,
  },
  REGION_CHANGED: {
    code: 'OPERATION_FAILED',
    text: (region: string, cache: string, now: boolean) =>
      `The data region ${region} holds the cache ${cache}, but persistent is now ${now} and was ${!now}. ${KEEP_REGION}`,
  },
});

/** Texts of errors that share their code with others. */
export const MIGRATION_TEXTS = defineTexts({
  MIGRATION_CACHES_UNKNOWN: {
    code: 'CACHE_NOT_FOUND',
    text: (caches: string) => `The source has no cache ${caches}.`,
  },
  PROGRESS_OF_OTHER_MIGRATION: {
    code: 'OPERATION_FAILED',
    text: (path: string, from: string, to: string) =>
      `${path} belongs to the migration from ${from} to ${to}; finish it, or remove the file`,
  },
  PROGRESS_UNREADABLE: {
    code: 'OPERATION_FAILED',
    text: (path: string) => `${path} is not a progress file of a migration; remove it to start over`,
  },
});
