/** `svc backup`, `svc backup key`, `svc restore` and `svc verify`. */
import { createReadStream, existsSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { Command } from 'commander';
import { errorText, GridError } from '../base/errors.ts';
import { EXIT_CODES } from '../base/exit-codes.ts';
import { isBucketUrl } from '../base/local-path.ts';
import { addConnectionOptions, type ConnectionOptions, connect } from './connection.ts';
import { type DataFolderOptions, dataFolderOf, unreadConfiguration } from './data-folder.ts';
import { CommandLineError, interruptedError, ServiceFailure, usageError } from './failures.ts';
import { localPath } from './local-path.ts';
import { addOutputOptions, type OutputOptions, printObject, responseText } from './output.ts';
import { pointInTime } from './point-in-time.ts';
import type { BackupFiles, FolderContents, Terminal } from './program.ts';
import type { Invocation } from './subcommand.ts';
import { throughOutput, writtenTo } from './transfer/target-file.ts';

interface KeyOptions {
  readonly keyFile?: string;
}

/** Used instead of a file: standard input or output. */
const STREAM = '-';

interface BackupOptions extends ConnectionOptions, OutputOptions, KeyOptions {
  readonly to?: string;
  readonly name?: string;
  readonly dataDir?: string;
  readonly replace?: boolean;
}

export function declareBackup(command: Command, invocation: Invocation): void {
  addOutputOptions(addConnectionOptions(command))
    .option(
      '--to <file>',
      'file or object (s3://bucket/name) to write, or - for standard output; otherwise the service stores the backup itself',
    )
    .option('--name <name>', 'name of the backup in the folder of the service (backup.folder); default: the time')
    .option('--data-dir <folder>', 'make the backup of a data folder that no service uses; needs --to')
    .option('--replace', 'replace the file or the object if it exists')
    .option('--key-file <file>', 'encrypt the backup with the first key of this file; needs --to')
    .action((options: BackupOptions) => reported(() => backup(options, invocation)));
  // Otherwise --to would belong to the parent command.
  command
    .enablePositionalOptions()
    .command('key')
    .description('Writes a file with a new key for encrypted backups (backup.encryptionKeyFile, --key-file).')
    .requiredOption('--to <file>', 'file to write; it must not exist')
    .action(({ to }: { readonly to: string }) => writeKey(to, invocation));
}

async function writeKey(to: string, { terminal, service }: Invocation): Promise<void> {
  const path = localPath(terminal.cwd, to);
  const text = await (await service.backups()).newKeyFile();
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600, flush: true });
  } catch (error) {
    const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    throw usageError(
      `--to: ${exists ? `${path} exists, and a key is not replaced` : `cannot write ${path}: ${errorText(error)}`}`,
    );
  }
  await terminal.print(`wrote ${path}; keep a copy in another place: without it nobody can read the backups\n`);
}

async function backup(options: BackupOptions, invocation: Invocation): Promise<void> {
  const { terminal, service } = invocation;
  const { to, name, dataDir } = options;
  if (to !== undefined && name !== undefined)
    throw usageError('--name: cannot be combined with --to, which names the file');
  if (to === undefined) {
    if (dataDir !== undefined) throw usageError('--data-dir: needs a file (--to)');
    if (options.keyFile !== undefined) throw usageError('--key-file: needs a file (--to)');
    const client = await connect(options, invocation);
    const { response } = await client.command('backup', name === undefined ? {} : { name }).catch(withoutFolder);
    await terminal.print(await responseText(response, options, terminal));
    return;
  }
  const files = await service.backups();
  const keyFile = keyFileOf(options, invocation);
  const received =
    dataDir === undefined
      ? await (await connect(options, invocation)).stream('backup', { stream: 'true' }, 'application/octet-stream')
      : files.ofFolder(localPath(terminal.cwd, dataDir));
  const source = keyFile === undefined ? received : files.encrypted(received, keyFile);
  // The output is read back, to verify that the key opens it.
  const check = (chunks: AsyncIterable<Uint8Array>) => files.check(files.decrypted(chunks, keyFile));
  if (to === STREAM) {
    const contents = await check(throughOutput(source, terminal));
    terminal.errors.write(`backup of ${contents.createdAt}, sha256 ${contents.sha256}\n`);
    return;
  }
  const replace = options.replace === true;
  if (isBucketUrl(to)) {
    checkObject(to, '--to', files);
    const { bytes, contents } = await files.writtenToObject(to, replace, source, check);
    await printObject({ file: to, bytes, ...contents }, options, terminal);
    return;
  }
  const path = localPath(terminal.cwd, to);
  const contents = await writtenTo(path, { replace, option: '--to' }, source, check);
  await printObject({ file: path, bytes: statSync(path).size, ...contents }, options, terminal);
}

