/** The metrics as cards with a line of the last minutes. */
import { withoutBreaks } from '../elements/formats.ts';
import { linePoints, type Metric, metricsOf } from './metrics.ts';
import type { Measured } from './windows.ts';

const WIDTH = 120;
const HEIGHT = 28;
const WORDS: Readonly<Record<Metric['level'], string>> = { good: '', warning: 'Warning', danger: 'Danger' };

function Card({ name, text, level, detail, trend, range }: Metric) {
  const word = WORDS[level];
  return (
    <div class={`metric-card metric-${level}`}>
      <dt>
        {name}
        {word !== '' && <span class="metric-word">{word}</span>}
      </dt>
      <dd>
        <span class="metric-text">{text}</span>
        <svg
          class="sparkline"
          viewBox={`-1 -1 ${WIDTH + 2} ${HEIGHT + 2}`}
          preserveAspectRatio="none"
          aria-hidden="true"
        >
          <polyline points={linePoints(trend, WIDTH, HEIGHT)} />
        </svg>
        <span class="metric-detail">{withoutBreaks(detail)}</span>
        <span class="metric-detail">{withoutBreaks(range)}</span>
      </dd>
    </div>
  );
}

export function MetricCards({ measured }: { readonly measured: Measured }) {
  return (
    <dl class="metric-cards">
      {metricsOf(measured).map((metric) => (
        <Card key={metric.name} {...metric} />
      ))}
    </dl>
  );
}
