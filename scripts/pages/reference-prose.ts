/** The sections of the reference page that apply to all commands. */
import { HTTP_BOUNDS, JSON_BOUNDS } from '../../src/base/limits.ts';
import { dates, errors, numbers } from '../../src/commands/params.ts';
import { describedClasses, describedTypes } from '../../src/documentation/type-guide.ts';
import { SHORT_NAMES } from '../../src/values/type-names.ts';
import { programs } from './example-tabs.ts';
import { blocks, code, codeBlock, link, table } from './markdown.ts';

export function howToCall(serviceName: string): string {
  const url = `http://localhost:8080/${serviceName}`;
  return blocks(
    '## How to call',
    `The endpoint is \`/${serviceName}\`. The parameter \`cmd\` selects the command. Use POST, or GET with a query string:`,
    codeBlock('sh', [
      `curl '${url}' --json '{"cmd": "put", "key": "colour", "val": "red"}'`,
      `curl '${url}' --json '{"cmd": "getall", "keys": ["colour", "size"]}'`,
      `curl '${url}' --data-urlencode 'cmd=get' --data-urlencode 'key=colour'`,
      `curl '${url}?cmd=put&key=colour&val=red'`,
    ]),
    [
      '- Send parameters in a JSON object (`application/json`), in a form (`application/x-www-form-urlencoded`) or in the ' +
        'query string, as clients of Ignite do.',
      '- If both the query string and the body have a parameter, the query string wins. If a name is repeated, the first ' +
        'value counts.',
      `- Each command also has its own path: \`/${serviceName}/get?key=colour\` is ` +
        `\`/${serviceName}?cmd=get&key=colour\`. A \`cmd\` that names a different command is rejected.`,
      '- Command names are case-insensitive, parameter names are case-sensitive. A misspelt name such as `cachename` is ' +
        'rejected with the name that was probably meant. Other parameters that a command does not declare are ignored; ' +
        'with `parameters.strict`, they are rejected too.',
      '- An empty value is a value, unless the description of the parameter says otherwise.',
      '- Percent-encoding and bodies are UTF-8. A form can declare another charset.',
      '- In a JSON body `null` means absent. The arrays `keys`, `values`, `args` and `params` set `k1` ..., `v1` ..., ' +
        '`arg1` ... and `p1` ... . Lists of roles and addresses may be arrays, too: `"roles": ["reader", "writer"]`.',
      '- With the command in the JSON body, or in the path next to it, a value has the type of its JSON (`5` is an int, ' +
        '`"5"` a text, `{"a":1}` a map), and a number keeps all its digits. Keys are texts. A type that the cache ' +
        'declares, or that `keyType` or `valueType` names, takes precedence. Failures have HTTP statuses and objects as ' +
        'errors, and pages have 1,000 rows where `pageSize` is absent. The options `json.types`, `json.httpStatus`, ' +
        '`json.errors` and `json.defaultPageSize` change that.',
      '- With `cmd` in the query string or in a form, a request is one of Ignite: values are texts unless `valueType` ' +
        'names a type, failed commands have HTTP status 200 and a text, and `pageSize` is required.',
      '- With the header `Accept: application/problem+json`, failures are problem documents (RFC 9457).',
    ].join('\n'),
    '### Parameters of every command',
    table(
      ['parameter', 'type', 'meaning'],
      [
        [code('cmd'), 'string', 'The command. Required.'],
        [code('sessionToken'), 'string', `Token of a session, see ${link('Authentication')}.`],
        [`${code(`${serviceName}.login`)}, ${code(`${serviceName}.password`)}`, 'string', 'Credentials.'],
        [
          code('httpStatus'),
          'true or false',
          'Respond to failures with a matching HTTP status, the default for JSON requests.',
        ],
        [code('errors'), 'text or object', errors.summary],
        [code('numbers'), 'number or string', numbers.summary],
        [code('dates'), 'text or iso', dates.summary],
      ],
    ),
    'The header `Prefer: errors=object, numbers=string, dates=iso` asks for the same; the parameters take precedence. ' +
      '`Prefer: compatibility=contract` has a request answered by the contract whatever the option `compatibility` says: ' +
      'the client, the subcommands and the console send it.',
    'The header `Idempotency-Key` makes retries safe: a request is executed once, however often it is sent with its key ' +
      '([idempotency.md](idempotency.md)).',
    programs(serviceName),
    '### Rows as lines',
    'Query commands return rows without an envelope if the header `Accept` is `application/x-ndjson` (one JSON object per ' +
      'line) or `text/csv`. Failures still have an envelope. An error after the first rows cuts the response off, and is its ' +
      'last line: `{"error":{"code":...}}`, in CSV behind `# `.',
    '### Compression',
    'Long responses are compressed with Zstandard or gzip if the header `Accept-Encoding` accepts it, except envelopes ' +
      'with a session token ([operating.md](operating.md#compressed-responses)).',
    '### Other paths',
    table(
      ['path', 'response'],
      [
        [
          code('/'),
          'Name, state and links: a page for browsers, JSON for `Accept: application/json`. Needs no credentials.',
        ],
        [code('/health/live'), 'Whether the process runs. Needs no credentials.'],
        [code('/health/ready'), 'Whether the service can execute commands; 503 if not. Needs no credentials.'],
        [code('/metrics'), 'Metrics for Prometheus.'],
        [code('/openapi.json'), 'This page as an OpenAPI 3.1 document. Needs no credentials.'],
        [code('/docs'), 'Leads to the commands in the console, which also sends them (`http.docs`).'],
        [code('/docs/errors/CODE'), 'What an error means: a page for browsers, otherwise JSON. Needs no credentials.'],
      ],
    ),
  );
}

