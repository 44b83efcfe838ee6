/**
 * Infers a table from the beginning of a source: delimiter, header, and names, types and key of its columns. What the
 * client has specified is not inferred. The sample is bounded, so a later record may contradict it.
 */
import { gridError } from '../../base/errors.ts';
import { IMPORT_BOUNDS } from '../../base/limits.ts';
import { splitList } from '../../base/lists.ts';
import type { SourceFormat, SourceForms } from '../../grid/bulk.ts';
import { ConversionFailure } from '../../values/conversion-failure.ts';
import { trimJava } from '../../values/java-number.ts';
import { type JsonNode, readJson, writeNode } from '../../values/json.ts';
import { dayReader } from '../source-forms.ts';
import { type InferredType, typeOfNumber, typeOfString, widerType } from './column-types.ts';
import { type CsvField, type CsvRecord, inferDelimiter, knowsColumns, problemIn, readSample } from './csv-sample.ts';
import { judgeFirstRecord } from './first-record.ts';
import { inferForms, typeFinder } from './inferred-forms.ts';
import { sampleText } from './sample.ts';

/** The client's specifications; the rest is inferred. */
export interface InferenceOptions {
  readonly format: SourceFormat;
  /** The table's name without schema: a column with this name, followed by _ID, is a key. */
  readonly table: string;
  readonly delimiter: string | undefined;
  readonly header: boolean | undefined;
  readonly columns: readonly string[] | undefined;
  readonly nullText: string;
  readonly forms: SourceForms;
  /** `NAME=TYPE` for some columns, separated by commas. */
  readonly types: string | undefined;
  /** Names of the key columns, separated by commas. */
  readonly key: string | undefined;
  /** The column that numbers the records. */
  readonly rowNumber: string | undefined;
  /** Columns that are left out, in any case. Absent if none. */
  readonly omit?: readonly string[] | undefined;
  /** The columns of the table, if it exists: a first record that names some of them is a header. */
  readonly known: readonly string[] | undefined;
  /** Those that contain strings. */
  readonly texts?: ReadonlySet<string> | undefined;
}

export interface InferredColumn {
  readonly name: string;
  /** An SQL type as specified by a client or inferred. */
  readonly type: string;
  readonly nullable: boolean;
  readonly key: boolean;
}

export interface Inference {
  readonly delimiter: string;
  readonly header: boolean;
  /** The CSV column names, if those in the header cannot be used. */
  readonly renamed: readonly string[] | undefined;
  readonly rowNumber: string | undefined;
  readonly forms: SourceForms;
  /** Ambiguities of the source's formats. */
  readonly notes: readonly string[];
  readonly columns: readonly InferredColumn[];
  /** The first records, with a string or NULL for each column. */
  readonly first: ReadonlyArray<readonly (string | null)[]>;
  /** Records of the sample. */
  readonly records: number;
  /** Whether the sample is the whole source. */
  readonly isWhole: boolean;
}

