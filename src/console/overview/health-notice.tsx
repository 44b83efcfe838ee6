/** Shows the health of the service in one sentence, with a link to what to do. */
import { linkTo } from '../elements/address.ts';
import { withoutBreaks } from '../elements/formats.ts';
import { connection } from '../requests/connection.ts';
import { isStale } from '../requests/connection-check.ts';
import { type Health, healthOf, type Observed } from './health.ts';

const SIGNS: Readonly<Record<Health['level'], string>> = { good: '✓', warning: '!', danger: '✕' };

/** The name of a part of a screen in its address. */
const PARAMETER = { overview: 'section', administration: 'part' } as const;

export function HealthNotice(observed: Observed) {
  // The frame says that, and why.
  if (connection.value.kind !== 'connected' || isStale.value) return null;
  const { level, text, advice, link } = healthOf(observed);
  return (
    <p class={`notice notice-${level}`} {...(level !== 'good' && { role: 'status' })}>
      <span class="sign" aria-hidden="true">
        {SIGNS[level]}
      </span>
      <span>
        <strong>{withoutBreaks(text)}</strong> {advice}{' '}
        {link !== undefined && <a href={linkTo(link.screen, { [PARAMETER[link.screen]]: link.part })}>{link.text}</a>}
      </span>
    </p>
  );
}
