/** Finds under which types a key is stored. */
import { callBatch } from '../requests/batch.ts';
import { call } from '../requests/request.ts';
import { readRows } from '../requests/statement.ts';
import { parameterText } from '../rows/value-input.ts';
import { keyTypesOf } from './entry-types.ts';

/** An entry as commands name it. */
export interface EntryTarget {
  readonly cacheName: string;
  /** As a parameter has it. */
  readonly key: string;
  readonly keyType: string;
}

export interface KeySearch {
  readonly cacheName: string;
  readonly key: string;
  /** Undefined means every type that the text may have. */
  readonly keyType: string | undefined;
  /** Types of keys and values that are known to be stored. */
  readonly knownTypes: readonly string[];
}

/** Finds the entries with a key: one for each type under which it is stored. Throws SvcError. */
export async function targetsOf({ cacheName, key, keyType, knownTypes }: KeySearch): Promise<readonly EntryTarget[]> {
  const types = keyType === undefined ? keyTypesOf(key, knownTypes) : [keyType];
  const targets = types.map((type) => ({ cacheName, key: parameterText(type, key), keyType: type }));
  const [only, ...others] = targets;
  // Text that does not fit the chosen type is an error.
  if (only !== undefined && others.length === 0) return (await call('conkey', { ...only })) === true ? [only] : [];
  // Other texts do not fit all types.
  const results = await callBatch(targets.map((target) => ({ cmd: 'conkey', ...target })));
  return targets.filter((_, at) => results[at]?.response === true);
}

/** Returns the type of the keys of a table's rows, or undefined if the user may not know. */
export async function readKeyType(cacheName: string, signal: AbortSignal): Promise<string | undefined> {
  const qry = 'SELECT key_type_name FROM sys.tables WHERE cache_name = ?';
  const [row] = await readRows(qry, 1, signal, [cacheName]);
  return row === undefined ? undefined : String(row[0]);
}