export function envelope(): string {
  return blocks(
    '## The response',
    'Every command returns one JSON object. The order of its members is not significant.',
    table(
      ['member', 'type', 'meaning'],
      [
        [code('successStatus'), 'integer', '0 success, 1 failure, 2 authorization failure, 3 security check failure.'],
        [code('response'), 'by command', 'The result; null on failure.'],
        [code('error'), 'string or null', 'The error message; null on success.'],
        [
          code('sessionToken'),
          'string or null',
          'Token of the session; null without authentication and after a failed login.',
        ],
        [
          code('affinityNodeId'),
          'string or null',
          'Node that owns the key; only in successful responses of commands on entries; null without a key.',
        ],
        [code('securitySubjectId'), 'string or null', 'Id of the user; null without authentication.'],
      ],
    ),
    codeBlock('json', [
      '{"successStatus":0,"affinityNodeId":"5b0e2c0a-3f1d-4c5b-9e7a-0123456789ab","sessionToken":null,',
      ' "securitySubjectId":null,"error":null,"response":"red"}',
    ]),
    'If a request has several errors, the first of this list is reported: unknown command; invalid signature; malformed ' +
      'parameter; no session; missing permission; missing required parameter; unknown node (`destId`); errors of the ' +
      'command itself.',
  );
}

export function types(serviceName: string): string {
  const example = ({ text, json }: { text: string; json: string }) => `${code(text)} -> ${code(json)}`;
  return blocks(
    '## Types',
    '`keyType` names the type of `key` and `k1` ..., `valueType` that of `val`, `val2` and `v1` ... . The default is ' +
      'string. A type is never guessed: the string `5` and the integer 5 are different keys and different values. Type ' +
      'names are case-insensitive.',
    table(
      ['type', 'also', 'accepted text', 'example'],
      describedTypes(serviceName).map(({ name, aliases, accepted, example: shown }) => [
        code(name),
        aliases.map(code).join(', '),
        accepted,
        example(shown),
      ]),
    ),
    'NaN and the infinities are returned as the strings `"NaN"`, `"Infinity"` and `"-Infinity"`, because JSON has no ' +
      'numbers for them. A string that is not a value of its type is rejected (CONVERSION), and nothing is stored.',
    '### Java classes',
    'Clients of Ignite use names of Java classes. These are supported as well; their values are JSON, and their names are ' +
      'case-sensitive. ' +
      `In short: ${[...SHORT_NAMES].map(([name, className]) => `${code(name)} is ${code(className)}`).join(', ')}. A ` +
      'custom type that is declared by such a name takes precedence.',
    table(
      ['type', 'accepted text', 'example'],
      describedClasses(serviceName).map(({ name, accepted, example: shown }) => [code(name), accepted, example(shown)]),
    ),
    '### Custom types',
    'Any other name is a custom type, whose value is a JSON object. The types of its fields come from:',
    [
      '1. the class of that name in the configuration (`classes`);',
      '2. otherwise the query entity of that name in the cache of the request; of an argument of a statement, otherwise in any cache;',
      '3. otherwise the JSON: integer, long, big integer, double, string, boolean, list, map.',
    ].join('\n'),
    'A field that cannot be converted to its type is rejected. Two objects are equal if their types and their fields are ' +
      'equal, including the order of fields. JSON `null` as a key or value means absent. JSON values can be ' +
      `${JSON_BOUNDS.depth} levels deep, their numbers ${JSON_BOUNDS.numberCharacters} characters long, and hold ` +
      `${JSON_BOUNDS.values} values over all levels.`,
  );
}

