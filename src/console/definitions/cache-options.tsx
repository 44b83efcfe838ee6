/** Time to live and feed: the common part of the forms for tables and caches. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { bound, Checkboxes } from '../elements/elements.tsx';
import { useDuration } from './duration-field.tsx';

const FEED = 'Record changes for the feed';
const SLIDING = 'Reads also extend the time to live';

export interface CacheOptions {
  /** What the statement or command takes. */
  readonly values: { readonly ttlMs: string; readonly isSliding: boolean; readonly hasFeed: boolean };
  /** What prevents sending the form; empty if nothing does. */
  readonly problem: string;
  /** Returns the fields; `of` is what the time to live applies to: rows, entries. */
  readonly fields: (of: string, hint: string) => JSX.Element;
}

export function useCacheOptions(): CacheOptions {
  const ttl = useDuration('hours');
  const chosen = useSignal<readonly string[]>([]);
  return {
    values: {
      ttlMs: ttl.ms ?? '',
      isSliding: chosen.value.includes(SLIDING),
      hasFeed: chosen.value.includes(FEED),
    },
    problem: ttl.ms === undefined ? 'The time to live must be greater than 0.' : '',
    fields: (of, hint) => (
      <>
        {ttl.field(`Time to live of ${of}`, hint)}
        <Checkboxes label="Options" options={[FEED, SLIDING]} {...bound(chosen)} />
      </>
    ),
  };
}
