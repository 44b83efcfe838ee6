/** Imports that infer their columns, and create the missing table. */
import type { ByteSource } from '../../base/byte-source.ts';
import { type ErrorCode, GridError, gridError } from '../../base/errors.ts';
import { IMPORT_BOUNDS } from '../../base/limits.ts';
import { givenTypes, type Inference, type InferredColumn } from '../../bulk/inference/inference.ts';
import { NO_PROGRESS } from '../../bulk/progress.ts';
import { PLAIN_FORMS, parametersOfForms } from '../../bulk/source-forms.ts';
import { type Bulk, ImportFailure, type ImportReport, type ImportRequest, type ImportTarget } from '../../grid/bulk.ts';
import { senderOf } from '../../grid/queries.ts';
import { namedTables } from '../../grid/table-names.ts';
import { writtenName } from '../../sql/analysis/analysis.ts';
import type { Context } from '../context.ts';

/** The plan of an import: how to read its source, and the statement for a missing table. */
export interface ImportPlan {
  /** The statement that creates the table, or null if it exists. */
  readonly statement: string | null;
  /** The parameters with which another import reads the source in the same way. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly columns: readonly InferredColumn[];
  /** The first records, with a string or NULL for each column. */
  readonly sample: ReadonlyArray<readonly (string | null)[]>;
  /** Number of records from which the columns were inferred, and whether the source has no more. */
  readonly records: number;
  readonly complete: boolean;
  /** Columns whose dates or numbers are ambiguous, one sentence each. */
  readonly notes: readonly string[];
}

export interface PlannedReport extends ImportReport {
  readonly plan?: ImportPlan;
}

/** The names given by the client. */
export interface GivenForm {
  readonly delimiter: string | undefined;
  readonly header: boolean | undefined;
  readonly types: string | undefined;
  readonly key: string | undefined;
}

export type TableRequest = ImportRequest & { readonly target: Extract<ImportTarget, { kind: 'table' }> };

type ImportContext = Pick<Context, 'grid' | 'call'>;

/** Infers the columns from the beginning of the source, and imports nothing. */
export async function planImport(
  request: TableRequest,
  given: GivenForm,
  source: ByteSource,
  context: ImportContext & { readonly bulk: Bulk },
): Promise<PlannedReport> {
  context.bulk.checkSupport?.(request);
  const { plan } = await planned(request, given, await sampleOf(source), context);
  return { importId: request.id ?? null, ...NO_PROGRESS, plan };
}

/**
 * Imports the source after creating the table, if it is missing. A source that cannot be imported leaves no
 * new table.
 */
export async function importCreating(
  request: TableRequest,
  given: GivenForm,
  source: ByteSource,
  context: ImportContext & { readonly bulk: Bulk },
): Promise<PlannedReport> {
  const { bulk } = context;
  bulk.checkSupport?.(request);
  // A request that continues an import finds the table.
  if (request.offset > 0) return bulk.importRows(request, source);
  const sample = await sampleOf(source);
  const { plan, ...form } = await planned(request, given, sample, context);
  const following = { ...request, ...form };
  const { statement } = plan;
  if (statement === null) return { ...(await bulk.importRows(following, sample.all)), plan };
  await execute(statement, request, context);
  // Its position belongs to a table of this name that no longer exists.
  if (request.id !== undefined) await bulk.discardImport(request.id, request.owner).catch(ignoreUnknownImport);
  try {
    return { ...(await bulk.importRows(following, sample.all)), plan };
  } catch (error) {
    if (!(error instanceof GridError) || !isFinal(error.code, request.id)) throw error;
    await execute(`DROP TABLE IF EXISTS ${tableOf(request)}`, request, context);
    if (request.id !== undefined) await bulk.discardImport(request.id, request.owner).catch(ignoreUnknownImport);
    throw removed(error, request, given, plan);
  }
}

/** Errors in the source itself: the same request would fail again. */
const SOURCE_ERRORS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'PARAMETER_INVALID',
  'IMPORT_INVALID',
  'IMPORT_REJECTED',
  'IMPORT_RECORD_TOO_LONG',
]);

