/**
 * The accepted differences from Apache Ignite, in the order in which they are tried: those that are recognized by an
 * exact text come first, and those that excuse most come last. docs/sql.md describes them for users.
 */
import type { KnownDifference } from './known-difference.ts';
import { KNOWN_ERRORS } from './known-errors.ts';
import { KNOWN_RESULTS } from './known-results.ts';
import { KNOWN_VALUE_ERRORS } from './known-value-errors.ts';

export const KNOWN: readonly KnownDifference[] = [...KNOWN_ERRORS, ...KNOWN_RESULTS, ...KNOWN_VALUE_ERRORS];
