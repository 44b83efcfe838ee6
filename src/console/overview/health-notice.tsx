/** Shows in one sentence how the service is. */
import { type Health, healthOf, type Observed } from './health.ts';

const SIGNS: Readonly<Record<Health['level'], string>> = { good: '✓', warning: '!', danger: '✕' };

export function HealthNotice(observed: Observed) {
  const { level, text, advice } = healthOf(observed);
  return (
    <p class={`notice notice-${level}`} {...(level !== 'good' && { role: 'status' })}>
      <span class="sign" aria-hidden="true">
        {SIGNS[level]}
      </span>
      <span>
        <strong>{text}</strong> {advice}
      </span>
    </p>
  );
}
