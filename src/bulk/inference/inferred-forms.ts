/**
 * Infers the formats in which a source writes dates and numbers. Only evidence counts: a column whose values could be
 * read in two ways is not converted, and a note says so.
 */

import type { SourceForms } from '../../grid/bulk.ts';
import { trimJava } from '../../values/java-number.ts';
import { dayReader, type FormReader, numberReader, PLAIN_FORMS, parametersOfForms } from '../source-forms.ts';
import { type InferredType, typeOfNumber, typeOfString, typeOfText } from './column-types.ts';

export interface InferredForms {
  readonly forms: SourceForms;
  /** The places of the columns that stay text, although the formats read their values. */
  readonly texts: ReadonlySet<number>;
  /** Returns what is ambiguous, or could be meant differently, by column name. */
  notes(names: readonly string[]): readonly string[];
}

/** A column of the sample. */
export interface WrittenColumn {
  /** The values that are not NULL. */
  readonly values: readonly string[];
  /** Whether it is known to be a string column, whose values are kept unchanged. */
  readonly isText: boolean;
  /** Whether it is known to have another type. */
  readonly isTyped: boolean;
}

/** A format of the source, and how it reads a string as a value of another type. */
interface Candidate {
  readonly forms: SourceForms;
  readonly read: FormReader;
}

/** A column with the candidates that read each of its values. */
interface Read {
  readonly at: number;
  /** A value that distinguishes candidates. */
  readonly example: string;
  readonly candidates: ReadonlySet<Candidate>;
}

/** The note about a column. */
interface Note {
  readonly at: number;
  readonly text: (names: readonly string[]) => string;
}

interface Found {
  readonly forms: SourceForms;
  readonly notes: readonly Note[];
}

const DAY_FORMATS = [
  'dd.MM.yyyy',
  'dd/MM/yyyy',
  'MM/dd/yyyy',
  'dd-MM-yyyy',
  'MM-dd-yyyy',
  'yyyy/MM/dd',
  'yyyy.MM.dd',
] as const;

function dayCandidate(dateFormat: string): Candidate {
  const read = dayReader(dateFormat);
  return {
    forms: { ...PLAIN_FORMS, dateFormat },
    read: (text) => (PLAIN_DAY.test(text) ? undefined : read?.(text)),
  };
}

function numberCandidate(decimalSeparator: '.' | ',' | undefined, thousands?: string): Candidate {
  const forms = { ...PLAIN_FORMS, decimalSeparator, thousands };
  const read = numberReader(forms);
  return {
    forms,
    read(text) {
      const plain = read(text);
      // Leading zeros and a plus sign belong to strings.
      return plain === undefined || typeOfNumber(plain) === undefined ? undefined : plain;
    },
  };
}

/** Date forms that begin with the day: most countries that use them write a decimal comma. */
const DAY_FIRST = /^d/;
const PLAIN_DAY = /^\d{4}-/;
const DAYS: readonly Candidate[] = DAY_FORMATS.map(dayCandidate);
const PLAIN_NUMBER = numberCandidate(undefined);
/** In order of preference. */
const POINTS: readonly Candidate[] = [PLAIN_NUMBER, ...[',', "'", ' '].map((each) => numberCandidate(undefined, each))];
const COMMAS: readonly Candidate[] = [undefined, '.', "'", ' '].map((each) => numberCandidate(',', each));

