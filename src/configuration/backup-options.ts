/** The options of backups to files, and of continuous ones. */
import { boolean, choice, integer, path, pathOrUrl, pattern, text } from './option.ts';

const ANY = Number.MAX_SAFE_INTEGER;
/** A year: longer intervals are mistakes. */
const YEAR_MS = 31_536_000_000;
/** A number of seconds, minutes, hours or days. */
const DURATION = /^[1-9]\d{0,4}[smhd]$/;

export const BACKUP_OPTIONS = {
  'backup.folder': pathOrUrl<string | undefined>(
    {
      help: 'Folder or bucket (s3://bucket/prefix) for backups, of this service alone, outside log.dir (embedded engine).',
      defaultText: 'none; clients can receive backups',
    },
    /^s3:\/\//i,
    'a path, or s3://bucket/prefix',
  ),
  'backup.intervalMs': integer<number>(0, YEAR_MS, {
    help: 'Milliseconds between two scheduled backups in backup.folder; 0 schedules none.',
    default: 0,
  }),
  'backup.timeOfDay': pattern<string | undefined>(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'a time of day, HH:MM', {
    help: 'Time of day from which scheduled backups count, in the time zone of the service; alone, it schedules one a day.',
    defaultText: 'none; the first one is made at the start',
  }),
  'backup.keep': integer<number>(1, 100_000, {
    help: 'Number of scheduled backups to keep; older ones are removed.',
    default: 7,
    beyond: 'The oldest scheduled backups are removed.',
    unit: 'backups',
  }),
  'backup.bytesPerSecond': integer<number>(0, ANY, {
    help: 'Bytes of the data that a backup reads per second at most; 0 is unlimited.',
    default: 64 * 1024 * 1024,
    beyond: 'The backup takes longer.',
    unit: 'bytes per second',
  }),
  'backup.encryptionKeyFile': path<string | undefined>({
    help: 'File with the keys that stored and continuous backups are encrypted with, the newest first (svc backup key).',
    defaultText: 'none; backups are not encrypted',
  }),
  'backup.continuous.url': text<string | undefined>({
    help:
      'Destination of the continuous backup, of this service alone: file:///folder, or ' +
      's3://bucket/prefix?endpoint=...&region=...&forcePathStyle=true (embedded engine).',
  }),
  'backup.continuous.assumeSoleWriter': boolean<boolean>({
    help: 'Accept an object store without conditional requests: you see to it that only one service ships there.',
    default: false,
  }),
  'backup.continuous.intervalMs': integer<number>(100, 3_600_000, {
    help: 'Milliseconds between two objects of the continuous backup, while something is committed.',
    default: 1_000,
  }),
  'backup.continuous.failover': boolean<boolean>({
    help: 'Services with this destination take over from each other: one answers, the others follow it.',
    default: false,
  }),
  'backup.continuous.acknowledge': choice(['remote', 'local'], {
    help: 'With failover: when changes are answered, in the destination (remote) or on the disk of the service (local).',
    default: 'remote',
  }),
  'backup.continuous.reads': choice(['local', 'remote'], {
    help: 'With acknowledge remote: whether reads wait until what they have seen is in the destination.',
    default: 'local',
  }),
  'backup.continuous.leaseMs': integer<number>(2_000, 600_000, {
    help: 'With failover: milliseconds without a renewal after which a standby takes over; a fifth more is its margin.',
    default: 10_000,
  }),
  'backup.continuous.maxLossMs': integer<number | undefined>(1_000, 3_600_000, {
    help: 'With acknowledge local: changes wait while older ones are not shipped, so that a failover loses no more.',
    defaultText: 'no bound; a standby then takes over only when it is told to',
  }),
  'backup.continuous.advertisedUrl': text<string | undefined>({
    help: 'With failover: the address of this service that standbys tell to clients.',
    defaultText: 'the host and the port of the service',
  }),
  'backup.continuous.retention': pattern<string>(DURATION, 'a duration, such as 36h or 30d', {
    help: 'How long the states of the continuous backup can be restored.',
    default: '30d',
    beyond: 'Older objects are removed.',
    unit: 'duration',
  }),
  'backup.pitrWindow': pattern<string>(DURATION, 'a duration, such as 36h or 30d', {
    help: 'How long each single state of the continuous backup can be restored; older ones in steps of 30 s, 5 minutes and an hour.',
    default: '24h',
    beyond: 'Objects are merged.',
    unit: 'duration',
  }),
  'backup.verifyInterval': pattern<string | undefined>(DURATION, 'a duration, such as 36h or 30d', {
    help: 'Time between two checks that the continuous backup restores: each restores a random instant and verifies it.',
    defaultText: 'none is made',
  }),
  'backup.maxLogBytes': integer<number>(64 * 1024 * 1024, ANY, {
    help: 'Bytes of the write-ahead log that are kept for the continuous backup while its destination cannot be written.',
    default: 4 * 1024 * 1024 * 1024,
    beyond: 'The log is emptied, and the continuous backup starts anew with a snapshot.',
  }),
};
