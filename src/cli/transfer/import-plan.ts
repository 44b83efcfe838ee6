/** The plan that `svc import` shows before it creates a table: the service infers it from the beginning of the file. */
import { basename } from 'node:path';
import { errorText } from '../../base/errors.ts';
import { EXIT_CODES } from '../../base/exit-codes.ts';
import { IMPORT_BOUNDS } from '../../base/limits.ts';
import type { ServiceClient } from '../client.ts';
import { CommandLineError, ServiceFailure, usageError } from '../failures.ts';
import { plainJson } from '../json-text.ts';
import { MEDIA_TYPES, type RowFormat, STREAM } from './row-format.ts';
import type { SourceFile } from './source-file.ts';

export interface ImportPlan {
  /** The statement that creates the table, or null if it exists. */
  readonly statement: string | null;
  /** The parameters with which the whole file is read like its beginning. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly records: number;
  readonly complete: boolean;
  /** Columns whose dates or numbers could be read in several ways. Absent before 1.1.0. */
  readonly notes?: readonly string[];
}

/** Asks the service to infer delimiter, header and columns. Throws CommandLineError. */
export async function planOf(
  file: string,
  source: SourceFile,
  format: RowFormat,
  parameters: Readonly<Record<string, string>>,
  client: ServiceClient,
): Promise<ImportPlan> {
  const { bytes, isWhole } = await source.sample(IMPORT_BOUNDS.sampleBytes).catch((error: unknown) => {
    throw unreadable(file, error);
  });
  const { atomic: _, ...inferring } = parameters;
  const planned = { ...inferring, dryRun: 'true', last: String(isWhole) };
  const { response } = await client.upload('import', planned, MEDIA_TYPES[format], bytes);
  return plainJson<{ readonly plan: ImportPlan }>(response).plan;
}

/** Returns a line about the columns that statements must quote, such as SQL keywords; empty if there are none. */
export function quotedNote(statement: string): string {
  const names = [...statement.matchAll(/^ {2}("(?:[^"]|"")+") /gm)].map(([, name]) => name);
  return names.length === 0 ? '' : `note: statements write ${names.join(', ')} in double quotes\n`;
}

const SEPARATORS: Readonly<Record<string, string>> = { ',': 'comma', '.': 'point', "'": 'apostrophe' };

/** Returns how parameters read dates and numbers; empty if as svc writes them. */
export function formsIn(parameters: ImportPlan['parameters']): readonly string[] {
  const { dateFormat, decimalSeparator, thousands } = parameters;
  return [
    ...(dateFormat === undefined ? [] : [`dates ${dateFormat}`]),
    ...(decimalSeparator === undefined ? [] : [`decimal ${SEPARATORS[decimalSeparator] ?? decimalSeparator}`]),
    ...(thousands === undefined ? [] : [`thousands separated by ${SEPARATORS[thousands] ?? thousands}`]),
  ];
}

/** Returns lines about the columns whose dates or numbers could be read in several ways. */
export function formNotes({ notes = [] }: ImportPlan): string {
  return notes.map((note) => `note: ${formOptions(note)}\n`).join('');
}

/** Returns a text with options in place of the parameters that specify formats. */
function formOptions(text: string): string {
  return text.replace(
    /(?<![\w-])(dateFormat|decimalSeparator|thousands)=(?=\S)/g,
    (_, name: string) => `${optionOf(name)} `,
  );
}

function optionOf(parameter: string): string {
  return `--${parameter.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Reports whether the service cannot tell whether the first line of a file names the columns. */
export function isHeaderUnclear(error: unknown): boolean {
  return (
    error instanceof ServiceFailure && error.details.code === 'IMPORT_INVALID' && error.details.parameter === 'header'
  );
}

/** Returns the error for a file that cannot be read to its end. */
export function unreadable(file: string, error: unknown): CommandLineError {
  const reason = errorText(error);
  return new CommandLineError(EXIT_CODES.failed, `cannot read ${file}: ${reason}`, { cause: error });
}

/** Returns the table named like the file. Throws CommandLineError for standard input. */
export function tableNamedLike(file: string): string {
  if (file === STREAM)
    throw usageError('name the table (--table) or the cache (--cache) for the rows of standard input');
  // Other dots belong to the name: rent.2023.csv and rent.2024.csv are two tables.
  const stem = basename(file)
    .replace(/\.gz$/i, '')
    .replace(/\.\p{L}\w*$/u, '');
  const name = stem.replace(/[^\p{L}\p{Nd}_]+/gu, '_').replace(/^_+|_+$/g, '');
  if (name === '') throw usageError(`${file}: the file name is no table name: name a table with --table`);
  const plain = /^\p{Nd}/u.test(name) ? `t_${name}` : name;
  return /^[\p{L}_][\p{L}\p{Nd}_]*$/u.test(plain) ? plain : `"${plain}"`;
}

/** Returns a sentence about the plan's assumptions. */
export function basisOf({ records, complete, parameters }: ImportPlan): string {
  const { delimiter, header } = parameters;
  const names: Readonly<Record<string, string>> = { ',': 'comma', ';': 'semicolon', '|': 'vertical bar' };
  const all = records === 1 ? 'from its only record' : `from all of its ${records} records`;
  const basis = complete ? all : `from its first ${records} records`;
  if (delimiter === undefined) return basis;
  const named = header === 'true' ? 'the first line names the columns' : 'no header (--header: the first line is one)';
  return [`${basis}; delimiter ${names[delimiter] ?? delimiter}`, named, ...formsIn(parameters)].join(', ');
}

/** The parameters that are options. */
const NAMED_ALIKE: ReadonlySet<string> = new Set(
  'types key columns delimiter dateFormat decimalSeparator thousands'.split(' '),
);

/** Returns an error with options instead of the parameters that the service names. */
export function withOptions(error: CommandLineError): CommandLineError {
  const options = formOptions(error.message).replace(/^(\w+)(?= must )/, (name) =>
    NAMED_ALIKE.has(name) ? optionOf(name) : name,
  );
  const named = options
    .replace(/(?<![\w-])header=(true|false)\b/g, (_, value: string) => (value === 'true' ? '--header' : '--no-header'))
    .replace(/(?<![\w-])delimiter=([^\w\s])(?=\s|$)/g, "--delimiter '$1'")
    .replace(
      /(?<![\w-])(types|key|rowNumber|columns|delimiter|onDuplicate)=(?=\w)/g,
      (_, name: string) => `${optionOf(name)} `,
    );
  const isDuplicate = named.includes('already in cache') && !named.includes('--key');
  const message = isDuplicate ? `${named}; --on-duplicate replace or skip imports such files` : named;
  if (error instanceof ServiceFailure)
    return new ServiceFailure(error.exitCode, message, error.status, error.response, error.details);
  return new CommandLineError(error.exitCode, message, { cause: error });
}