const PLAIN_NAME = /^[\p{L}_][\p{L}\p{Nd}_]*$/u;
const UNUSABLE = /[",\p{Cc}]/gu;
const ROW_NUMBER = 'ROW_NUMBER';
/** Columns that every table has. */
const RESERVED: ReadonlySet<string> = new Set(['_KEY', '_VAL']);
const KEY_NAMES: ReadonlySet<string> = new Set(['ID', 'KEY', 'UUID']);
/** Types whose values are ids even if the sample does not show all of them. */
const ID_TYPES: ReadonlySet<string> = new Set<InferredType>(['INTEGER', 'BIGINT', 'UUID']);
/** Types whose values are kept as they are written. */
const TEXT_TYPE = /CHAR|^(?:STRING|TEXT|CLOB)/;
const TYPE = /^[A-Za-z][A-Za-z ]*(?:\( *\d+ *(?:, *\d+ *)?\))?$/;

/** Maximum number of a column's values that are examined to distinguish a header from a record. */
const JUDGED_VALUES = 200;

/** The evidence that the sample gives about a column. */
class ColumnSample {
  type: InferredType | undefined;
  hasNull = false;
  /** Whether a field is NULL except for surrounding blanks: a string in a string column, otherwise NULL. */
  hasBlankNull = false;
  /** Records that have the column. */
  records = 0;
  /** The reason why the column cannot be part of a table. */
  nested: string | undefined;
  /** Some of the values. */
  readonly values: string[] = [];
  /** The distinct values, or undefined once one has repeated. */
  #values: Set<string> | undefined = new Set();

  add(text: string, type: InferredType): void {
    this.type = widerType(this.type, type);
    if (this.values.length < JUDGED_VALUES) this.values.push(text);
    this.#note(text);
  }

  addBlankNull(text: string): void {
    this.hasBlankNull = true;
    this.#note(text);
  }

  hasNullAs(type: string): boolean {
    return this.hasNull || (this.hasBlankNull && type !== 'VARCHAR');
  }

  #note(text: string): void {
    if (this.#values?.has(text) === true) this.#values = undefined;
    else this.#values?.add(text);
  }

  get isUnique(): boolean {
    return this.#values !== undefined && this.#values.size > 0 && !this.hasNullAs(this.type ?? 'VARCHAR');
  }
}

interface Sample {
  readonly delimiter: string;
  readonly header: boolean;
  readonly names: readonly string[];
  readonly observed: readonly ColumnSample[];
  readonly first: ReadonlyArray<readonly (string | null)[]>;
  readonly records: number;
  readonly forms: SourceForms;
  readonly notes: readonly string[];
}

/** Throws IMPORT_SOURCE_UNREADABLE, IMPORT_NOTHING_TO_INFER, PARAMETER_INVALID, IMPORT_COLUMN_UNKNOWN. */
export function inferTable(bytes: Uint8Array, isWhole: boolean, options: InferenceOptions): Inference {
  const text = sampleText(bytes, isWhole);
  const isNew = options.known === undefined;
  if (text.trim() === '') {
    if (isWhole && !isNew) return nothingFor(options);
    throw gridError('IMPORT_NOTHING_TO_INFER', isWhole ? 'the source is empty' : 'its first line is too long');
  }
  const isCsv = options.format === 'csv';
  const whole = isCsv ? csvSample(text, options) : ndjsonSample(text, options.forms);
  const allNames = isCsv ? usableNames(whole.names) : keptNames(whole.names);
  const sample = withoutColumns(whole, omittedIn(allNames, options.omit, isCsv));
  const { delimiter, header, records, observed, forms, notes } = sample;
  const names = sample.columns.map((at) => allNames[at] ?? '');
  const reserved = isNew ? names.find((name) => RESERVED.has(name.toUpperCase())) : undefined;
  if (reserved !== undefined) throw gridError('IMPORT_COLUMN_RESERVED', reserved);
  const given = givenTypes(options.types, names);
  // Without names, not even the first record could be read.
  if (isNew && records === 0 && (names.length === 0 || names.some((name) => !given.has(name)))) {
    throw gridError('IMPORT_NOTHING_TO_INFER', whyNoRecords(text, isCsv ? delimiter : undefined, names));
  }
  const nested = observed.findIndex((each, at) => each.nested !== undefined && !given.has(names[at] ?? ''));
  if (nested >= 0) throw gridError('IMPORT_NESTED', names[nested] ?? '', observed[nested]?.nested ?? '');
  const columns = names.map((name, at) => {
    const type = given.get(name) ?? columnType(observed[at]?.type);
    const hasNull = observed[at]?.hasNullAs(type) === true;
    return { name, type, nullable: hasNull || !isWhole || records === 0, key: false };
  });
  const key = givenKey(options.key, names) ?? inferredKey(sample, columns, isWhole, options);
  const rowNumber = options.rowNumber ?? (key === undefined ? freeName(ROW_NUMBER, names) : undefined);
  if (rowNumber !== undefined && names.includes(columnName(rowNumber)))
    throw gridError('IMPORT_COLUMN_REPEATED', rowNumber);
  const keyNames = new Set(key ?? [columnName(rowNumber ?? ROW_NUMBER)]);
  const numbers: InferredColumn[] =
    rowNumber === undefined ? [] : [{ name: columnName(rowNumber), type: 'BIGINT', nullable: false, key: false }];
  const keyed = [...numbers, ...columns].map((column) => {
    const isKey = keyNames.has(column.name);
    return { ...column, key: isKey, nullable: column.nullable && !isKey };
  });
  if (isNew && keyed.every((column) => column.key)) throw gridError('IMPORT_ONLY_KEY');
  const isRenamed = isCsv && header && allNames.some((name, at) => name !== columnName((whole.names[at] ?? '').trim()));
  const renamed = options.columns ?? (isRenamed || (isCsv && !header) ? allNames : undefined);
  const first = sample.first.map((row, at) => [...numbers.map(() => String(at + 1)), ...row]);
  return { delimiter, header, renamed, rowNumber, forms, notes, columns: keyed, first, records, isWhole };
}

/** Returns how an empty source is read into an existing table, such as the export of an empty table. */
function nothingFor({ delimiter = ',', header = true, columns, rowNumber, forms }: InferenceOptions): Inference {
  const nothing = { notes: [], columns: [], first: [], records: 0, isWhole: true };
  return { delimiter, header, renamed: columns, rowNumber, forms, ...nothing };
}

/** Number of records that show the contents of the columns. */
const FIRST_RECORDS = 5;

/** Returns the places of the columns that are left out. Throws IMPORT_COLUMN_UNKNOWN. */
function omittedIn(names: readonly string[], omit: readonly string[] = [], isCsv: boolean): ReadonlySet<number> {
  const folded = names.map((name) => name.toUpperCase());
  const omitted = omit.map((name) => {
    const at = folded.indexOf(name.trim().toUpperCase());
    // Later objects of NDJSON may have the member.
    if (at < 0 && isCsv) throw gridError('IMPORT_COLUMN_UNKNOWN', name, names);
    return at;
  });
  return new Set(omitted);
}

interface KeptSample extends Sample {
  /** The place of each column among all of the source. */
  readonly columns: readonly number[];
}

function withoutColumns(sample: Sample, omitted: ReadonlySet<number>): KeptSample {
  const isKept = (_: unknown, at: number) => !omitted.has(at);
  return {
    ...sample,
    columns: [...sample.observed.keys()].filter((at) => !omitted.has(at)),
    names: sample.names.filter(isKept),
    observed: sample.observed.filter(isKept),
    first: sample.first.map((row) => row.filter(isKept)),
  };
}

function whyNoRecords(text: string, delimiter: string | undefined, names: readonly string[]): string {
  const isRead = delimiter === undefined || (names.length > 0 && text.trim().split(/\r*\n/, 2).length < 2);
  if (!isRead) {
    const problem = problemIn(text, delimiter);
    return `the quotes of its first records are misplaced, or not closed${problem === undefined ? '' : `: ${problem}`}`;
  }
  if (/\r./s.test(text) && !text.includes('\n')) return 'its lines end in CR alone: make them LF (tr "\\r" "\\n")';
  if (!text.includes('\n')) return 'it is a single line (curl -d removes line breaks, --data-binary keeps them)';
  const types = names.map((name) => `${name}=varchar`).join(',');
  return `it has a header and no records; create the table by its types, such as types=${types}`;
}

function csvSample(text: string, options: InferenceOptions): Sample {
  const { delimiter: given, header: said, columns, nullText, known } = options;
  const delimiter = given ?? delimiterIn(text);
  const [first = [], ...others] = readSample(text, delimiter);
  if (first.length > IMPORT_BOUNDS.columns) throw gridError('IMPORT_COLUMNS_TOO_MANY', 1, IMPORT_BOUNDS.columns);
  if (columns !== undefined && columns.length !== first.length) {
    throw gridError('PARAMETER_INVALID', 'columns', columns.join(','), `${first.length} names, one for each field`);
  }
  const observed = first.map(() => new ColumnSample());
  const isNull = ({ text: field, isQuoted }: CsvField): boolean =>
    !isQuoted && (field === nullText || trimJava(field) === nullText);
  const types = knownColumns(first, options);
  const written = first.map((_, at) => ({
    isText: types[at] === 'text',
    isTyped: types[at] === 'other',
    values: others.flatMap(({ [at]: field }) => (field === undefined || isNull(field) ? [] : [field.text])),
  }));
  const { forms, texts, notes } = inferForms(written, options.forms);
  const typeOf = typeFinder(forms);
  const add = (record: CsvRecord): void => {
    // The import reports a record with another number of fields.
    if (record.length !== first.length) return;
    for (const [at, field] of record.entries()) {
      const column = observed[at];
      if (column === undefined) continue;
      if (!isNull(field)) column.add(field.text, texts.has(at) ? 'VARCHAR' : typeOf(field.text));
      else if (field.text === nullText) column.hasNull = true;
      else column.addBlankNull(field.text);
    }
  };
  for (const record of others) add(record);
  const header = said ?? (knowsColumns(first, known) || isHeader(first, observed));
  if (!header) add(first);
  const names = columns ?? first.map((field, at) => (header ? field.text : `C${at + 1}`));
  const records = others.length + (header ? 0 : 1);
  const whole = [...(header ? [] : [first]), ...others].filter(({ length }) => length === first.length);
  const rows = whole.slice(0, FIRST_RECORDS).map((row) => row.map((field) => (isNull(field) ? null : field.text)));
  return { delimiter, header, names, observed, first: rows, records, forms, notes: notes(usableNames(names)) };
}

/** Reports which fields are string columns or of another type, as a client specifies or the table has them. */
function knownColumns(
  first: CsvRecord,
  { types = '', known = [], texts = new Set(), columns, header }: InferenceOptions,
): ReadonlyArray<'text' | 'other' | undefined> {
  const folded = new Map<string, 'text' | 'other'>(known.map((name) => [name.toUpperCase(), 'other']));
  for (const name of texts) folded.set(name.toUpperCase(), 'text');
  for (const part of splitTypes(types)) {
    const [name = '', type = ''] = part.split('=', 2);
    folded.set(name.trim().toUpperCase(), TEXT_TYPE.test(type.trim().toUpperCase()) ? 'text' : 'other');
  }
  return first.map(({ text }, at) => {
    const name = columns?.[at] ?? (header === false ? known[at] : text) ?? '';
    return folded.get(name.trim().toUpperCase());
  });
}

/** Throws IMPORT_DELIMITER_UNCLEAR. */
function delimiterIn(text: string): string {
  const found = inferDelimiter(text);
  if (typeof found === 'string') return found;
  const [one, other] = found.map(({ delimiter }) => (delimiter === '\t' ? 'tab' : delimiter));
  throw gridError('IMPORT_DELIMITER_UNCLEAR', one ?? '', other ?? '', found[0].fields);
}

/** Throws IMPORT_HEADER_UNCLEAR. */
function isHeader(first: CsvRecord, observed: readonly ColumnSample[]): boolean {
  const fields = first.map(({ text }, at) => ({ text, type: observed[at]?.type, values: observed[at]?.values ?? [] }));
  const judged = judgeFirstRecord(fields);
  if (judged !== 'unclear') return judged === 'header';
  throw gridError('IMPORT_HEADER_UNCLEAR', usableNames(first.map(({ text }) => text)));
}

function ndjsonSample(text: string, forms: SourceForms): Sample {
  const byName = new Map<string, ColumnSample>();
  const readDay = forms.dateFormat === undefined ? undefined : dayReader(forms.dateFormat);
  let records = 0;
  const first: Array<ReadonlyMap<string, JsonNode>> = [];
  if (text.trimStart().startsWith('[')) {
    throw gridError('IMPORT_SOURCE_UNREADABLE', "is a JSON array: write one object a line (jq -c '.[]')");
  }
  for (const line of text.split('\n')) {
    const members = line.trim() === '' ? undefined : membersOf(line);
    if (members === undefined) continue;
    if (first.length < FIRST_RECORDS) first.push(members);
    for (const [name, node] of members) {
      const column = byName.get(name) ?? new ColumnSample();
      byName.set(name, column);
      column.records++;
      if (node.kind === 'null') column.hasNull = true;
      else if (node.kind === 'string') column.add(node.value, typeOfString(readDay?.(node.value) ?? node.value));
      else if (node.kind === 'number') column.add(node.text, typeOfNumber(node.text) ?? 'NUMERIC');
      else if (node.kind === 'boolean') column.add(String(node.value), 'BOOLEAN');
      else column.nested ??= node.kind;
    }
    records++;
  }
  for (const column of byName.values()) column.hasNull ||= column.records < records;
  if (byName.size === 0)
    throw gridError('IMPORT_NOTHING_TO_INFER', `its first line is no JSON object with members${whyNoObject(text)}`);
  if (byName.size > IMPORT_BOUNDS.columns) throw gridError('IMPORT_COLUMNS_TOO_MANY', 1, IMPORT_BOUNDS.columns);
  const names = [...byName.keys()];
  const rows = first.map((members) => names.map((name) => shownText(members.get(name))));
  const found = { names, observed: [...byName.values()], first: rows, records };
  return { delimiter: ',', header: true, ...found, forms, notes: [] };
}

/** Returns a member as a string, or null if it is NULL or absent. */
function shownText(node: JsonNode | undefined): string | null {
  if (node === undefined || node.kind === 'null') return null;
  return node.kind === 'string' ? node.value : writeNode(node);
}

/** Returns the error in the first line, after a colon, or an empty string if it is JSON. */
function whyNoObject(text: string): string {
  const lines = text.split('\n');
  const at = lines.findIndex((line) => line.trim() !== '');
  const line = lines[at]?.trimEnd() ?? '';
  try {
    readJson(line);
    return '';
  } catch (error) {
    if (!(error instanceof ConversionFailure)) throw error;
    const isListed = /\}\s*,$/.test(line);
    const advice = isListed
      ? `: remove the comma at its end (character ${line.length})`
      : `: ${error.reason.replace(/ at line 1,/, ' at')}`;
    return `${at > 0 ? ` (line ${at + 1})` : ''}${advice}`;
  }
}

