/** Time to live and feed: what the forms of a table and of a cache have in common. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { Checkboxes } from '../elements/elements.tsx';
import { DurationField } from './duration-field.tsx';
import { type DurationUnit, durationMs } from './statements.ts';

const FEED = 'Record changes for the feed';
const SLIDING = 'Reads extend the time to live, too';

export interface CacheOptions {
  /** What the statement or command takes. */
  readonly values: { readonly ttlMs: string; readonly isSliding: boolean; readonly hasFeed: boolean };
  /** What keeps the form from being sent; empty: nothing. */
  readonly problem: string;
  /** Returns the fields; `of` is what lives so long: rows, entries. */
  readonly fields: (of: string, hint: string) => JSX.Element;
}

export function useCacheOptions(): CacheOptions {
  const amount = useSignal('');
  const unit = useSignal<DurationUnit>('hours');
  const chosen = useSignal<readonly string[]>([]);
  const ttlMs = durationMs(amount.value, unit.value);
  return {
    values: {
      ttlMs: ttlMs ?? '',
      isSliding: chosen.value.includes(SLIDING),
      hasFeed: chosen.value.includes(FEED),
    },
    problem: ttlMs === undefined ? 'The time to live is a number above 0.' : '',
    fields: (of, hint) => (
      <>
        <DurationField
          label={`Time to live of ${of}`}
          hint={hint}
          amount={amount.value}
          unit={unit.value}
          onChange={(text, chosenUnit) => {
            amount.value = text;
            unit.value = chosenUnit;
          }}
        />
        <Checkboxes
          label="Options"
          options={[FEED, SLIDING]}
          chosen={chosen.value}
          onChosen={(options) => (chosen.value = options)}
        />
      </>
    ),
  };
}
