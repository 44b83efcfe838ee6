/** Command lines that restore and verify backups. */

/** Returns a word of a shell's command line. */
function quoted(word: string): string {
  return /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Returns the path of a backup in its folder, or its URL in a bucket. Parameters of the URL stay at its end. */
export function backupPath(folder: string, name: string): string {
  const [place = '', query] = folder.split('?', 2);
  const separator = place.includes('\\') && !place.includes('/') ? '\\' : '/';
  const path = `${place.replace(/[\\/]$/, '')}${separator}${name}`;
  return query === undefined || !/^\w+:\/\//.test(folder) ? path : `${path}?${query}`;
}

/** Returns the commands that verify a backup, restore it to a new folder, and start a service there. */
export function checkedRestore(path: string, folder = 'restored'): string {
  const file = quoted(path);
  return `svc verify ${file}\nsvc restore ${file} --to ${folder}\nSVC_DATA_DIR=${folder} svc serve`;
}

/** A placeholder for the key file of an encrypted backup. */
export const KEY_FILE = 'KEY_FILE';

export interface ContinuousPoint {
  readonly url: string;
  readonly isEncrypted: boolean;
  /** A time as the command line reads it; undefined means the newest state. */
  readonly at: string | undefined;
}

/** Returns the commands that restore a state of a continuous backup, and start a service with it. */
export function restoreContinuousCommands({ url, isEncrypted, at }: ContinuousPoint, folder = 'restored'): string {
  const key = isEncrypted ? ` --key-file ${KEY_FILE}` : '';
  const time = at === undefined ? '' : ` --at ${at}`;
  return `svc restore --from ${quoted(url)} --to ${folder}${time}${key}\nSVC_DATA_DIR=${folder} svc serve`;
}

/** Returns the time in a field for local times as the command line reads it: `2026-11-23T12:34:56Z`. */
export function instantOfField(text: string): string | undefined {
  const ms = new Date(text).getTime();
  return Number.isNaN(ms) ? undefined : `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** Returns a time in ms for a field for local times, to the second. */
export function fieldOfInstant(ms: number): string {
  const local = new Date(ms - new Date(ms).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19);
}
