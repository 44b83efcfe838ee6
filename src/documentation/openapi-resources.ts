/** Describes resources in OpenAPI, from their declarations and, if known, from a service's tables. */
import type { JsonSchema } from '../commands/reply.ts';
import {
  JSON_MEDIA,
  METHODS,
  RESOURCES,
  type ResourceDeclaration,
  type ResourceMethod,
  type ResourceName,
  type ResourceOperation,
  type ResourceParameter,
} from '../resources/declarations.ts';
import type { Column, NamedTables } from '../resources/tables.ts';
import type { ScalarTypeName } from '../values/value.ts';
import type { MediaType, OpenApiParameter, OpenApiResponse, Operation, PathItem, Reference } from './openapi-model.ts';

const NAMES = Object.keys(RESOURCES) as readonly ResourceName[];

/** The response of every failed request for a resource. */
export const RESOURCE_FAILED: OpenApiResponse = {
  description: 'The error, as an object. Its code is in the header `Error-Code`, too.',
  headers: { 'Error-Code': { description: 'The code of the error.', schema: { type: 'string' } } },
  content: { [JSON_MEDIA]: { schema: { $ref: '#/components/schemas/Error' } } },
};

const FAILURES = [400, 401, 403, 404, 405, 406, 415, 500, 503];

/** The name of the parameter that represents filters on any column. */
const FILTER = 'COLUMN';

/** The differences between the resources for all tables and for one. */
interface Described {
  /** Part of the operation ids. */
  readonly id: string;
  readonly path: string;
  readonly value: JsonSchema;
  readonly filters: readonly OpenApiParameter[];
}

const ANY_ROW: JsonSchema = { type: 'object', additionalProperties: true };
const ANY_FILTER: OpenApiParameter = {
  name: 'filters',
  in: 'query',
  description: 'Conditions by the names of columns, such as `city=eq.Oslo`.',
  style: 'form',
  explode: true,
  schema: { type: 'object', additionalProperties: { type: 'string' } },
};

/** Returns the paths of resources; with tables, also the paths of their rows. */
export function resourcePaths(
  serviceName: string,
  tables: NamedTables | undefined,
): Readonly<Record<string, PathItem>> {
  const items = NAMES.map((name) => {
    const { path } = RESOURCES[name];
    const value = name === 'entry' ? {} : ANY_ROW;
    return pathItem(name, { id: capitalized(name), path: `/${serviceName}${path}`, value, filters: [ANY_FILTER] });
  });
  const ofTables = [...(tables ?? [])].flatMap(([table, { columns }]) =>
    (['rows', 'row'] as const).map((name) => {
      const path = RESOURCES[name].path.replace('{table}', encodeURIComponent(table));
      return pathItem(name, {
        id: `${capitalized(name)}Of${schemaNameOf(table)}`,
        path: `/${serviceName}${path}`,
        value: { $ref: `#/components/schemas/${schemaNameOf(table)}Row` },
        filters: columns.filter(({ type }) => type !== undefined).map(filterOf),
      });
    }),
  );
  return Object.fromEntries([...items, ...ofTables]);
}

/** Returns the schemas of tables' rows. */
export function rowSchemas(tables: NamedTables | undefined): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(
    [...(tables ?? [])].map(([name, { columns }]) => [
      `${schemaNameOf(name)}Row`,
      { type: 'object', properties: Object.fromEntries(columns.map((column) => [column.name, columnSchema(column)])) },
    ]),
  );
}

/** Returns a table's name as part of schema names, which allow no other characters. */
function schemaNameOf(table: string): string {
  return table.replaceAll(/[^\w.-]/g, '_');
}

function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function filterOf({ name }: Column): OpenApiParameter {
  const description = `Condition on ${name}: an operator and a value, such as \`eq.1\`.`;
  return { name, in: 'query', description, schema: { type: 'string' } };
}