/** Reports whether an import cannot be continued after an error. */
function isFinal(code: ErrorCode, id: string | undefined): boolean {
  return id === undefined || SOURCE_ERRORS.has(code);
}

function ignoreUnknownImport(error: unknown): void {
  if (!(error instanceof GridError && error.code === 'IMPORT_NOT_FOUND')) throw error;
}

/** Returns the error of an import whose new table was removed, with a remedy for the client. */
function removed(error: GridError, request: TableRequest, { types }: GivenForm, plan: ImportPlan): ImportFailure {
  const report = { importId: request.id ?? null, ...NO_PROGRESS };
  const reason = error.message.replace(/\.$/, '');
  const remedy = error.code === 'IMPORT_REJECTED' ? remedyOf(reason, plan, types) : undefined;
  const { message } = gridError('IMPORT_TABLE_REMOVED', reason, remedy, request.target.name);
  return new ImportFailure({ code: error.code, message }, report);
}

/** Returns the parameter that corrects the inferred value, or undefined if the record itself is wrong. */
function remedyOf(reason: string, { columns, parameters }: ImportPlan, types: string | undefined): string | undefined {
  if (/already in cache|duplicate key/i.test(reason)) {
    const keys = columns.filter(({ key }) => key).map(({ name }) => name);
    return `The key is ${keys.join(', ')}; name another with key=COLUMN, or number the records with rowNumber=row_number`;
  }
  const column = columns.find(({ name }) => reason.includes(`column ${name}: `));
  if (column === undefined || column.type === 'VARCHAR' || column.name === parameters.rowNumber) return undefined;
  const names = columns.map((each) => each.name);
  if (givenTypes(types, names).has(column.name)) return undefined;
  const name = column.name.toLowerCase();
  return `Its type was inferred from earlier records; types=${types === undefined ? '' : `${types},`}${name}=varchar keeps texts`;
}

interface Planned extends Pick<ImportRequest, 'delimiter' | 'header' | 'columns' | 'rowNumber' | 'forms'> {
  readonly plan: ImportPlan;
}

async function planned(
  request: TableRequest,
  given: GivenForm,
  { bytes, isWhole }: Sample,
  { grid }: ImportContext,
): Promise<Planned> {
  const { target, format, columns, nullText, rowNumber, omit, isLast, forms: named = PLAIN_FORMS } = request;
  const [{ name } = { name: target.name }] = namedTables(target.name);
  const table = await columnsOf(target, grid);
  const existing = table?.map((column) => column.name);
  const texts = table?.flatMap((column) => (column.isText ? [column.name] : []));
  const common = { ...given, format, table: name, columns, nullText, rowNumber, omit, forms: named };
  const options = { ...common, known: existing, texts: new Set(texts) };
  // The CSV reader is loaded by the first import that needs it, not at startup.
  const { inferTable } = await import('../../bulk/inference/inference.ts');
  const inference = inferTable(bytes, isWhole && isLast, options);
  const numbered = existing === undefined ? inference.rowNumber : (rowNumber ?? existingNumber(inference, existing));
  if (given.types !== undefined && existing === undefined) await checkTypes(inference.columns);
  const { delimiter, header, forms, notes } = inference;
  const known = new Set([...(existing ?? []), ...(omit ?? []).map((name) => name.trim().toUpperCase())]);
  const isUsable = existing === undefined || inference.renamed?.every((each) => known.has(each));
  // Without a header, the fields are an existing table's columns in order.
  const renamed = header || isUsable === true ? inference.renamed : columns;
  const statement = existing === undefined ? createStatement(tableOf(request), inference.columns) : null;
  const parameters = {
    ...(format === 'csv' && { delimiter: delimiter === '\t' ? 'tab' : delimiter, header: String(header) }),
    ...(renamed !== undefined && { columns: renamed.join(',') }),
    ...(numbered !== undefined && { rowNumber: numbered }),
    ...(omit !== undefined && { omit: omit.join(',') }),
    ...parametersOfForms(forms),
  };
  const { records, first: sample, isWhole: complete } = inference;
  const plan = { statement, parameters, columns: inference.columns, sample, records, complete, notes };
  return { delimiter, header, columns: renamed, rowNumber: numbered, forms, plan };
}

