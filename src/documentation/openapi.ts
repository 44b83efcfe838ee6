/**
 * Generates the OpenAPI 3.1 document from the declarations.
 *
 * OpenAPI identifies an operation by path and method. All commands share one path, and tools reject a query string in a
 * path, so commands cannot be operations under `paths`. The endpoint therefore accepts one of the requests, selected by
 * `cmd` (`oneOf` with a discriminator), which tools show and type with its own parameters. In addition,
 * `components.pathItems` describes every command as a complete operation, and `x-commands` maps the name of a command
 * to all of its parts.
 */

import { IDEMPOTENCY_KEY_CHARACTERS } from '../base/limits.ts';
import type { RegisteredCommand } from '../commands/command.ts';
import { dates, numbers } from '../commands/params.ts';
import { COMMANDS } from '../commands/registry.ts';
import type { JsonSchema } from '../commands/reply.ts';
import { GROUPS, withServiceName } from './command-guide.ts';
import { type DescribedError, describedErrors, errorsOf } from './error-guide.ts';
import {
  answerSchema,
  commandOperation,
  reference,
  requestSchema,
  schemaName,
  sharedParameters,
} from './openapi-commands.ts';
import type {
  CommandEntry,
  OpenApiDocument,
  OpenApiParameter,
  OpenApiResponse,
  Operation,
  PathItem,
  SecurityScheme,
} from './openapi-model.ts';
import { describedTypes } from './type-guide.ts';

/** Returns the document as JSON text for a service whose endpoint is `/<serviceName>`. */
export function openApiDocument(serviceName: string): string {
  return JSON.stringify(openApi(serviceName));
}

export function openApi(serviceName: string): OpenApiDocument {
  const errors = describedErrors();
  const shared = sharedParameters(COMMANDS, serviceName);
  return {
    openapi: '3.1.0',
    info: {
      title: serviceName,
      version: newest(COMMANDS.map(({ since }) => since)),
      summary: 'A durable data grid with an HTTP API.',
      description:
        `Every command is a request to \`/${serviceName}\`, selected by the parameter \`cmd\`, and returns the same ` +
        'envelope. Send parameters in the query string, a form body or a JSON object; the query string wins. Failed ' +
        'commands return HTTP 200 with a `successStatus` other than 0, unless `httpStatus=true` asks for a matching ' +
        'HTTP status.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The service that serves this document.' }],
    tags: [
      { name: 'commands', description: 'The endpoint of all commands' },
      ...entriesOf(GROUPS).map(([name, description]) => ({ name, description })),
      { name: 'operation', description: 'Health, metrics and this document' },
    ],
    // Any of these suffices, and none is needed if authentication is off.
    security: [
      {},
      { sessionToken: [] },
      { bearer: [] },
      { basic: [] },
      { login: [], password: [] },
      { certificate: [] },
    ],
    paths: { [`/${serviceName}`]: endpoint(serviceName), ...PAGES },
    components: {
      schemas: schemas(serviceName),
      parameters: { ...PARAMETERS, ...shared },
      responses: responses(errors),
      securitySchemes: securitySchemes(serviceName),
      pathItems: byName((command) => {
        const operation = commandOperation(command, serviceName, shared);
        return command.body === 'stream' ? { post: operation } : { get: operation };
      }),
    },
    'x-commands': byName((command) => commandEntry(command, serviceName)),
    'x-errors': Object.fromEntries(
      errors.map(({ code, status, http, text, remedy }) => [code, { successStatus: status, http, text, remedy }]),
    ),
  };
}

/** Returns the highest of versions `major.minor.patch`. */
function newest(versions: readonly string[]): string {
  return versions.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1) ?? '0.0.0';
}

function entriesOf(groups: typeof GROUPS): ReadonlyArray<readonly [string, string]> {
  return Object.entries(groups);
}

function byName<T>(create: (command: RegisteredCommand) => T): Readonly<Record<string, T>> {
  return Object.fromEntries(COMMANDS.map((command) => [command.name, create(command)]));
}

function commandEntry(command: RegisteredCommand, serviceName: string): CommandEntry {
  const { name, group, summary, since, access, needs } = command;
  return {
    group,
    summary: withServiceName(serviceName, summary),
    since,
    access,
    needs,
    operation: reference('pathItems', name),
    request: reference('schemas', `${schemaName(command)}Request`),
    answer: reference('schemas', `${schemaName(command)}Answer`),
    errors: errorsOf(command),
  };
}