export function authentication(serviceName: string): string {
  return blocks(
    '## Authentication',
    'Authentication is off by default; `SVC_AUTHENTICATION=true` enables it. Every command except `probe` then needs ' +
      'credentials. If a request has several, the first of this list is used:',
    [
      '1. the parameter `sessionToken`;',
      `2. the parameters \`${serviceName}.login\` and \`${serviceName}.password\`, on any command;`,
      '3. the parameters `user` and `password`;',
      '4. the header `Authorization: Bearer TOKEN`, `Authorization: Bearer KEY` with an API key or a JSON Web Token, or ' +
        '`Authorization: Basic ...`;',
      '5. the client certificate.',
    ].join('\n'),
    'For `authenticate`, name and password come before any token.',
    'A header with wrong credentials rejects a request with a body in chunks or of more than 16 Ki' +
      '<!-- src/base/slices.ts STEP_CHARACTERS --> bytes at once, whatever ' +
      'the body contains.',
    'A login with name and password starts a session and returns its token. A session expires when it has not ' +
      'been used for `SVC_REST_SESSION_TIMEOUT` (30 s), and ends when its user is removed or gets a new password. ' +
      '`SVC_REST_SESSION_LIFETIME` bounds its time from the login.',
    codeBlock('sh', [
      `curl 'http://localhost:8080/${serviceName}' --data 'cmd=authenticate&${serviceName}.login=ann&${serviceName}.password=secret'`,
      `curl 'http://localhost:8080/${serviceName}?cmd=get&key=colour&sessionToken=TOKEN'`,
    ]),
    'Send passwords in the body: proxies log URLs. Programs can use API keys ([api-keys.md](api-keys.md)) instead, ' +
      'and users of an identity provider its tokens ([json-web-tokens.md](json-web-tokens.md)).',
    '### Roles',
    'The configuration (`permissions`), `adduser` and `roleassign` assign roles to users, and `roleadd` stores further roles. ' +
      'A user who is added without roles may do nothing. The ' +
      'built-in role `admin`, which the default user has, permits everything. The built-in role `user`, which users have by default who were not added by `adduser`, permits everything except managing ' +
      'users and changing the state of the cluster. Each command lists the permission it needs. One that changes ' +
      'entries and returns or compares stored values needs `read`, too. A statement that reads ' +
      'rows needs `read` on the caches of its tables, and one that changes rows `write` on the caches that it changes ' +
      '(`SQL_PUBLIC_T` for a table `T` without `CACHE_NAME`). Definitions, views, system views, conditions of `qryexe` ' +
      'and all statements on a cluster need their rights on `*`.',
    '### Signatures',
    'With a secret key (`SVC_SECRET_KEY`), every request needs the header `X-Signature: TIME:HASH`. `TIME` is in ' +
      'milliseconds since 1970. `HASH` is the Base64 of the SHA-1 of `TIME:KEY`. `SVC_SIGNATURE_MAX_AGE` limits the ' +
      'age of the signature. Without that limit, the SHA-1 of the key alone is accepted as well.',
    codeBlock('sh', [
      'TIME=$(date +%s000)',
      'HASH=$(printf %s "$TIME:$KEY" | openssl dgst -sha1 -binary | base64)',
      `curl -H "X-Signature: $TIME:$HASH" 'http://localhost:8080/${serviceName}?cmd=version'`,
    ]),
  );
}

/** Limits of the runtime, which cannot be configured. */
export const RUNTIME_LIMITS = blocks(
  '### Limits of the runtime',
  [
    `- A request head must arrive within ${HTTP_BOUNDS.headSeconds} seconds, or within the idle timeout if that is ` +
      'shorter, and a body at an average of `limits.bodyBytesPerSecond` (16 KiB) once the idle timeout has passed. ' +
      'Otherwise the response is 408 and the connection is closed.',
    `- Pipelined requests are answered in order. At most ${HTTP_BOUNDS.pipelinedBytes / 1_024} KiB of them are buffered.`,
    '- A client that closes its sending side gets the response if it is ready within 2 s' +
      '<!-- src/http/connection.ts HALF_CLOSED_SECONDS -->; otherwise the request is cancelled.',
    '- Outside Linux, CREATE INDEX cannot be cancelled while it runs (embedded engine).',
  ].join('\n'),
);

/** Built-in tasks by name. */
export const BUILT_IN_TASK_TEXTS: Readonly<Record<string, string>> = {
  'svc.echo': 'returns its arguments',
  'svc.sleep': 'waits for a number of milliseconds, 1000 by default',
  'svc.cacheSizes': 'counts the entries of the given caches, or of all',
  'svc.entriesDigest': 'computes a digest of the entries of the given caches, or of all, to compare two grids',
};

export function tasks(): string {
  return blocks(
    'Tasks are functions declared in the configuration (`tasks`). They run in separate processes. Built-in tasks:',
    table(
      ['task', 'what it does'],
      Object.entries(BUILT_IN_TASK_TEXTS).map(([name, text]) => [code(name), text]),
    ),
  );
}