/** Returns the members of a line, or undefined if it is not an object, which the import reports. */
function membersOf(line: string) {
  try {
    const node = readJson(line);
    return node.kind === 'object' ? node.members : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the column's name: folded as in SQL if it needs no quotes, otherwise unchanged. */
function columnName(name: string): string {
  return PLAIN_NAME.test(name) ? name.toUpperCase() : name;
}

/** Returns column names for the names in a header; empty and repeated ones get numbers. */
function usableNames(names: readonly string[]): readonly string[] {
  const used = new UsedNames();
  return names.map((name, at) => {
    const usable = columnName(name.trim().replace(UNUSABLE, '_'));
    return used.add(usable === '' ? `C${at + 1}` : usable);
  });
}

/** Returns column names for the names in JSON, which cannot be renamed: two that differ only in case are kept. */
function keptNames(names: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name.toUpperCase(), (counts.get(name.toUpperCase()) ?? 0) + 1);
  return names.map((name) => (counts.get(name.toUpperCase()) === 1 ? columnName(name) : name));
}

/** Column names, which differ in more than case. */
class UsedNames {
  readonly #taken = new Set<string>();
  /** The number that a name got last. */
  readonly #numbers = new Map<string, number>();

  /** Adds a name, with a number if it is taken, and returns it. */
  add(name: string): string {
    let free = name;
    let number = this.#numbers.get(name.toUpperCase()) ?? 1;
    while (this.#taken.has(free.toUpperCase())) free = `${name}_${++number}`;
    this.#numbers.set(name.toUpperCase(), number);
    this.#taken.add(free.toUpperCase());
    return free;
  }
}

function freeName(name: string, names: readonly string[]): string {
  const used = new UsedNames();
  for (const each of names) used.add(each);
  return used.add(name);
}

/** Finds the columns that a client specifies, in any case. */
class NamedColumns {
  readonly #names: readonly string[];
  readonly #exact: ReadonlySet<string>;
  readonly #folded = new Map<string, string>();

  constructor(names: readonly string[]) {
    this.#names = names;
    this.#exact = new Set(names);
    for (const name of [...names].reverse()) this.#folded.set(name.toUpperCase(), name);
  }

  /** Throws IMPORT_COLUMN_UNKNOWN. */
  find(name: string): string {
    const wanted = name.trim();
    const found = this.#exact.has(wanted) ? wanted : this.#folded.get(wanted.toUpperCase());
    if (found === undefined) throw gridError('IMPORT_COLUMN_UNKNOWN', wanted, this.#names);
    return found;
  }
}

function columnType(type: InferredType | undefined): string {
  return type === 'NUMERIC' ? 'DECIMAL' : (type ?? 'VARCHAR');
}

/** Splits `NAME=TYPE,NAME=DECIMAL(10, 2)` at the commas outside parentheses. */
function splitTypes(types: string): readonly string[] {
  const parts: string[] = [];
  let isOpen = false;
  for (const part of types.split(',')) {
    if (isOpen) parts.push(`${parts.pop()},${part}`);
    else parts.push(part);
    if (/[()]/.test(part)) isOpen = part.lastIndexOf('(') > part.lastIndexOf(')');
  }
  return parts;
}

/** Returns the type of each column that a client specifies. */
export function givenTypes(types: string | undefined, names: readonly string[]): ReadonlyMap<string, string> {
  const given = new Map<string, string>();
  if (types === undefined) return given;
  const columns = new NamedColumns(names);
  for (const part of splitTypes(types)) {
    const equals = part.lastIndexOf('=');
    const type = part.slice(equals + 1).trim();
    if (equals < 0 || !TYPE.test(type)) {
      throw gridError('PARAMETER_INVALID', 'types', types, 'COLUMN=TYPE, separated by commas, such as people=varchar');
    }
    given.set(columns.find(part.slice(0, equals)), type.toUpperCase());
  }
  return given;
}

function givenKey(key: string | undefined, names: readonly string[]): readonly string[] | undefined {
  if (key === undefined) return undefined;
  const columns = new NamedColumns(names);
  return splitList('key', key).map((name) => columns.find(name));
}

/**
 * Returns the key: a unique column whose name says that it is one, or else the first column, if the sample is the whole
 * source or its type is an id type. Undefined if the records must be numbered.
 */
function inferredKey(
  { observed }: Sample,
  columns: readonly InferredColumn[],
  isWhole: boolean,
  { table, rowNumber }: InferenceOptions,
): readonly string[] | undefined {
  if (rowNumber !== undefined || columns.length < 2) return undefined;
  const unique = columns.filter((_, at) => observed[at]?.isUnique === true);
  const upper = table.toUpperCase();
  const names = new Set([...KEY_NAMES, `${upper}_ID`, `${upper.replace(/S$/, '')}_ID`]);
  const named = unique.find(({ name }) => names.has(name.toUpperCase()));
  const [first] = columns;
  const isFirst = first !== undefined && unique.includes(first) && (isWhole || ID_TYPES.has(first.type));
  const found = named ?? (isFirst ? first : undefined);
  return found === undefined ? undefined : [found.name];
}
