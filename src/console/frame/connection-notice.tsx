/** Describes connection problems in one sentence, on every screen; nothing while all is well. */
import { effect, signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { linkTo } from '../elements/address.ts';
import { Button } from '../elements/elements.tsx';
import { formatTime } from '../elements/times.ts';
import { connection, upgradedAtMs } from '../requests/connection.ts';
import { endedAtMs, serviceName } from '../requests/session.ts';

/** Whether the login is open over the page: it opens when the session ends, and can be closed to look at the page. */
export const isLoginOpen = signal(false);
effect(() => {
  isLoginOpen.value = endedAtMs.value !== undefined;
});

interface Notice {
  readonly level: 'warning' | 'danger';
  readonly text: string;
  /** The consequence, and what to do. */
  readonly advice: ComponentChildren;
}

const AGAIN = 'This page shows its last contents, and retries every second.';

function noticeOf(): Notice | undefined {
  const { kind, sinceMs, primary } = connection.value;
  const { value: endedMs } = endedAtMs;
  const { value: upgradedMs } = upgradedAtMs;
  const since = formatTime(sinceMs, 'second');
  switch (kind) {
    case 'stopped':
      return { level: 'danger', text: `${serviceName} has not answered since ${since}.`, advice: AGAIN };
    case 'starting':
      return {
        level: 'warning',
        text: `${serviceName} has been starting since ${since}: it does not answer commands yet.`,
        advice: AGAIN,
      };
    case 'standby':
      return {
        level: 'danger',
        text: `${serviceName} has been a standby since ${since}: it does not answer commands.`,
        advice:
          primary === undefined ? AGAIN : <a href={`${new URL('/console', primary)}`}>Open the primary, {primary}</a>,
      };
    case 'connected':
    case 'inactive':
    case 'diskFull':
    case 'notReady':
      break;
  }
  if (endedMs !== undefined) {
    return {
      level: 'warning',
      text: `Your session ended at ${formatTime(endedMs, 'second')}.`,
      advice: <Button onClick={() => (isLoginOpen.value = true)}>Log in again …</Button>,
    };
  }
  switch (kind) {
    case 'inactive':
      return {
        level: 'danger',
        text: `${serviceName} has been inactive since ${since}: no entry can be read or changed.`,
        advice: <a href={linkTo('overview', { section: 'state' })}>Change the state</a>,
      };
    case 'diskFull':
      return {
        level: 'danger',
        text: `The disk has been almost full since ${since}: changes that add data are rejected.`,
        advice: 'Add space, or remove unneeded data, old backups or other files.',
      };
    case 'notReady':
      return {
        level: 'warning',
        text: `${serviceName} has not been ready since ${since}: changes may be rejected.`,
        advice: <a href={linkTo('administration', { part: 'log' })}>Open the log</a>,
      };
    case 'connected':
      break;
  }
  if (upgradedMs === undefined) return undefined;
  const replaced = formatTime(upgradedMs, 'second');
  return {
    level: 'warning',
    text: `${serviceName} has run another version since ${replaced}. This page belongs to the previous one.`,
    advice: <Button onClick={() => location.reload()}>Reload the page</Button>,
  };
}

export function ConnectionNotice() {
  const notice = noticeOf();
  return (
    <div role="status" class="connection">
      {notice !== undefined && (
        <p class={`notice notice-${notice.level}`}>
          <span class="sign" aria-hidden="true">
            {notice.level === 'danger' ? '✕' : '!'}
          </span>
          <span>
            <strong>{notice.text}</strong> {notice.advice}
          </span>
        </p>
      )}
    </div>
  );
}
