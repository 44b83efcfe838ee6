/** What the service reports of its backups, and when something happened, in words. */
import type { BackupsResult, BackupsResultContinuous } from '../../client/commands.ts';
import { formatBytes, formatDuration, formatNumber } from '../elements/formats.ts';
import { formatDistance } from '../elements/times.ts';

const STATES = {
  starting: 'Starting',
  shipping: 'Shipping',
  waiting: 'Waiting for its destination',
  stopped: 'Stopped',
} as const;

type Line = readonly [name: string, text: string, detail: string];

function lastOf({ backups, running }: BackupsResult, nowMs: number): Line {
  const [newest] = backups;
  const detail = running === null ? '' : `One is being made: ${formatBytes(running.bytes)} so far`;
  if (newest === undefined) return ['Last backup', 'None yet', detail];
  const size = `${newest.name}, ${formatBytes(newest.bytes)}`;
  return ['Last backup', formatDistance(Date.parse(newest.completedAt), nowMs), detail === '' ? size : detail];
}

function checkOf(continuous: BackupsResultContinuous, ageMs: number | undefined, nowMs: number): Line {
  const name = 'Last verified restore';
  const { restoreCheck } = continuous;
  if (restoreCheck === null) return [name, 'Never', 'backup.verifyInterval is not set'];
  const isDue = Date.parse(restoreCheck.nextAt) <= nowMs;
  const next =
    restoreCheck.running || isDue
      ? 'A check runs'
      : `The next is ${formatDistance(Date.parse(restoreCheck.nextAt), nowMs)}`;
  const { last } = restoreCheck;
  const detail =
    last === null || last.outcome === 'verified' ? next : `${last.outcome}: ${last.reason ?? 'see the log'}`;
  if (ageMs !== undefined) return [name, formatDistance(-ageMs, 0), detail];
  return [
    name,
    restoreCheck.verifiedAt === null ? 'None yet' : formatDistance(Date.parse(restoreCheck.verifiedAt), nowMs),
    detail,
  ];
}

/** What the samples know better than a report that is read once in a while. */
export interface BackupAges {
  readonly lagMs: number | undefined;
  readonly objectAgeMs: number | undefined;
  readonly verifiedAgeMs: number | undefined;
}

/** Returns what is worth knowing of the backups, as names with texts and details. */
export function backupLines(backups: BackupsResult | undefined, ages: BackupAges, nowMs: number): readonly Line[] {
  const lines: Line[] = [];
  if (backups !== undefined && (backups.folder !== null || backups.backups.length > 0)) {
    lines.push(lastOf(backups, nowMs));
    lines.push([
      'Next backup',
      backups.nextAt === null ? 'Not planned' : formatDistance(Date.parse(backups.nextAt), nowMs),
      '',
    ]);
  }
  const { lagMs, objectAgeMs } = ages;
  const continuous = backups?.continuous ?? undefined;
  if (continuous === undefined && lagMs === undefined) return lines;
  const state =
    continuous === undefined
      ? ''
      : `${STATES[continuous.state]}${continuous.reason === null ? '' : `: ${continuous.reason}`}`;
  const lag = lagMs ?? continuous?.behindMs ?? 0;
  const bytes =
    continuous === undefined || continuous.behindBytes === 0 ? '' : `, ${formatBytes(continuous.behindBytes)}`;
  lines.push([
    'Lag of the backup',
    lag < 1_000 ? `${formatNumber(Math.round(lag))} ms` : formatDuration(lag),
    `${state}${bytes}`,
  ]);
  if (objectAgeMs !== undefined) lines.push(['Last shipped object', formatDistance(-objectAgeMs, 0), '']);
  if (continuous !== undefined) lines.push(checkOf(continuous, ages.verifiedAgeMs, nowMs));
  else if (ages.verifiedAgeMs !== undefined) {
    lines.push(['Last verified restore', formatDistance(-ages.verifiedAgeMs, 0), '']);
  }
  return lines;
}
