/** The OpenAPI document: its references resolve, it has every command, and responses match it. */
import { describe, expect, test } from 'bun:test';
import { type Schema, schemaErrors } from '../../test/json-schema.ts';
import { COMMANDS } from '../commands/registry.ts';
import { openApi, openApiDocument } from './openapi.ts';
import type { Operation } from './openapi-model.ts';

const document: unknown = JSON.parse(openApiDocument('svc'));
const { paths, components, ...rest } = openApi('svc');

/** Every object of the document with its location. */
function* objectsOf(value: unknown, place = '#'): Generator<[place: string, object: Record<string, unknown>]> {
  if (Array.isArray(value)) {
    for (const [index, each] of value.entries()) yield* objectsOf(each, `${place}/${index}`);
  } else if (isObject(value)) {
    yield [place, value];
    for (const [name, each] of Object.entries(value)) yield* objectsOf(each, `${place}/${name.replaceAll('/', '~1')}`);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object that a reference leads to, or undefined if none. */
function follow(pointer: string): unknown {
  let found: unknown = document;
  for (const part of pointer.slice(2).split('/')) {
    found = isObject(found) ? found[part.replaceAll('~1', '/')] : undefined;
  }
  return found;
}

const operations: readonly Operation[] = Object.values(paths).flatMap(({ get, post }) =>
  [get, post].filter((each) => each !== undefined),
);

test('every reference resolves', () => {
  const references = [...objectsOf(document)].flatMap(([, { $ref }]) => (typeof $ref === 'string' ? [$ref] : []));
  expect(references.length).toBeGreaterThan(500);
  expect(references.filter((each) => follow(each) === undefined)).toEqual([]);
});

test('no member is undefined or lost in JSON', () => {
  expect(document).toEqual({ ...rest, paths, components });
});

test('names of components match the pattern of the standard', () => {
  for (const group of Object.values(components)) {
    for (const name of Object.keys(group)) expect(name).toMatch(/^[\w.-]+$/);
  }
});

test('operations have unique ids, known tags and responses with descriptions', () => {
  const ids = operations.map(({ operationId }) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
  const tags = new Set(rest.tags.map(({ name }) => name));
  for (const { tags: own, responses } of operations) {
    expect(own.every((tag) => tags.has(tag))).toBe(true);
    expect(Object.keys(responses).every((status) => /^[1-5]\d\d$/.test(status))).toBe(true);
    for (const response of Object.values(responses)) {
      if (!('$ref' in response)) expect(response.description).not.toBe('');
    }
  }
});

test('parameters of an operation are unique by name and place', () => {
  for (const { parameters = [] } of operations) {
    const keys = parameters.map((each) => {
      const parameter: unknown = '$ref' in each ? follow(each.$ref) : each;
      return isObject(parameter) ? `${parameter.in} ${parameter.name}` : 'nothing';
    });
    expect(keys.length).toBe(new Set(keys).size);
    expect(keys).not.toContain('nothing');
  }
});

test('security requirements name declared schemes', () => {
  const named = [rest.security, ...operations.flatMap(({ security }) => (security === undefined ? [] : [security]))];
  for (const name of named.flat().flatMap((each) => Object.keys(each))) {
    expect(components.securitySchemes).toHaveProperty(name);
  }
});

test('types of schemas are those of JSON Schema', () => {
  const known = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
  for (const [place, { type }] of objectsOf(components.schemas)) {
    // A property may be named `type`.
    if (place.endsWith('/properties')) continue;
    const named: readonly unknown[] = Array.isArray(type) ? type : type === undefined ? [] : [type];
    expect(named.filter((each) => typeof each !== 'string' || !known.has(each))).toEqual([]);
  }
});

test('the path, the credentials and the types contain the name of the service', () => {
  const text = openApiDocument('grid');
  expect(Object.keys(openApi('grid').paths)).toContain('/grid/get');
  expect(text).not.toMatch(/svc\.(?:login|password)|\/svc\b/);
  expect(text).toContain('grid.password');
  expect(text).toContain('GridUuid');
});

describe('what generators of clients need', () => {
  const objects = [...objectsOf(document)];

  test('every array has items', () => {
    const isArray = ({ type }: Record<string, unknown>) =>
      type === 'array' || (Array.isArray(type) && type.includes('array'));
    expect(objects.filter(([, each]) => isArray(each) && each.items === undefined).map(([place]) => place)).toEqual([]);
  });

  test('no schema accepts only null', () => {
    const onlyNull = objects.filter(
      ([, { type }]) => type !== undefined && [type].flat().every((each) => each === 'null'),
    );
    expect(onlyNull.map(([place]) => place)).toEqual([]);
  });

  test('no property has a default', () => {
    const withDefault = objects.filter(([place, each]) => 'default' in each && !place.endsWith('/properties'));
    expect(withDefault.map(([place]) => place)).toEqual([]);
  });

  test('a request has one media type, unless its body has rows', () => {
    for (const { operationId, requestBody } of operations) {
      const types = Object.keys(requestBody?.content ?? {});
      expect([operationId, types]).toEqual([
        operationId,
        operationId === 'import'
          ? ['text/csv', 'application/x-ndjson', 'application/octet-stream']
          : types.filter((type) => type === 'application/json'),
      ]);
    }
  });

  test('every parameter has a type', () => {
    const untyped = Object.values(components.parameters).filter(({ schema }) => schema.type === undefined);
    expect(untyped).toEqual([]);
  });
});

describe('commands', () => {
  for (const { name, access, example } of COMMANDS) {
    const title = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
    const answerName = `${title}Answer`;

    test(`${name} is an operation with a request and a response`, () => {
      const { get, post } = paths[`/svc/${name}`] ?? {};
      expect([get?.operationId, post?.operationId]).toEqual(get === undefined ? [undefined, name] : [name, undefined]);
      const body = post?.requestBody?.content['application/json'];
      expect(body?.schema).toEqual(body && { $ref: `#/components/schemas/${title}Request` });
      if (access === 'write') expect(post).toBeDefined();
      const entry = rest['x-commands'][name];
      expect([entry?.operation, entry?.answer].map((each) => follow(each?.$ref ?? ''))).not.toContain(undefined);
    });

    test(`the example of ${name} matches its response schema, and so does a failure`, () => {
      const schema: Schema = components.schemas[answerName] ?? {};
      const check = (value: unknown) => schemaErrors(schema, value, { components });
      const envelope = { successStatus: 0, sessionToken: null, securitySubjectId: null, error: null };
      if (example.response !== undefined) expect(check({ ...envelope, response: example.response })).toEqual([]);
      const isJson = paths[`/svc/${name}`]?.post?.requestBody?.content['application/json'] !== undefined;
      const object = { code: 'INTERNAL', message: 'x', remedy: 'x', documentation: '/docs/errors/INTERNAL' };
      const error = isJson ? object : 'x';
      expect(check({ ...envelope, successStatus: 1, error, response: null })).toEqual([]);
      expect(check({ successStatus: 9, response: null })).not.toEqual([]);
    });
  }
});
