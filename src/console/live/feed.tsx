/** The tab Feed: the changes of a cache or table as they happen. */

import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { useAttempt } from '../elements/attempt.ts';
import { Button, Dialog, Failure, TextField } from '../elements/elements.tsx';
import { formatCount, formatNumber, formatPerSecond } from '../elements/formats.ts';
import { openDialog } from '../elements/opened-dialog.tsx';
import { formatInstant, formatTime } from '../elements/times.ts';
import { VirtualList } from '../elements/virtual-list.tsx';
import { type Change, KEPT_CHANGES } from './change-log.ts';
import { LiveChanges } from './live-changes.ts';

const ROW_PIXELS = 28;

/** Labels of operations. */
const OPERATIONS: Readonly<Record<string, string>> = {
  expiryChanged: 'deadline changed',
  cacheCreated: 'cache created',
  cacheAltered: 'cache altered',
  cacheDestroyed: 'cache destroyed',
  feedStarted: 'feed switched on',
  feedEnded: 'feed switched off',
};

function timeOf(time: string): string {
  const ms = Date.parse(time);
  return Number.isNaN(ms) ? time : formatTime(ms, 'millisecond');
}

export function Feed({ cacheName }: { readonly cacheName: string }) {
  const live = useMemo(() => new LiveChanges(cacheName), [cacheName]);
  const { error, attempt } = useAttempt();
  useEffect(() => {
    live.start();
    return () => live.close();
  }, [live]);
  const { value: state } = live.state;
  return (
    <>
      <h2 class="hidden">Feed</h2>
      <Failure text={error.value} />
      {state === 'off' ? (
        <section class="empty">
          <h3>The change feed is off</h3>
          <p>
            The feed records each change of this cache, and streams it as it happens. Each write then also stores the
            change.
          </p>
          <p class="actions">
            <Button class="primary" onClick={() => attempt(() => live.switchOn())}>
              Switch the feed on
            </Button>
          </p>
        </section>
      ) : (
        <>
          <Failure text={live.problem.value} />
          <Changes live={live} onSwitchOff={() => attempt(() => live.switchOff())} />
        </>
      )}
    </>
  );
}

const STATES = {
  connecting: 'Connecting …',
  open: 'Live',
  off: 'Off',
  denied: 'Not permitted',
  failed: 'Ended',
} as const;

function WholeChange({ change }: { readonly change: Change }) {
  const { operation, key, time, text } = change;
  return (
    <Dialog title={`${OPERATIONS[operation] ?? operation} ${key.slice(0, 100)}`}>
      <p class="hint">{formatInstant(Date.parse(time))}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it */}
      <pre tabIndex={0}>{text}</pre>
    </Dialog>
  );
}

function Changes({ live, onSwitchOff }: { readonly live: LiveChanges; readonly onSwitchOff: () => void }) {
  const filter = useSignal('');
  /** The changes shown when the user paused; undefined if not paused. */
  const paused = useSignal<readonly Change[] | undefined>(undefined);
  void live.version.value;
  const { value: state } = live.state;
  const changes = paused.value === undefined ? live.log.shown() : live.log.matching(paused.value);
  const { total, earlier } = live.log;
  const clear = (): void => {
    live.log.clear();
    paused.value = undefined;
  };
  return (
    <>
      <div class="live-bar">
        <p class="live-state" data-state={paused.value === undefined ? state : 'paused'}>
          {paused.value === undefined ? STATES[state] : 'Paused'}
        </p>
        <p class="live-rate">{formatPerSecond(live.rate.value, 'change')}</p>
        <TextField
          label="Filter"
          value={filter.value}
          onValue={(text) => {
            filter.value = text;
            live.log.filter(text);
          }}
        />
        <p class="actions">
          <Button
            class={paused.value === undefined ? '' : 'primary'}
            onClick={() => (paused.value = paused.value === undefined ? live.log.shown() : undefined)}
          >
            {paused.value === undefined ? 'Pause' : 'Resume'}
          </Button>
          <Button
            onClick={() => {
              clear();
              live.version.value++;
            }}
          >
            Clear
          </Button>
          <Button
            onClick={() => {
              clear();
              live.start('start');
            }}
          >
            Show earlier changes
          </Button>
          <Button onClick={onSwitchOff}>Switch the feed off</Button>
        </p>
      </div>
      {changes.length === 0 ? (
        <p class="hint">
          {filter.value === '' || total === 0
            ? 'No change has arrived yet. Changes by this page or by programs appear here.'
            : 'No change matches the filter.'}
        </p>
      ) : (
        <div class="changes">
          <p class="change change-head" aria-hidden="true">
            <span>Time</span>
            <span>Change</span>
            <span>Key</span>
            <span>Values</span>
          </p>
          <VirtualList
            label="Changes, latest first"
            count={changes.length}
            rowPixels={ROW_PIXELS}
            row={(index) => {
              const change = changes[index];
              if (change === undefined) return null;
              const { operation, time, key, text } = change;
              return (
                <Button class="change" onClick={() => openDialog(<WholeChange change={change} />)}>
                  <span>{timeOf(time)}</span>
                  <span class={`operation operation-${operation}`}>{OPERATIONS[operation] ?? operation}</span>
                  <span class="mono">{key}</span>
                  <span class="mono">{text.slice(0, 500)}</span>
                </Button>
              );
            }}
          />
        </div>
      )}
      <p class="status" role="status">
        {total === 0
          ? ''
          : `${formatCount(total, 'change')} received${
              earlier > 0 ? `, ${formatNumber(earlier)} of them earlier` : ''
            }${total > KEPT_CHANGES ? `; the latest ${formatNumber(KEPT_CHANGES)} are kept` : ''}.`}
      </p>
    </>
  );
}
