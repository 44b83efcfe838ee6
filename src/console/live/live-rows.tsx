/** A switch that follows the changes of the rows that are shown. */

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { linkTo } from '../elements/address.ts';
import { Button } from '../elements/elements.tsx';
import { formatPerSecond } from '../elements/formats.ts';
import type { ChangedRows } from './changed-rows.ts';
import { LiveChanges } from './live-changes.ts';

/** Rows are read again at most this often, however fast they change. */
const REFRESH_MS = 1_000;
/** Reading takes at most one part in this many of the time: entries far from the first ones take long. */
const READ_SHARE = 10;
/** However long reading takes, changing rows are no older than this plus one reading. */
const MAX_PAUSE_MS = 10_000;
/** How often marks are checked when no change arrives. */
const FORGET_MS = 2_000;

export interface LiveRowsProps {
  readonly cacheName: string;
  /** Where changed rows are marked. */
  readonly rows: ChangedRows;
  /** Reads the rows in view again. */
  readonly onRefresh: () => void;
  /** Returns how long reading them took the last time. */
  readonly readMs: () => number;
}

export function LiveRows({ cacheName, rows, onRefresh, readMs }: LiveRowsProps) {
  const live = useSignal<LiveChanges | undefined>(undefined);
  const isOn = useSignal(false);
  useEffect(() => {
    if (!isOn.value) return;
    let lastMs = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const refresh = (): void => {
      timer = undefined;
      lastMs = Date.now();
      onRefresh();
    };
    const followed = new LiveChanges(cacheName, (changes) => {
      rows.note(changes, Date.now());
      const pauseMs = Math.min(MAX_PAUSE_MS, Math.max(REFRESH_MS, READ_SHARE * readMs()));
      timer ??= setTimeout(refresh, Math.max(0, lastMs + pauseMs - Date.now()));
    });
    const forget = setInterval(() => rows.note([], Date.now()), FORGET_MS);
    followed.start();
    live.value = followed;
    return () => {
      clearTimeout(timer);
      clearInterval(forget);
      followed.close();
      live.value = undefined;
    };
  }, [cacheName, rows, onRefresh, readMs, isOn.value]);
  const state = live.value?.state.value;
  return (
    <>
      <Button aria-pressed={isOn.value} onClick={() => (isOn.value = !isOn.value)}>
        Live
      </Button>
      <span class="hint" role="status">
        {state === 'open' && formatPerSecond(live.value?.rate.value ?? 0, 'change')}
        {state === 'off' && (
          <>
            The change feed is off. <a href={linkTo('caches', { name: cacheName, tab: 'feed' })}>Switch it on</a>
          </>
        )}
        {(state === 'denied' || state === 'failed') && live.value?.problem.value}
      </span>
    </>
  );
}
