/** How far an import has come, and the parameters with which another request may continue it. */
import type { ImportReport, ImportRequest } from '../grid/bulk.ts';
import { PLAIN_FORMS, parametersOfForms } from './source-forms.ts';

/** Progress that is stored. */
export type Progress = Omit<ImportReport, 'importId'>;

export const NO_PROGRESS: Progress = {
  state: 'open',
  rows: 0,
  skipped: 0,
  rejected: 0,
  offset: 0,
  line: 0,
  errors: [],
};

/** The parameters that every request of an import must repeat, by their names in requests. */
export type ImportParameters = Readonly<Record<string, string>>;

export interface StoredImport {
  readonly parameters: ImportParameters;
  /** The names in the header of a CSV source, once it has been read. */
  readonly header: readonly string[] | undefined;
  readonly progress: Progress;
}

/** Returns the parameters that determine how an import reads its source and stores the records. */
export function parametersOf(request: ImportRequest): ImportParameters {
  const { target, format, header, columns, delimiter, nullText, rowNumber, onDuplicate, onError } = request;
  const named =
    target.kind === 'table'
      ? { table: target.name }
      : { keyType: target.keyType, valueType: target.valueType, ttlMs: target.ttlMs === null ? 0n : target.ttlMs };
  const all: Readonly<Record<string, string | boolean | bigint | undefined>> = {
    cacheName: target.cache,
    ...named,
    format,
    header,
    columns: columns?.join(','),
    delimiter,
    nullText,
    onDuplicate,
    onError,
    // Absent from imports begun by an earlier version.
    ...(rowNumber !== undefined && { rowNumber }),
    ...(request.omit !== undefined && { omit: request.omit.join(',') }),
    ...parametersOfForms(request.forms ?? PLAIN_FORMS),
  };
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, String(value ?? '')]));
}

/** Returns the name of a parameter that differs, or undefined if none does. */
export function differingParameter(stored: ImportParameters, sent: ImportParameters): string | undefined {
  return Object.keys({ ...stored, ...sent }).find((name) => stored[name] !== sent[name]);
}
