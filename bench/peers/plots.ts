/** Plots of the results as SVG, light or dark like the reader's system. */
import { LEVELS, type SystemResult, type WorkloadResult } from './measure.ts';
import { COMPARED, latencyMs, levelOf } from './report.ts';
import { SYSTEMS, type SystemName } from './system.ts';

const COLORS: Readonly<Record<SystemName, readonly [light: string, dark: string]>> = {
  svc: ['#1f6feb', '#58a6ff'],
  ignite: ['#cf222e', '#ff7b72'],
  webdis: ['#9a6700', '#d29922'],
  pocketbase: ['#1a7f37', '#3fb950'],
  etcd: ['#8250df', '#bc8cff'],
  rqlite: ['#57606a', '#8b949e'],
};

const WIDTH = 840;
const LEFT = 110;
const PANEL = 330;
const GAP = 60;
const LINE = 16;
const HEAD = 56;

const styles = [
  'text { font: 12px system-ui, sans-serif; fill: #1f2328; }',
  '.faint { fill: #57606a; } .axis { stroke: #d0d7de; } .back { fill: #ffffff; }',
  ...SYSTEMS.map((name) => `.${name} { fill: ${COLORS[name][0]}; stroke: ${COLORS[name][0]}; }`),
  '@media (prefers-color-scheme: dark) {',
  'text { fill: #e6edf3; } .faint { fill: #9198a1; } .axis { stroke: #3d444d; } .back { fill: #0d1117; }',
  ...SYSTEMS.map((name) => `.${name} { fill: ${COLORS[name][1]}; stroke: ${COLORS[name][1]}; }`),
  '}',
].join('\n');

const escapeXml = (value: string): string => value.replace(/[&<>"]/g, (found) => `&#${found.charCodeAt(0)};`);

function label(x: number, y: number, value: string, rest = ''): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${rest}>${escapeXml(value)}</text>`;
}

function line(x1: number, y1: number, x2: number, y2: number, rest: string): string {
  const points = [x1, y1, x2, y2].map((each) => each.toFixed(1));
  return `<line x1="${points[0]}" y1="${points[1]}" x2="${points[2]}" y2="${points[3]}" ${rest}/>`;
}

/** Wraps parts with a title and the names of the systems. */
function picture(title: string, group: readonly WorkloadResult[], height: number, parts: readonly string[]): string {
  const measured = new Map(group.flatMap(({ systems }) => systems).map((each) => [each.system, each.title]));
  let x = LEFT;
  const legend = SYSTEMS.flatMap((name) => {
    const shown = measured.get(name);
    if (shown === undefined) return [];
    const at = x;
    x += 30 + shown.length * 6.6;
    return [`<rect x="${at}" y="32" width="10" height="10" class="${name}"/>`, label(at + 15, 41, shown)];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escapeXml(title)}">`,
    `<style>${styles}</style>`,
    `<rect class="back" width="${WIDTH}" height="${height}"/>`,
    label(LEFT, 18, title, 'font-weight="600"'),
    ...legend,
    ...parts,
    '</svg>',
    '',
  ].join('\n');
}

/** Returns bars of the maximum and of the CPU time, a row of panels for each workload. */
export function throughputPlot(title: string, group: readonly WorkloadResult[]): string {
  const parts: string[] = [];
  let y = HEAD + 20;
  const panels = [
    { head: 'operations per second', measureOf: ({ maximum }: SystemResult) => maximum },
    {
      head: `CPU µs per operation at ${COMPARED} %`,
      measureOf: (each: SystemResult) => levelOf(each, COMPARED)?.cpuMicros ?? 0,
    },
  ];
  for (const [at, { head }] of panels.entries())
    parts.push(label(LEFT + at * (PANEL + GAP), HEAD + 8, head, 'class="faint"'));
  for (const { name, systems } of group) {
    parts.push(label(LEFT - 10, y + 12, name, 'text-anchor="end"'));
    for (const [at, { measureOf }] of panels.entries()) {
      const left = LEFT + at * (PANEL + GAP);
      const most = Math.max(...systems.map(measureOf), 1);
      for (const [index, each] of systems.entries()) {
        const width = (measureOf(each) / most) * (PANEL - 50);
        const top = y + index * LINE;
        parts.push(
          `<rect x="${left}" y="${top}" width="${width.toFixed(1)}" height="${LINE - 4}" class="${each.system}"/>`,
          label(left + width + 5, top + 11, measureOf(each).toFixed(measureOf(each) < 10 ? 1 : 0), 'class="faint"'),
        );
      }
    }
    y += systems.length * LINE + 12;
  }
  return picture(title, group, y + 4, parts);
}

const LATENCY_HEIGHT = 150;
/** Most of a column of three levels that a system's range may take. */
const RANGE_GAP = 14;

/** Returns latencies at each level on a log scale: p50 (the dot), p99 (the bar), p99.9 (the end of the line). */
export function latencyPlot(title: string, group: readonly WorkloadResult[]): string {
  const parts = [
    label(
      LEFT,
      HEAD + 8,
      'ms: dot p50, bar p99, end of the line p99.9; levels in % of the own maximum',
      'class="faint"',
    ),
  ];
  for (const [at, { name, systems }] of group.entries()) {
    const left = LEFT + (at % 2) * (PANEL + GAP);
    const top = HEAD + 36 + Math.floor(at / 2) * (LATENCY_HEIGHT + 50);
    const all = systems.flatMap((each) =>
      LEVELS.flatMap((level) => [latencyMs(each, level, 50), latencyMs(each, level, 99.9)]),
    );
    const values = all.filter((each) => each > 0);
    const low = Math.floor(Math.log10(Math.min(...values, 1)));
    const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values, 1))));
    const yOf = (milliseconds: number) =>
      top + LATENCY_HEIGHT - ((Math.log10(Math.max(milliseconds, 10 ** low)) - low) / (high - low)) * LATENCY_HEIGHT;
    parts.push(label(left, top - 8, name));
    for (let power = low; power <= high; power++) {
      const y = yOf(10 ** power);
      parts.push(line(left, y, left + PANEL, y, 'class="axis"'));
      parts.push(
        label(left - 5, y + 4, String(Number((10 ** power).toPrecision(1))), 'text-anchor="end" class="faint"'),
      );
    }
    for (const [column, level] of LEVELS.entries()) {
      const middle = left + ((column + 0.5) * PANEL) / LEVELS.length;
      parts.push(label(middle, top + LATENCY_HEIGHT + 16, `${level} %`, 'text-anchor="middle" class="faint"'));
      for (const [index, each] of systems.entries()) {
        const x = middle + (index - (systems.length - 1) / 2) * RANGE_GAP;
        const [p50 = 0, p99 = 0, most = 0] = [50, 99, 99.9].map((percent) => yOf(latencyMs(each, level, percent)));
        if (Number.isNaN(p50)) continue;
        parts.push(
          line(x, p50, x, most, `class="${each.system}" stroke-width="1.5"`),
          line(x - 4, p99, x + 4, p99, `class="${each.system}" stroke-width="2.5"`),
          `<circle cx="${x.toFixed(1)}" cy="${p50.toFixed(1)}" r="3.5" class="${each.system}"/>`,
        );
      }
    }
  }
  return picture(title, group, HEAD + 40 + Math.ceil(group.length / 2) * (LATENCY_HEIGHT + 50), parts);
}
