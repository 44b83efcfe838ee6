/** A time in the browser's locale, with how long ago or how soon it is. */
import { formatDistance, formatMinute } from '../elements/times.ts';

interface InstantProps {
  readonly at: string | null;
  readonly none?: string;
  /** Only how long ago, or how soon: the time itself is in the title. */
  readonly isBrief?: boolean;
}

export function Instant({ at, none = 'unknown', isBrief = false }: InstantProps) {
  if (at === null) return <>{none}</>;
  const ms = Date.parse(at);
  const distance = formatDistance(ms, Date.now());
  if (isBrief) {
    return (
      <time dateTime={at} title={at} class="instant">
        {distance}
      </time>
    );
  }
  return (
    <time dateTime={at} title={at} class="instant">
      {formatMinute(ms)} <span class="hint">{distance}</span>
    </time>
  );
}
