/** The values that were sent last with each command. */

/** The command that was sent last comes first. */
export type LastValues = ReadonlyArray<readonly [command: string, texts: Readonly<Record<string, string>>]>;

/** Commands whose values are kept. */
const MAX_COMMANDS = 30;
/** Nobody types longer ones, and the browser keeps few megabytes. */
const MAX_CHARACTERS = 2_000;
const SECRET = /password|secret|token/i;

/** Returns the values with those of a command in front: no empty ones, no long ones, and no secrets. */
export function withValues(kept: LastValues, command: string, texts: Readonly<Record<string, string>>): LastValues {
  const worth = Object.entries(texts).filter(
    ([name, text]) => text !== '' && text.length <= MAX_CHARACTERS && !SECRET.test(name),
  );
  const others = kept.filter(([name]) => name !== command);
  if (worth.length === 0) return others;
  return [[command, Object.fromEntries(worth)] as const, ...others].slice(0, MAX_COMMANDS);
}
