/** Reads entries part by part, for a grid. */
import type { StoredEntry } from './entry-kind.ts';

export interface EntryPart {
  readonly entries: readonly StoredEntry[];
  /** How many were read, with those that cannot match. */
  readonly count: number;
  /** How long they were as text. */
  readonly characters: number;
  /** How many there are in all; undefined if more may follow. */
  readonly total: number | undefined;
  /** Whether more is to be found of what was asked for: it is asked for again. */
  readonly isPartial?: boolean;
  /** How far reading has come, and what it leaves out, as users read it. */
  readonly progress?: string;
}

/** Returns whether the entry of a line, as an export has it, may be wanted. */
export type LineTest = (line: string) => boolean;

/** Reads entries in an order that stays the same until it begins again. */
export interface EntryReader {
  /** Reads entries from a place. Those that cannot match may be left out. Throws RequestError. */
  read(from: number, count: number, mayMatch?: LineTest): Promise<EntryPart>;
  /** Returns the number of all entries; undefined if reading them tells it. Throws RequestError. */
  count(): Promise<number | undefined>;
  /** Begins again with the next read. */
  restart(): void;
  close(): void;
}