const TYPES: Readonly<Partial<Record<ScalarTypeName, JsonSchema>>> = {
  boolean: { type: ['boolean', 'null'] },
  byte: { type: ['integer', 'null'], format: 'int32' },
  short: { type: ['integer', 'null'], format: 'int32' },
  integer: { type: ['integer', 'null'], format: 'int32' },
  long: { type: ['integer', 'null'], format: 'int64' },
  bigInteger: { type: ['integer', 'null'] },
  float: { type: ['number', 'null'], format: 'float' },
  double: { type: ['number', 'null'], format: 'double' },
  decimal: { type: ['number', 'null'] },
};

function columnSchema({ type, isNullable }: Column): JsonSchema {
  if (type === undefined) return {};
  const schema = TYPES[type] ?? { type: ['string', 'null'] };
  return isNullable || !Array.isArray(schema.type) ? schema : { ...schema, type: schema.type[0] };
}

function pathItem(name: ResourceName, described: Described): readonly [path: string, item: PathItem] {
  const { methods }: ResourceDeclaration = RESOURCES[name];
  const operations = METHODS.flatMap((method) => {
    const operation = methods[method];
    return operation === undefined
      ? []
      : [[method.toLowerCase(), describe(name, method, operation, described)] as const];
  });
  return [described.path, Object.fromEntries(operations)];
}

function describe(
  name: ResourceName,
  method: ResourceMethod,
  { summary, commands, parameters, reads, answers }: ResourceOperation,
  { id, path, value, filters }: Described,
): Operation {
  const { segments }: ResourceDeclaration = RESOURCES[name];
  const inPath = Object.entries(segments).filter(([segment]) => path.includes(`{${segment}}`));
  const isMany = name === 'rows' || name === 'entries';
  const written = isMany && method === 'POST' ? { type: 'array', items: value } : value;
  return {
    operationId: `${method.toLowerCase()}${id}`,
    tags: ['resource'],
    summary,
    description: `Executes ${commands.join(', ')}.`,
    parameters: [
      ...inPath.map(
        ([segment, description]): OpenApiParameter => ({
          name: segment,
          in: 'path',
          required: true,
          description,
          schema: { type: 'string' },
        }),
      ),
      ...parameters.flatMap((parameter) => (parameter.name === FILTER ? filters : [described(parameter)])),
    ],
    ...(reads !== undefined && {
      requestBody: {
        description: isMany && method === 'POST' ? 'The rows.' : 'The value, or the columns of the row.',
        required: true,
        content: { [JSON_MEDIA]: { schema: written } },
      },
    }),
    responses: responses(name, method, answers, value),
  };
}

function described({ name, in: place, summary }: ResourceParameter): OpenApiParameter {
  const isNumber = name === 'limit' || name === 'ttlMs';
  const schema: JsonSchema = isNumber ? { type: 'integer', format: 'int64' } : { type: 'string' };
  return { name, in: place, description: summary, schema };
}

function responses(
  name: ResourceName,
  method: ResourceMethod,
  answers: Readonly<Record<number, string>>,
  value: JsonSchema,
): Readonly<Record<string, OpenApiResponse | Reference>> {
  const found: Record<string, OpenApiResponse | Reference> = {};
  for (const [status, description] of Object.entries(answers)) {
    const isFailure = Number(status) >= 400;
    if (isFailure) found[status] = failed;
    else
      found[status] =
        Number(status) === 200 ? { description, content: contentOf(name, method, value) } : { description };
  }
  for (const status of FAILURES) found[status] ??= failed;
  return found;
}

const failed: Reference = { $ref: '#/components/responses/ResourceFailed' };

const CHANGED: JsonSchema = {
  type: 'object',
  required: ['changed'],
  properties: { changed: { type: 'integer', format: 'int64' } },
};

function contentOf(name: ResourceName, method: ResourceMethod, value: JsonSchema): Readonly<Record<string, MediaType>> {
  if (name === 'rows' && method !== 'GET') return { [JSON_MEDIA]: { schema: CHANGED } };
  const schema = name === 'rows' || name === 'entries' ? { type: 'array', items: value } : value;
  // Lines and CSV are not shown: a client with several media types would have to distinguish them.
  return { [JSON_MEDIA]: { schema } };
}
