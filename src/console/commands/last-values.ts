/** The values last sent with each command. */

/** The most recently sent command comes first. */
export type LastValues = ReadonlyArray<readonly [command: string, texts: Readonly<Record<string, string>>]>;

/** Commands whose values are kept. */
const MAX_COMMANDS = 30;
/** Longer ones are never typed, and the browser stores only a few megabytes. */
const MAX_CHARACTERS = 2_000;
const SECRET = /password|secret|token/i;

/** Returns the values with a command's in front: no empty ones, long ones or secrets. */
export function withValues(kept: LastValues, command: string, texts: Readonly<Record<string, string>>): LastValues {
  const worth = Object.entries(texts).filter(
    ([name, text]) => text !== '' && text.length <= MAX_CHARACTERS && !SECRET.test(name),
  );
  const others = kept.filter(([name]) => name !== command);
  if (worth.length === 0) return others;
  return [[command, Object.fromEntries(worth)] as const, ...others].slice(0, MAX_COMMANDS);
}
