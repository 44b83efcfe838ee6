/** The parameters that are sent for a form's texts. */
import { parseAsSent } from '../../client/exact-json.ts';

/**
 * Returns the parameters to send: those that have a text, lists as JSON whose numbers are sent as they were typed.
 * Throws SyntaxError.
 */
export function parametersOf(
  parameters: ReadonlyArray<{ readonly name: string; readonly type: string }>,
  texts: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    parameters.flatMap(({ name, type }) => {
      const text = texts[name] ?? '';
      if (text === '') return [];
      return [[name, type === 'array' ? parseAsSent(text) : text]];
    }),
  );
}