/** Describes the endpoint with both methods. */
function endpoint(serviceName: string): PathItem {
  const request: JsonSchema = { $ref: '#/components/schemas/Request' };
  const shared: Pick<Operation, 'tags' | 'responses'> = {
    tags: ['commands'],
    responses: {
      '200': {
        description: 'The envelope. Each command describes its `response`.',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Envelope' } } },
      },
      ...Object.fromEntries(HTTP_STATUSES.map((status) => [status, reference('responses', `Http${status}`)])),
    },
  };
  return {
    get: {
      ...shared,
      operationId: 'sendCommand',
      summary: 'Sends a command as a query string',
      description: 'Every member of the request is a parameter of its own: `?cmd=get&key=colour`.',
      parameters: [
        {
          name: 'request',
          in: 'query',
          description: 'The command and its parameters.',
          required: true,
          style: 'form',
          explode: true,
          schema: request,
        },
        ...Object.keys(PARAMETERS).map((name) => reference('parameters', name)),
      ],
    },
    post: {
      ...shared,
      operationId: 'postCommand',
      summary: 'Sends a command as a form or as JSON',
      description:
        'Parameters may also be in the query string, which wins. In a JSON object numbers keep their digits and `null` ' +
        'means absent; the arrays `keys`, `values`, `args` and `params` replace the ' +
        `numbered parameters. Types: ${describedTypes(serviceName)
          .map(({ name }) => name)
          .join(', ')}, and names of custom types.`,
      parameters: Object.keys(PARAMETERS).map((name) => reference('parameters', name)),
      requestBody: {
        description: 'The command and its parameters.',
        required: true,
        content: { 'application/x-www-form-urlencoded': { schema: request }, 'application/json': { schema: request } },
      },
    },
  };
}

const UP: JsonSchema = { type: 'object', required: ['status'], properties: { status: { enum: ['up', 'down'] } } };

function healthPage(operationId: string, summary: string, description: string): PathItem {
  const content = { 'application/json': { schema: UP } };
  return {
    get: {
      operationId,
      tags: ['operation'],
      summary,
      description,
      responses: { '200': { description: 'Up.', content }, '503': { description: 'Down.', content } },
      security: [{}],
    },
  };
}

const PAGES: Readonly<Record<string, PathItem>> = {
  '/health/live': healthPage('live', 'Reports that the process runs', 'Needs no credentials.'),
  '/health/ready': healthPage(
    'ready',
    'Reports whether the service can process commands',
    'Down while the service starts or stops, while the cluster is inactive, and while writes fail.',
  ),
  '/metrics': {
    get: {
      operationId: 'metrics',
      tags: ['operation'],
      summary: 'Metrics for Prometheus',
      description: 'Needs credentials if authentication is on.',
      responses: {
        '200': { description: 'The metrics.', content: { 'text/plain': { schema: { type: 'string' } } } },
        '401': reference('responses', 'Http401'),
      },
    },
  },
  '/': {
    get: {
      operationId: 'home',
      tags: ['operation'],
      summary: 'Name, state and links of the service',
      description:
        'A page for browsers (`Accept: text/html`), JSON for `Accept: application/json`. Needs no credentials.',
      responses: {
        '200': {
          description: 'The page.',
          content: { 'application/json': { schema: { type: 'object' } }, 'text/html': { schema: { type: 'string' } } },
        },
      },
      security: [{}],
    },
  },
  '/openapi.json': {
    get: {
      operationId: 'openApiDocument',
      tags: ['operation'],
      summary: 'This document',
      description: 'Needs no credentials.',
      responses: {
        '200': { description: 'The document.', content: { 'application/json': { schema: { type: 'object' } } } },
      },
      security: [{}],
    },
  },
};

const PARAMETERS: Readonly<Record<string, OpenApiParameter>> = {
  sessionToken: {
    name: 'sessionToken',
    in: 'query',
    description: 'The token of a session, from `authenticate` or any other response.',
    schema: { type: 'string', pattern: '^[0-9A-Fa-f]{32}$' },
  },
  httpStatus: {
    name: 'httpStatus',
    in: 'query',
    description: 'Answer a failed command with a matching HTTP status instead of 200.',
    schema: { type: 'boolean', default: false },
  },
  numbers: {
    name: 'numbers',
    in: 'query',
    description: numbers.summary,
    schema: { type: 'string', enum: ['number', 'string'], default: 'number' },
  },
  dates: {
    name: 'dates',
    in: 'query',
    description: dates.summary,
    schema: { type: 'string', enum: ['text', 'iso'], default: 'text' },
  },
  idempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Executes the request once, however often it is sent with this key. The answers to retries have the header ' +
      '`Idempotent-Replayed: true`. See docs/idempotency.md.',
    schema: { type: 'string', minLength: 1, maxLength: IDEMPOTENCY_KEY_CHARACTERS },
  },
  signature: {
    name: 'X-Signature',
    in: 'header',
    description:
      'Required if the service has a secret key: the time in milliseconds, a colon, and the Base64 of the SHA-1 of ' +
      '`<time>:<key>`.',
    schema: { type: 'string', pattern: '^[0-9]+:[0-9A-Za-z+/]+=*$' },
  },
};