/**
 * Throws PARAMETER_INVALID for a type that no column can have. The client does not know the statement that would fail.
 */
async function checkTypes(columns: readonly InferredColumn[]): Promise<void> {
  const { typeProblem } = await import('../../sql/analysis/column-type.ts');
  for (const { name, type } of columns) {
    const problem = typeProblem(type, name);
    if (problem !== undefined) throw gridError('IMPORT_TYPE', name, problem);
  }
}

/** Returns the inferred column with the record number, if an earlier request created it. */
function existingNumber({ rowNumber }: Inference, existing: readonly string[]): string | undefined {
  return rowNumber !== undefined && existing.includes(rowNumber) ? rowNumber : undefined;
}

/** Returns a table's columns, or undefined if it does not exist. */
async function columnsOf(
  target: TableRequest['target'],
  grid: Context['grid'],
): Promise<ReadonlyArray<{ readonly name: string; readonly isText: boolean }> | undefined> {
  const candidates = namedTables(target.name);
  const isKnown = candidates.some((each) => grid.caches.cacheOfTable(each, target.cache) !== undefined);
  // A single-node engine knows all tables.
  if (!isKnown && !grid.capabilities.manyNodes) return undefined;
  const { findTable, kindOf } = await import('../../bulk/batched/table-target.ts');
  try {
    const { columns } = findTable(await grid.caches.list(), target);
    return columns.map((column) => ({ name: column.name, isText: kindOf(column) === 'text' }));
  } catch (error) {
    if (error instanceof GridError && error.code === 'TABLE_NOT_FOUND') return undefined;
    throw error;
  }
}

function tableOf({ target }: TableRequest): string {
  const [table] = namedTables(target.name);
  if (table === undefined) throw gridError('TABLE_NOT_FOUND', target.name, undefined);
  return [table.schema, table.name].flatMap((part) => (part === undefined ? [] : [writtenName(part)])).join('.');
}

function createStatement(table: string, columns: readonly InferredColumn[]): string {
  const lines = columns.map(({ name, type, nullable }) => `${writtenName(name)} ${type}${nullable ? '' : ' NOT NULL'}`);
  const keys = columns.filter(({ key }) => key).map(({ name }) => writtenName(name));
  return `CREATE TABLE ${table} (\n  ${[...lines, `PRIMARY KEY (${keys.join(', ')})`].join(',\n  ')}\n)`;
}

async function execute(sql: string, request: TableRequest, { call }: ImportContext): Promise<void> {
  const { target, owner, tenant } = request;
  await call({
    kind: 'statement',
    query: {
      kind: 'fields',
      cache: target.cache,
      owner,
      sender: senderOf(tenant),
      sql,
      args: [],
      pageSize: 1,
      format: 'json',
    },
  });
}

interface Sample {
  readonly bytes: Uint8Array;
  readonly isWhole: boolean;
  /** The whole source. */
  readonly all: ByteSource;
}

async function sampleOf(source: ByteSource): Promise<Sample> {
  const parts: Uint8Array[] = [];
  let size = 0;
  let isWhole = false;
  while (size < IMPORT_BOUNDS.sampleBytes && !isWhole) {
    const part = await source.read();
    if (part === undefined) isWhole = true;
    else {
      parts.push(part);
      size += part.length;
    }
  }
  const bytes = Buffer.concat(parts).subarray(0, IMPORT_BOUNDS.sampleBytes);
  const all = { read: () => (parts.length > 0 ? Promise.resolve(parts.shift()) : isWhole ? ended() : source.read()) };
  return { bytes, isWhole: isWhole && size === bytes.length, all };
}

function ended(): Promise<undefined> {
  return Promise.resolve(undefined);
}
