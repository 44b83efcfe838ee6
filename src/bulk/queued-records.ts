/** Records of an import between reading and storing, and the count of rejected ones. */
import { shortened } from '../base/errors.ts';
import { IMPORT_BOUNDS } from '../base/limits.ts';
import type { Progress } from './progress.ts';
import type { SourceField, SourceRecord, TargetColumns } from './records.ts';
import { formAdvice } from './source-forms.ts';

/** A record with its conversion, or with the reason why it is rejected. */
export interface QueuedRecord<Prepared> {
  readonly record: SourceRecord;
  readonly prepared: Prepared | undefined;
  readonly reason: string | undefined;
}

/** Progress while records are being stored. */
export type Counts = { -readonly [N in keyof Progress]: Progress[N] };

/**
 * Converts a record with `prepare`. `reasonOf` returns why an error rejects the record, or undefined for an error with
 * another cause, which is thrown.
 */
export function queuedRecord<Prepared>(
  record: SourceRecord,
  columns: TargetColumns,
  prepare: (fields: readonly SourceField[]) => Prepared,
  reasonOf: (error: unknown) => string | undefined,
): QueuedRecord<Prepared> {
  if (record.fields === undefined) return { record, prepared: undefined, reason: record.error ?? '' };
  try {
    return { record, prepared: prepare(record.fields), reason: undefined };
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === undefined) throw error;
    return { record, prepared: undefined, reason: `${reason}${formAdvice(reason, record.fields, columns)}` };
  }
}

/** Counts a rejected record, and lists it if there are few. */
export function countRejected(counts: Counts, { line }: SourceRecord, reason: string): void {
  counts.rejected++;
  if (counts.errors.length >= IMPORT_BOUNDS.listedErrors) return;
  counts.errors = [...counts.errors, { line, message: shortened(reason, IMPORT_BOUNDS.errorCharacters) }];
}
