/** What the text of a statement says about the way it has to take. */

/** Statements that only read and give rows. */
const READS = /^(select|with|values|table|explain|show)\b/i;
/** Definitions: what is known of tables does not hold any more. */
const DEFINES = /^(create|drop|alter|truncate)\b/i;
/** Blanks, comments, opening brackets: what may stand before the first word. */
const LEADING = /^(?:\s+|\(|--[^\n]*(?:\n|$)|\/\/[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)+/;
/** What can hold a semicolon that separates nothing. */
const OPAQUE = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\$\$[\s\S]*?\$\$|--[^\n]*|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;

/** True for one statement that only reads. Several at once are never taken for one. */
export function isSelect(sql: string): boolean {
  return READS.test(sql.replace(LEADING, '')) && !hasSeveralStatements(sql);
}

export function isDefinition(sql: string): boolean {
  return DEFINES.test(sql.replace(LEADING, ''));
}

function hasSeveralStatements(sql: string): boolean {
  if (!sql.includes(';')) return false;
  return /;\s*[^\s;]/.test(sql.replace(OPAQUE, ' '));
}