function keyFileOf({ keyFile }: KeyOptions, { terminal }: Invocation): string | undefined {
  return keyFile === undefined ? undefined : localPath(terminal.cwd, keyFile);
}

/** Names this command's option where the service names its own parameter. */
function withoutFolder(error: unknown): never {
  const isMissing = error instanceof ServiceFailure && error.details.code === 'BACKUP_FOLDER_MISSING';
  if (!isMissing) throw error;
  throw usageError('the service has no folder for backups (backup.folder): name a file with --to, or - for a stream');
}

/** Throws a usage error for a URL that names no object. */
function checkObject(url: string, option: string, files: BackupFiles): void {
  const mistake =
    files.urlMistake(url) ?? (/\/$|^\/?$/.test(new URL(url).pathname) ? 'must name an object' : undefined);
  if (mistake !== undefined) throw usageError(`${option}: ${mistake}, not ${url}`);
}

interface RestoreOptions extends OutputOptions, KeyOptions {
  readonly to?: string;
  readonly replace?: boolean;
  readonly from?: string;
  readonly at?: string;
  readonly atPosition?: string;
  readonly list?: boolean;
}

export function declareRestore(command: Command, invocation: Invocation): void {
  addOutputOptions(command)
    .argument('[file]', 'the backup: a file, an object (s3://bucket/name), or - for standard input')
    .option(
      '--from <url>',
      'in place of a file: a continuous backup, such as file:///var/backups/svc or s3://bucket/prefix',
    )
    .option('--to <folder>', 'data folder; it is created, or must be empty')
    .option('--replace', 'replace what the folder contains')
    .option(
      '--at <time>',
      'with --from: restore what had been shipped at this time, such as 2026-11-23T12:34:56Z or "10 minutes ago"',
    )
    .option('--at-position <position>', 'with --from: restore this position, which --list and the log name')
    .option('--list', 'with --from: list what can be restored, and restore nothing')
    .option('--key-file <file>', 'file with the key of an encrypted backup; one that is not encrypted is rejected')
    .action((file: string | undefined, options: RestoreOptions) =>
      reported(async () => {
        const { terminal, service } = invocation;
        const { from, to, list } = options;
        const files = await service.backups();
        if ((file === undefined) === (from === undefined))
          throw usageError('name a backup to restore: a file, s3://bucket/name, or a continuous backup with --from');
        checkContinuous(options, files);
        const keyFile = keyFileOf(options, invocation);
        if (from !== undefined && list === true)
          return printObject(await files.listRestorable(from, keyFile), options, terminal);
        if (to === undefined) throw usageError('--to: name the data folder to restore to');
        const folder = localPath(terminal.cwd, to);
        const replace = options.replace === true;
        const onProgress = progressOn(terminal);
        if (from === undefined) {
          const source = files.decrypted(bytesOf(file ?? STREAM, terminal, files), keyFile);
          const contents = await files.restore(source, folder, replace, onProgress);
          return printObject({ folder, ...contents }, options, terminal);
        }
        const at = options.at === undefined ? undefined : pointInTime('--at', options.at, invocation.clock.nowMs());
        if (at?.assumed !== undefined) terminal.errors.write(`svc: ${at.assumed}\n`);
        const point = { atMs: at?.ms, position: positionOf(options.atPosition) };
        const restored = await files.restoreContinuous({ url: from, keyFile, ...point, folder, replace, onProgress });
        if (point.atMs !== undefined && point.atMs > invocation.clock.nowMs()) {
          terminal.errors.write(
            `svc: ${new Date(point.atMs).toISOString()} (--at) is in the future: restored the newest state, of ${restored.shippedAt}\n`,
          );
        }
        await report(restored, { folder }, options, invocation);
      }),
    );
}

/** Throws a usage error for incompatible options, and for a URL that names no destination. */
function checkContinuous({ from, at, atPosition, list, to }: RestoreOptions, files: BackupFiles): void {
  const given = Object.entries({ '--at': at, '--at-position': atPosition, '--list': list });
  const needing = given.find(([, value]) => value !== undefined)?.[0];
  if (from === undefined && needing !== undefined) throw usageError(`${needing}: needs a continuous backup (--from)`);
  if (at !== undefined && atPosition !== undefined) throw usageError('--at: cannot be combined with --at-position');
  if (list === true && to !== undefined) throw usageError('--list: restores nothing, so leave out --to');
  const mistake = from === undefined ? undefined : files.urlMistake(from);
  if (mistake !== undefined) throw usageError(`--from: ${mistake}, not ${from}`);
}

