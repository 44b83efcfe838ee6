/** Texts of errors in words, where that of the service is a list of details. */

const CONVERSION =
  /^Failed to convert value to specified type \[type=(.+?), val=([\s\S]*), reason=([\s\S]*?)(?:, parameter=(\w+))?\]$/;

/** Returns the text of an error that users read. */
export function readableMessage(code: string | undefined | null, message: string): string {
  if (code !== 'CONVERSION') return message;
  const [, type, value, reason, parameter] = CONVERSION.exec(message) ?? [];
  if (type === undefined) return message;
  const where = parameter === undefined ? '' : `, the parameter ${parameter},`;
  return `"${value}"${where} is no value of the type ${type}: ${reason}.`;
}
