/** Parameters of imports and exports. */
import { gridError } from '../../base/errors.ts';
import { dayReader, separatesThousands } from '../../bulk/source-forms.ts';
import type { SourceFormat, SourceForms } from '../../grid/bulk.ts';
import { audited, cacheWithoutDefault, choice, optionalString, type Parameter, requiredString } from '../params.ts';
import { type JsonSchema, jsonReply, members, type Reply } from '../reply.ts';
import type { PlannedReport } from './new-table.ts';

const FORMATS: readonly SourceFormat[] = ['csv', 'ndjson'];

/** Declares a parameter with a fixed set of values. */
export function optionChoice<const W extends string>(
  name: string,
  words: readonly W[],
  summary: string,
): Parameter<W | undefined> {
  const allowed = `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
  return choice(name, words, summary, (text) => gridError('PARAMETER_INVALID', name, text, allowed), false);
}

export const table = audited(
  optionalString(
    'table',
    'The table: `person`, `"Person"` or `PUBLIC.PERSON`. Either `table` or `cacheName` is required.',
    true,
  ),
);

/** A cache name without a default: a file must not end up in the default cache by mistake. */
export const namedCache: Parameter<string | undefined> = {
  ...cacheWithoutDefault('The cache. With `table`, the cache in whose schema the table is looked up.'),
  required: false,
};

export const format = optionChoice('format', FORMATS, 'Format of the rows (default: from the media type).');

export const importId: Parameter<string> = audited(requiredString('importId', 'Id of the import.', true));

export const delimiter = optionalString(
  'delimiter',
  'CSV: character between fields (default: comma); `tab` for a tab.',
  true,
);

export const nullText = optionalString('nullText', 'CSV: unquoted text that stands for NULL (default: empty).');

export const dateFormat = optionalString(
  'dateFormat',
  'Table: date format of the source, such as `dd.MM.yyyy` (default: `yyyy-MM-dd`; inferred with create).',
  true,
);

export const decimalSeparator = optionalString(
  'decimalSeparator',
  'Table: decimal separator of the source, `,` or `.` (default: `.`; inferred with create).',
  true,
);

export const thousands = optionalString(
  'thousands',
  "Table: thousands separator of the source: `.`, `,`, `'` or `space` (default: none; inferred with create).",
  true,
);

/** Returns how a source writes days and numbers. Throws PARAMETER_INVALID. */
export function formsOf(given: {
  readonly dateFormat: string | undefined;
  readonly decimalSeparator: string | undefined;
  readonly thousands: string | undefined;
}): SourceForms {
  const { dateFormat: format } = given;
  if (format !== undefined && dayReader(format) === undefined) {
    throw gridError(
      'PARAMETER_INVALID',
      'dateFormat',
      format,
      'dd, MM and yyyy or yy in their order, such as dd.MM.yyyy',
    );
  }
  const between = given.thousands?.toLowerCase() === 'space' ? ' ' : given.thousands;
  if (between !== undefined && !separatesThousands(between)) {
    throw gridError('PARAMETER_INVALID', 'thousands', between, "one of . , ' and space");
  }
  const decimal = given.decimalSeparator ?? (between === '.' ? ',' : undefined);
  if (decimal !== undefined && decimal !== ',' && decimal !== '.') {
    throw gridError('PARAMETER_INVALID', 'decimalSeparator', decimal, '. or ,');
  }
  if (between !== undefined && between === (decimal ?? '.')) {
    throw gridError('PARAMETER_INVALID', 'thousands', between, 'another character than the decimal separator');
  }
  return { dateFormat: format, decimalSeparator: decimal, thousands: between };
}

/** Returns the CSV delimiter. Throws PARAMETER_INVALID. */
export function delimiterOf(text: string | undefined): string {
  if (text === undefined) return ',';
  if (text.toLowerCase() === 'tab' || text === '\\t') return '\t';
  if (/^[\t\x20-\x7e]$/.test(text) && text !== '"') return text;
  throw gridError('PARAMETER_INVALID', 'delimiter', text, 'one ASCII character, and no quote');
}

/** Returns the format named by a parameter or else by a media type, or undefined if neither does. */
export function formatOf(parameter: SourceFormat | undefined, mediaType: string | null): SourceFormat | undefined {
  if (parameter !== undefined) return parameter;
  const type = mediaType?.split(';', 1)[0]?.trim().toLowerCase();
  if (type === 'text/csv') return 'csv';
  return type !== undefined && NDJSON_TYPES.has(type) ? 'ndjson' : undefined;
}

const NDJSON_TYPES: ReadonlySet<string> = new Set([
  'application/x-ndjson',
  'application/ndjson',
  'application/jsonl',
  'application/x-jsonlines',
]);

const COUNT: JsonSchema = { type: 'integer', minimum: 0 };

const PLAN: JsonSchema = {
  type: 'object',
  description: 'With `create` or `dryRun`: the inferred columns and formats.',
  ...members({
    statement: {
      type: ['string', 'null'],
      description: 'The statement that creates the table; null if the table exists.',
    },
    parameters: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Parameters with which another import reads the source in the same way.',
    },
    columns: {
      type: 'array',
      items: {
        type: 'object',
        ...members({
          name: { type: 'string' },
          type: { type: 'string' },
          nullable: { type: 'boolean' },
          key: { type: 'boolean' },
        }),
      },
    },
    sample: {
      type: 'array',
      description: 'The first records, with a string or null for each column.',
      items: { type: 'array', items: { type: ['string', 'null'] } },
    },
    records: { ...COUNT, description: 'Number of records from which the columns were inferred.' },
    complete: { type: 'boolean', description: 'Whether these are all records of the source.' },
    notes: {
      type: 'array',
      items: { type: 'string' },
      description: 'Columns whose dates or numbers are ambiguous, one sentence each.',
    },
  }),
};

/** The reply of imports. */
export function importReply(summary: string): Reply<PlannedReport> {
  return jsonReply(
    'import',
    {
      type: 'object',
      ...members(
        {
          importId: { type: ['string', 'null'] },
          state: { enum: ['open', 'done'], description: '`open`: later requests may continue the import.' },
          rows: { ...COUNT, description: 'Number of stored records.' },
          skipped: {
            ...COUNT,
            description: 'Number of records skipped because their key exists or they have expired.',
          },
          rejected: { ...COUNT, description: 'Number of records that could not be stored.' },
          offset: { ...COUNT, description: 'Bytes of the source up to the last of these records.' },
          line: { ...COUNT, description: 'Lines of the source up to the last of these records.' },
          errors: {
            type: 'array',
            description: 'The first rejected records.',
            items: {
              type: 'object',
              ...members({ line: COUNT, message: { type: 'string' } }),
            },
          },
          plan: PLAN,
        },
        ['plan'],
      ),
    },
    summary,
  );
}