function positionOf(text: string | undefined): bigint | undefined {
  if (text === undefined) return undefined;
  if (/^[0-9a-f]{1,16}$/i.test(text)) return BigInt(`0x${text}`);
  throw usageError(`--at-position: must be up to 16 hexadecimal digits, not ${text}`);
}

interface VerifyOptions extends OutputOptions, DataFolderOptions, KeyOptions {
  readonly temporaryFolder?: string;
}

export function declareVerify(command: Command, invocation: Invocation): void {
  addOutputOptions(command)
    .argument(
      '[place]',
      'a backup (file or s3://bucket/name), a data folder, or - for standard input; default: the data folder',
    )
    .option('--temporary-folder <folder>', 'folder with room for the restored files', tmpdir())
    .option('--config <file>', 'configuration file of the service, which names the data folder')
    .option('--key-file <file>', 'file with the key of an encrypted backup; one that is not encrypted is rejected')
    .action((place: string | undefined, options: VerifyOptions) =>
      reported(async () => {
        await report(await verify(place, options, invocation), {}, options, invocation);
      }),
    );
}

/** Prints the result of a verification. The command fails if it is not sound. */
async function report(
  { violations, ...contents }: FolderContents,
  place: object,
  options: OutputOptions,
  { terminal, exit }: Invocation,
): Promise<void> {
  await printObject({ ...place, sound: violations.length === 0, ...contents }, options, terminal);
  for (const violation of violations) terminal.errors.write(`svc: ${violation}\n`);
  if (violations.length > 0) exit(EXIT_CODES.failed);
}

async function verify(
  place: string | undefined,
  options: VerifyOptions,
  invocation: Invocation,
): Promise<FolderContents> {
  const { terminal, service } = invocation;
  const files = await service.backups();
  const temporary = localPath(terminal.cwd, options.temporaryFolder ?? tmpdir());
  const keyFile = keyFileOf(options, invocation);
  const verified = (from: string) => files.verify(files.decrypted(bytesOf(from, terminal, files), keyFile), temporary);
  if (place !== undefined && isBucketUrl(place)) return verified(place);
  const advice = place === undefined ? unreadConfiguration(options, terminal) : undefined;
  if (advice !== undefined)
    throw new CommandLineError(EXIT_CODES.usage, 'verify: the data folder is not named', { advice });
  const path = place === undefined ? await dataFolderOf(options, terminal) : localPath(terminal.cwd, place);
  const found = statSync(path, { throwIfNoEntry: false });
  if (place === STREAM || found?.isFile() === true) return verified(place ?? path);
  if (found === undefined) throw usageError(`${place ?? path}: there is no such file or folder`);
  if (keyFile !== undefined) throw usageError('--key-file: a data folder is not encrypted');
  return files.verifyFolder(path);
}

/** Yields the bytes of a file, an object, or standard input. Ends with an error if the user interrupts. */
async function* bytesOf(
  file: string,
  { cwd, input, interrupted }: Terminal,
  files: BackupFiles,
): AsyncGenerator<Uint8Array> {
  let source: AsyncIterable<Uint8Array> = input;
  if (isBucketUrl(file)) {
    checkObject(file, 'the backup', files);
    source = files.ofObject(file);
  } else if (file !== STREAM) {
    const path = localPath(cwd, file);
    if (!existsSync(path)) throw usageError(`${file}: there is no such file`);
    source = createReadStream(path);
  }
  for await (const chunk of source) {
    if (interrupted.aborted) throw interruptedError();
    yield chunk;
  }
}

const PERCENT = 100;

/** Returns a function that shows the progress on a terminal. */
function progressOn({ errors }: Terminal): (writtenBytes: number, totalBytes: number) => void {
  let shown = -1;
  return (writtenBytes, totalBytes) => {
    const percent = Math.floor((writtenBytes / totalBytes) * PERCENT);
    if (errors.isTTY !== true || percent === shown) return;
    shown = percent;
    errors.write(`\rrestoring: ${percent} %${percent === PERCENT ? '\n' : ''}`);
  };
}

/** Turns errors of the service's modules into errors of the command line. */
async function reported(action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (!(error instanceof GridError)) throw error;
    // The code's own remedy is for a running service.
    const advice = error.remedy === error.entry.remedy ? undefined : error.remedy;
    throw new CommandLineError(EXIT_CODES.failed, error.message, { cause: error, advice });
  }
}
