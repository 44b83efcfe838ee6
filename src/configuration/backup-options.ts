/** The options of backups to files, and of continuous ones. */
import { boolean, choice, integer, path, pathOrUrl, pattern, text } from './option.ts';

const ANY = Number.MAX_SAFE_INTEGER;
/** A year: longer intervals are problems. */
const YEAR_MS = 31_536_000_000;
/** A number of seconds, minutes, hours or days. */
const DURATION = /^[1-9]\d{0,4}[smhd]$/;

export const BACKUP_OPTIONS = {
  'backup.folder': pathOrUrl<string | undefined>(
    {
      help: 'Folder or bucket (s3://bucket/prefix) for the backups of this service only, outside log.dir (embedded engine).',
      defaultText: 'none; clients can receive backups',
    },
    /^s3:\/\//i,
    'a path, or s3://bucket/prefix',
  ),
  'backup.intervalMs': integer<number>(0, YEAR_MS, {
    help: 'Milliseconds between scheduled backups in backup.folder; 0 schedules none.',
    default: 0,
  }),
  'backup.timeOfDay': pattern<string | undefined>(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'a time of day, HH:MM', {
    help: "Time of day from which scheduled backups count, in the service's time zone; alone, it schedules one a day.",
    defaultText: 'none; the first one is made at startup',
  }),
  'backup.keep': integer<number>(1, 100_000, {
    help: 'Number of scheduled backups to keep; older ones are removed.',
    default: 7,
    beyond: 'The oldest scheduled backups are removed.',
    unit: 'backups',
  }),
  'backup.bytesPerSecond': integer<number>(0, ANY, {
    help: 'Maximum bytes of data that a backup reads per second; 0 is unlimited.',
    default: 64 * 1024 * 1024,
    beyond: 'The backup takes longer.',
    unit: 'bytes per second',
  }),
  'backup.encryptionKeyFile': path<string | undefined>({
    help: 'File with the keys that encrypt stored and continuous backups, newest first (svc backup key).',
    defaultText: 'none; backups are not encrypted',
  }),
  'backup.continuous.url': text<string | undefined>({
    help:
      'Destination of the continuous backup of this service only: file:///folder, or ' +
      's3://bucket/prefix?endpoint=...&region=...&forcePathStyle=true (embedded engine).',
  }),
  'backup.continuous.assumeSoleWriter': boolean<boolean>({
    help: 'Accept an object store without conditional requests; only one service may ship there.',
    default: false,
  }),
  'backup.continuous.intervalMs': integer<number>(100, 3_600_000, {
    help: 'Milliseconds between objects of the continuous backup while changes are committed.',
    default: 1_000,
  }),
  'backup.continuous.failover': boolean<boolean>({
    help: 'Services with this destination take over from each other: one is the primary, the others follow it.',
    default: false,
  }),
  'backup.continuous.acknowledge': choice(['remote', 'local'], {
    help: "With failover: when changes are acknowledged, in the destination (remote) or on the service's disk (local).",
    default: 'remote',
  }),
  'backup.continuous.reads': choice(['local', 'remote'], {
    help: 'With acknowledge remote: whether reads wait until the data that they have seen is in the destination.',
    default: 'local',
  }),
  'backup.continuous.leaseMs': integer<number>(2_000, 600_000, {
    help: 'With failover: milliseconds without a renewal after which a standby takes over; it adds a margin of a fifth.',
    default: 10_000,
  }),
  'backup.continuous.maxLossMs': integer<number | undefined>(1_000, 3_600_000, {
    help: 'With acknowledge local: changes wait while older ones are not shipped, so that a failover loses no more.',
    defaultText: 'no limit; a standby then takes over only when told to',
  }),
  'backup.continuous.advertisedUrl': text<string | undefined>({
    help: "With failover: this service's address, as standbys report it to clients.",
    defaultText: "the service's host and port",
  }),
  'backup.continuous.retention': pattern<string>(DURATION, 'a duration, such as 36h or 30d', {
    help: 'How long the states of the continuous backup can be restored.',
    default: '30d',
    beyond: 'Older objects are removed.',
    unit: 'duration',
  }),
  'backup.pitrWindow': pattern<string>(DURATION, 'a duration, such as 36h or 30d', {
    help: 'How long every state of the continuous backup can be restored; older states in steps of 30 s, 5 minutes and an hour.',
    default: '24h',
    beyond: 'Objects are merged.',
    unit: 'duration',
  }),
  'backup.verifyInterval': pattern<string | undefined>(DURATION, 'a duration, such as 36h or 30d', {
    help: 'Time between checks that the continuous backup restores: each restores a random point in time and verifies it.',
    defaultText: 'none is made',
  }),
  'backup.maxLogBytes': integer<number>(64 * 1024 * 1024, ANY, {
    help: 'Bytes of the write-ahead log that are kept for the continuous backup while its destination is unavailable.',
    default: 4 * 1024 * 1024 * 1024,
    beyond: 'The log is emptied, and the continuous backup starts over with a snapshot.',
  }),
};