function schemas(serviceName: string): Readonly<Record<string, JsonSchema>> {
  const requests = COMMANDS.map((command): [string, string] => [
    command.name,
    `#/components/schemas/${schemaName(command)}Request`,
  ]);
  return {
    Envelope: ENVELOPE,
    ParameterValue: PARAMETER_VALUE,
    BatchCommands: BATCH_COMMANDS,
    Request: {
      description: 'A request: one of the commands with its parameters.',
      oneOf: requests.map(([, $ref]) => ({ $ref })),
      discriminator: { propertyName: 'cmd', mapping: Object.fromEntries(requests) },
    },
    ...Object.fromEntries(
      COMMANDS.flatMap((command) => [
        [`${schemaName(command)}Request`, requestSchema(command, serviceName)],
        [`${schemaName(command)}Answer`, answerSchema(command)],
      ]),
    ),
  };
}

/** The envelope, docs/spec/contract.md 2.1, with the member that Ignite adds to it. */
const ENVELOPE: JsonSchema = {
  type: 'object',
  required: ['successStatus', 'sessionToken', 'securitySubjectId', 'error', 'response'],
  properties: {
    successStatus: {
      type: 'integer',
      enum: [0, 1, 2, 3, 4],
      description:
        '0 success; 1 failure; 2 authorization failure; 3 security check failure; 4 (compatibility mode `reference` ' +
        'only) illegal argument.',
    },
    affinityNodeId: {
      type: ['string', 'null'],
      description: 'Id of the node that holds the key; only in successful responses of commands on entries.',
    },
    sessionToken: { type: ['string', 'null'], description: 'The token of the session; null without authentication.' },
    securitySubjectId: { type: ['string', 'null'], description: 'Id of the user; null without authentication.' },
    error: { type: ['string', 'null'], description: 'What went wrong; null on success.' },
    response: { description: "The command's result; null after a failure." },
  },
};

const PARAMETER_VALUE: JsonSchema = {
  description:
    'A key or a value. `keyType` or `valueType` names its type (default: string), which is never guessed. An object or ' +
    'array needs a custom type; in a query string or a form it is JSON text.',
  type: ['string', 'number', 'boolean', 'object', 'array'],
};

const BATCH_COMMANDS: JsonSchema = {
  description:
    'The commands of a batch: a request of each command as it would be sent alone. In a query string or a form it is JSON ' +
    'text.',
  type: ['array', 'string'],
  items: { type: 'object', required: ['cmd'], properties: { cmd: { type: 'string' } } },
};

const HTTP_STATUSES = [...new Set(describedErrors().map(({ http }) => http))].sort((a, b) => a - b);

function responses(errors: readonly DescribedError[]): Readonly<Record<string, OpenApiResponse>> {
  return Object.fromEntries(
    HTTP_STATUSES.map((status): [string, OpenApiResponse] => {
      const own = errors.filter(({ http }) => http === status);
      return [
        `Http${status}`,
        {
          description: `With \`httpStatus=true\`, and when no command could run: ${own.map(({ code }) => code).join(', ')}.`,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Envelope' } } },
        },
      ];
    }),
  );
}

function securitySchemes(serviceName: string): Readonly<Record<string, SecurityScheme>> {
  return {
    sessionToken: {
      type: 'apiKey',
      in: 'query',
      name: 'sessionToken',
      description: 'The token of a session, in the query string or in the body.',
    },
    bearer: {
      type: 'http',
      scheme: 'bearer',
      description: 'The token of a session, an API key (apikeyadd), or a JSON Web Token of an identity provider.',
    },
    basic: { type: 'http', scheme: 'basic', description: 'Name and password; every request starts a session.' },
    login: {
      type: 'apiKey',
      in: 'query',
      name: `${serviceName}.login`,
      description: 'Name of the user, together with the password; also in the body.',
    },
    password: {
      type: 'apiKey',
      in: 'query',
      name: `${serviceName}.password`,
      description: 'Password of the user; send it in the body, because proxies log URLs.',
    },
    certificate: { type: 'mutualTLS', description: 'A client certificate whose subject maps to a user.' },
  };
}
