/**
 * Decides whether the first record of CSV names the columns. Only evidence counts: a record mistaken for a header is
 * lost, and a header mistaken for a record spoils the types of all columns.
 */
import { type InferredType, typeOfText, widerType } from './column-types.ts';

/** One field of the first record, and the values of the records below it in its column. */
export interface FieldOverColumn {
  readonly text: string;
  /** The type of the non-NULL values below, or undefined if there are none. */
  readonly type: InferredType | undefined;
  /** Some of these values. */
  readonly values: readonly string[];
}

export type FirstRecord = 'header' | 'record' | 'unclear';

/** The evidence from one column: its first field is a name, it is a value, or neither. */
type Evidence = 'name' | 'value' | undefined;

/** Replaces a value; no column has this name. */
const NO_VALUE = /^(?:n[./]?a\.?|null|none|nil|nan|inf|[+-]?infinity|unknown|missing|tbd|\\n|[^\p{L}\p{N}]*)$/iu;
/** A year, a quarter, a month or a day: these name columns of numbers as often as they are values. */
const PERIOD = /^(?:19|20)\d\d(?:[-/. ]?(?:q[1-4]|h[12]|(?:0[1-9]|1[0-2])(?:[-/.](?:0[1-9]|[12]\d|3[01]))?))?$/i;
const LETTER = /\p{L}/gu;
const DIGIT = /\p{Nd}/gu;
const BEGINS_WITH_LETTER = /^[\p{L}_]/u;
const NAME_CHARACTERS = 64;
/** Number of values in a column that must repeat before that counts as evidence. */
const REPEATED_VALUES = 10;

/** Words that name columns, and are hardly ever values. */
const NAMING = new Set(
  (
    'id name title email mail phone telephone mobile address street city town zip postcode country region state ' +
    'code date time day month year timestamp created updated type kind category status description comment remark ' +
    'note label key value price cost amount quantity count total sum number no nr age gender sex birthday url ' +
    'firstname lastname surname username company department customer product item author language currency text message level'
  ).split(' '),
);

/** Decides by the fields of the first record. Without more records, only a string can be a name. */
export function judgeFirstRecord(fields: readonly FieldOverColumn[]): FirstRecord {
  const evidence = fields.map(evidenceOf);
  const isValue = evidence.includes('value');
  const hasRecords = fields.some(({ values }) => values.length > 0);
  if (!hasRecords) return isValue ? 'record' : 'header';
  const words = fields.filter(({ text }, at) => evidence[at] !== 'value' && !PERIOD.test(text.trim()));
  const isName =
    evidence.includes('name') ||
    nameColumns(words) ||
    (areDistinct(fields) && (areStyled(words) || fields.every(differsFromRepeated)));
  // A record that occurs again may just as well be the header of an appended file.
  if (isName === isValue || fields.every(isRepeated))
    return hasPeriods(fields, evidence) && !isValue ? 'header' : 'unclear';
  return isName ? 'header' : 'record';
}

function evidenceOf({ text: written, type, values }: FieldOverColumn): Evidence {
  const text = written.trim();
  if (NO_VALUE.test(text)) return undefined;
  if (isRepeated({ text, values })) return 'value';
  const own = typeOfText(text);
  // A period over a column of other values is a heading.
  if (PERIOD.test(text))
    return type === undefined || !values.every((value) => PERIOD.test(value.trim())) ? undefined : 'value';
  if (type === undefined) return own !== 'VARCHAR' || isNumberLike(text) ? 'value' : undefined;
  if (own !== 'VARCHAR') return widerType(own, type) === 'VARCHAR' ? undefined : 'value';
  if (type === 'VARCHAR') return isNumberLike(text) && values.every(isNumberLike) ? 'value' : undefined;
  return BEGINS_WITH_LETTER.test(text) && text.length <= NAME_CHARACTERS
    ? 'name'
    : isNumberLike(text)
      ? 'value'
      : undefined;
}

function isRepeated({ text, values }: Pick<FieldOverColumn, 'text' | 'values'>): boolean {
  const value = text.trim();
  return values.some((each) => each.trim() === value);
}

/** Reports whether several fields are consecutive periods, over columns of other values. */
function hasPeriods(fields: readonly FieldOverColumn[], evidence: readonly Evidence[]): boolean {
  const periods = fields.flatMap(({ text }, at) => {
    const period = text.trim();
    return evidence[at] === undefined && PERIOD.test(period) ? [period] : [];
  });
  const isAscending = periods.every((period, at) => at === 0 || period > (periods[at - 1] ?? ''));
  const isDescending = periods.every((period, at) => at === 0 || period < (periods[at - 1] ?? ''));
  return periods.length > 1 && (isAscending || isDescending);
}

/** Reports whether a string has more digits than letters: postal codes, telephone numbers, dates, amounts. */
function isNumberLike(text: string): boolean {
  return (text.match(DIGIT)?.length ?? 0) > (text.match(LETTER)?.length ?? 0);
}

function areDistinct(fields: readonly FieldOverColumn[]): boolean {
  return new Set(fields.map(({ text }) => text.trim().toUpperCase())).size === fields.length;
}

type Style = 'lower' | 'upper' | 'capital' | 'number' | 'other';

function styleOf(text: string): Style {
  if (isNumberLike(text)) return 'number';
  const [lower, upper] = [text.toLowerCase(), text.toUpperCase()];
  if (lower === upper) return 'other';
  if (text === lower) return 'lower';
  if (text === upper) return 'upper';
  const [first = ''] = text.trim();
  return first !== first.toLowerCase() ? 'capital' : 'other';
}

/** Reports whether all names are written in one style, such as lower case, and all values of a column in another. */
function areStyled(fields: readonly FieldOverColumn[]): boolean {
  const styles = new Set(fields.map(({ text }) => styleOf(text)));
  const [style] = styles;
  if (styles.size !== 1 || style === 'number' || style === 'other') return false;
  return fields.some(({ values }) => {
    const below = new Set(values.map(styleOf));
    const [other] = below;
    return below.size === 1 && other !== 'other' && other !== style;
  });
}

/** Reports whether all values of a column occur several times, and the first field never again. */
function differsFromRepeated({ values }: FieldOverColumn): boolean {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  // An equal field would be evidence for a record before.
  return values.length >= REPEATED_VALUES && [...counts.values()].every((count) => count > 1);
}

/** Reports whether at least half of the names end in a word that names columns, and no value below them does. */
function nameColumns(fields: readonly FieldOverColumn[]): boolean {
  if (fields.length === 0) return false;
  const naming = fields.filter(({ text, values }) => isNaming(text) && !values.some(isNaming));
  return naming.length * 2 >= fields.length;
}

function isNaming(text: string): boolean {
  const words = text
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== '');
  return words.length > 0 && words.length <= 4 && NAMING.has(words.at(-1) ?? '');
}