const DAY_LIKE = /^\d{1,4}[./-]\d/;
const NUMBER_LIKE = /^[+-]?[\d.,'\u2019 \u00a0\u202f]+$/;
const SEPARATED = /\d[^\d-]/;

/** Returns the source's formats; those that the client specifies are kept. */
export function inferForms(columns: readonly WrittenColumn[], given: SourceForms): InferredForms {
  const days: Found = given.dateFormat === undefined ? inferDays(columns) : { forms: given, notes: [] };
  const numbers = inferNumbers(columns, given);
  const { dateFormat } = days.forms;
  const unclearPoints = DAY_FIRST.test(dateFormat ?? '')
    ? numbers.points.filter(({ at }) => !columns[at]?.isTyped)
    : [];
  const texts = new Set(unclearPoints.map(({ at }) => at));
  const others = numbers.notes.filter(({ at }) => !texts.has(at));
  const all = [...days.notes, ...unclearPoints.map(pointNote), ...others].toSorted((one, other) => one.at - other.at);
  return {
    forms: { ...numbers.forms, dateFormat },
    texts,
    notes: (names) => all.map(({ at, text }) => `${names[at]} ${text(names)}`),
  };
}

function inferDays(columns: readonly WrittenColumn[]): Found {
  const read = readBy(columns, DAYS, DAY_LIKE);
  const [found] = read.find(({ candidates }) => candidates.size === 1)?.candidates ?? [];
  const others = read.filter(({ candidates }) => found === undefined || !candidates.has(found));
  return { forms: found?.forms ?? PLAIN_FORMS, notes: others.map((column) => dayNote(column, found)) };
}

/** The formats of numbers, with the columns whose points may separate decimals or thousands. */
interface FoundNumbers extends Found {
  readonly points: readonly Read[];
}

function inferNumbers(columns: readonly WrittenColumn[], given: SourceForms): FoundNumbers {
  const { decimalSeparator, thousands } = given;
  if (decimalSeparator !== undefined && thousands !== undefined) return { forms: given, notes: [], points: [] };
  const isTried = ({ forms }: Candidate): boolean =>
    (decimalSeparator === undefined || (forms.decimalSeparator ?? '.') === decimalSeparator) &&
    (thousands === undefined || forms.thousands === thousands);
  const [points, commas] = [POINTS.filter(isTried), COMMAS.filter(isTried)];
  const read = readBy(columns, [...points, ...commas], NUMBER_LIKE, SEPARATED);
  const needing = (tried: readonly Candidate[]): Read | undefined =>
    read.find(({ candidates }) => [...candidates].every((each) => tried.includes(each)));
  const [point, comma] = [needing(points), needing(commas)];
  if (point !== undefined && comma !== undefined) return { forms: given, notes: [mixedNote(point, comma)], points: [] };
  const isKnown = point !== undefined || comma !== undefined;
  // Apostrophes separate thousands in the same way whatever the decimal separator is.
  const counted = isKnown ? read : read.filter(hasApostrophes);
  const { forms = given } = bestOf(counted, comma === undefined ? points : commas) ?? {};
  return {
    forms: {
      ...PLAIN_FORMS,
      decimalSeparator: decimalSeparator ?? forms.decimalSeparator,
      thousands: thousands ?? forms.thousands,
    },
    notes: isKnown ? [] : read.flatMap(numberNote),
    points: isKnown ? [] : read.filter(({ candidates }) => candidates.has(PLAIN_NUMBER) && thousandsIn(candidates)),
  };
}

function hasApostrophes({ candidates }: Read): boolean {
  return [...candidates].every(({ forms }) => forms.thousands === "'");
}

/** Returns the candidate that reads the most columns, the first of several. */
function bestOf(read: readonly Read[], tried: readonly Candidate[]): Candidate | undefined {
  // Blanks alone also group digits other than thousands.
  const telling = read.filter(
    ({ candidates }) => candidates.size === 1 || [...candidates].some(({ forms }) => forms.thousands !== ' '),
  );
  const counts = tried.map((each) => telling.filter(({ candidates }) => candidates.has(each)).length);
  const most = Math.max(0, ...counts);
  return most > 0 ? tried[counts.indexOf(most)] : undefined;
}

function mixedNote(point: Read, comma: Read): Note {
  const { at, example } = comma;
  const text = (names: readonly string[]) =>
    `stays text: its decimals have a comma (${example}), those of ${names[point.at]} a point (${point.example})`;
  return { at, text };
}

/** Returns the candidate with points between thousands. */
function thousandsIn(candidates: ReadonlySet<Candidate>): Candidate | undefined {
  return [...candidates].find(({ forms }) => forms.thousands === '.');
}

function pointNote({ at, example, candidates }: Read): Note {
  const other = thousandsIn(candidates);
  const text = `stays text: ${example} may be ${example} (decimalSeparator=.) or ${other?.read(example)} (thousands=.)`;
  return { at, text: () => text };
}

function numberNote({ at, example, candidates }: Read): readonly Note[] {
  const others = [...candidates].filter(({ forms }) => forms.thousands !== ' ' && forms.thousands !== "'");
  if (candidates.has(PLAIN_NUMBER)) {
    const other = thousandsIn(candidates);
    const text = () => `is read as ${example}: with thousands=. it is ${other?.read(example)}`;
    return other === undefined ? [] : [{ at, text }];
  }
  const texts = others.map(({ read }) => read(example));
  const distinct = others.filter((_, index) => texts.indexOf(texts[index]) === index);
  return distinct.length < 2 ? [] : [{ at, text: () => unclear(example, distinct) }];
}

function dayNote({ at, example, candidates }: Read, found: Candidate | undefined): Note {
  const other = `stays text: ${example} is not a date (dateFormat=${found?.forms.dateFormat})`;
  return { at, text: () => (found === undefined ? unclear(example, [...candidates]) : other) };
}

function unclear(example: string, candidates: readonly Candidate[]): string {
  const readings = candidates.map(({ forms, read }) => {
    const [named = ''] = Object.entries(parametersOfForms(forms)).map(([name, value]) => `${name}=${value}`);
    return `${read(example)} (${named})`;
  });
  return `stays text: ${example} may be ${readings.join(' or ')}`;
}

/** Returns the columns whose values candidates read, and which have a value found by `some`. */
function readBy(
  columns: readonly WrittenColumn[],
  candidates: readonly Candidate[],
  like: RegExp,
  some: RegExp = like,
): readonly Read[] {
  return columns.flatMap(({ values, isText }, at) => {
    if (isText) return [];
    const texts = values.map(trimJava);
    if (!texts.every((text) => like.test(text))) return [];
    const example = texts.find((text) => some.test(text));
    if (example === undefined) return [];
    const reading = candidates.filter(({ read }) => texts.every((text) => read(text) !== undefined));
    return reading.length === 0 ? [] : [{ at, example, candidates: new Set(reading) }];
  });
}

/** Returns a function that determines the type of a string in a source's formats. */
export function typeFinder(forms: SourceForms): (text: string) => InferredType {
  const hasNumbers = forms.decimalSeparator !== undefined || forms.thousands !== undefined;
  const readNumber = hasNumbers ? numberReader(forms) : undefined;
  const readDay = forms.dateFormat === undefined ? undefined : dayReader(forms.dateFormat);
  if (Object.keys(parametersOfForms(forms)).length === 0) return typeOfText;
  return (written) => {
    const text = trimJava(written);
    const day = readDay?.(text);
    if (day !== undefined) return typeOfString(day);
    if (readNumber === undefined) return typeOfText(written);
    const number = readNumber(text);
    if (number !== undefined) return typeOfNumber(number) ?? 'VARCHAR';
    // A number in another format would not be read.
    return typeOfNumber(text) === undefined ? typeOfText(written) : 'VARCHAR';
  };
}
