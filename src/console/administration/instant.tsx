/** A time by the locale of the browser, with how long ago it is, or how soon. */
import { formatDistance, formatMinute } from '../elements/times.ts';

export function Instant({ at, none = 'unknown' }: { readonly at: string | null; readonly none?: string }) {
  if (at === null) return <>{none}</>;
  const ms = Date.parse(at);
  return (
    <time dateTime={at} title={at} class="instant">
      {formatMinute(ms)} <span class="hint">{formatDistance(ms, Date.now())}</span>
    </time>
  );
}
