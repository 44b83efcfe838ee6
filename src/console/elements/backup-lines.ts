/** The service's reports about its backups, and times of events, in words. */
import type { BackupsResult, BackupsResultContinuous } from '../../client/commands.ts';
import { formatBytes, formatDuration, formatNumber } from './formats.ts';
import { formatDistance } from './times.ts';

const STATES = {
  starting: 'Starting',
  shipping: 'Shipping',
  waiting: 'Waiting for its destination',
  stopped: 'Stopped until a restart',
} as const;

type Line = readonly [name: string, text: string, detail: string];

function lastOf({ backups, running }: BackupsResult, nowMs: number): Line {
  const [newest] = backups;
  const detail = running === null ? '' : `Running: ${formatBytes(running.bytes)} so far`;
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
      ? 'A check is running'
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

/** The part that samples know better than an occasionally read report. */
export interface BackupAges {
  readonly lagMs: number | undefined;
  readonly objectAgeMs: number | undefined;
  readonly verifiedAgeMs: number | undefined;
}

export const NO_AGES: BackupAges = { lagMs: undefined, objectAgeMs: undefined, verifiedAgeMs: undefined };

/** Returns the important facts about backups, as names with texts and details. */
export function backupLines(backups: BackupsResult | undefined, ages: BackupAges, nowMs: number): readonly Line[] {
  const lines: Line[] = [];
  if (backups !== undefined && (backups.folder !== null || backups.backups.length > 0)) {
    const { nextAt } = backups;
    const next = nextAt === null ? 'Not scheduled' : formatDistance(Date.parse(nextAt), nowMs);
    lines.push(lastOf(backups, nowMs), ['Next backup', next, '']);
  }
  const continuous = backups?.continuous ?? undefined;
  const isKnown = continuous !== undefined || ages.lagMs !== undefined;
  return isKnown ? [...lines, ...continuousLines(continuous, ages, nowMs)] : lines;
}

/** Returns the same for the continuous backup, or undefined if only the samples know of it. */
export function continuousLines(
  continuous: BackupsResultContinuous | undefined,
  ages: BackupAges,
  nowMs: number,
): readonly Line[] {
  const { state, reason = null, shippedAt = null, behindMs = 0, behindBytes = 0 } = continuous ?? {};
  const { lagMs = behindMs, verifiedAgeMs } = ages;
  const objectAgeMs = ages.objectAgeMs ?? (shippedAt === null ? undefined : nowMs - Date.parse(shippedAt));
  const shipping = state === undefined ? '' : `${STATES[state]}${reason === null ? '' : `: ${reason}`}`;
  const lines: Line[] = [
    [
      'Lag of the backup',
      lagMs < 1_000 ? `${formatNumber(Math.round(lagMs))} ms` : formatDuration(lagMs),
      `${shipping}${behindBytes === 0 ? '' : `, ${formatBytes(behindBytes)}`}`,
    ],
  ];
  if (objectAgeMs !== undefined) lines.push(['Last shipped object', formatDistance(-objectAgeMs, 0), '']);
  if (continuous !== undefined) lines.push(checkOf(continuous, verifiedAgeMs, nowMs));
  else if (verifiedAgeMs !== undefined) lines.push(['Last verified restore', formatDistance(-verifiedAgeMs, 0), '']);
  return lines;
}
