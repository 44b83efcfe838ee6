/** What the reference page says about all commands together. */
import { JSON_BOUNDS } from '../base/limits.ts';
import { blocks, code, codeBlock, link, table } from './markdown.ts';
import { describedClasses, describedTypes } from './type-guide.ts';

export function howToCall(serviceName: string): string {
  const url = `http://localhost:8080/${serviceName}`;
  return blocks(
    '## How to call',
    `There is one address, \`/${serviceName}\`. The parameter \`cmd\` names the command. Send it with GET or POST:`,
    codeBlock('sh', [
      `curl '${url}?cmd=put&key=colour&val=red'`,
      `curl '${url}' --data-urlencode 'cmd=get' --data-urlencode 'key=colour'`,
      `curl '${url}' --json '{"cmd": "getall", "keys": ["colour", "size"]}'`,
    ]),
    [
      '- Parameters stand in the query string, in a form (`application/x-www-form-urlencoded`) or in a JSON object ' +
        '(`application/json`).',
      '- When the query string and the body both have a parameter, the query string wins. When a name stands there twice, ' +
        'the first value counts.',
      '- `cmd` is read in any letter case. Names of parameters are not: `cachename` is not `cacheName`. Unknown ' +
        'parameters are ignored.',
      '- An empty value is a value. Where a parameter treats it as absent, its line says so.',
      '- Percent codes and bodies are UTF-8. A form may name another charset.',
      '- In a JSON object a number counts as its digits are written, so no digit is lost. `null` is absent. The arrays ' +
        '`keys`, `values`, `args` and `params` stand for `k1` ..., `v1` ..., `arg1` ... and `p1` ... . An object or an ' +
        'array as key or value needs a type (`keyType`, `valueType`).',
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
          'Answer a failure with an HTTP status that fits. Without it commands that fail are answered with 200.',
        ],
      ],
    ),
    '### Rows as lines',
    'The query commands answer with rows alone when the header `Accept` asks for `application/x-ndjson` (a JSON text a ' +
      'line) or `text/csv`. There is no envelope then. A failure is an envelope all the same.',
    '### Other addresses',
    table(
      ['address', 'answer'],
      [
        [code('/health/live'), 'The process runs. Needs no credentials.'],
        [code('/health/ready'), 'Commands can be answered, else 503. Needs no credentials.'],
        [code('/metrics'), 'Figures for Prometheus.'],
        [code('/openapi.json'), 'This page for programs: OpenAPI 3.1.'],
      ],
    ),
  );
}

export function envelope(): string {
  return blocks(
    '## The answer',
    'Every command is answered with one JSON object. The order of its members means nothing.',
    table(
      ['member', 'type', 'meaning'],
      [
        [code('successStatus'), 'integer', '0 success, 1 failure, 2 authorization failure, 3 security check failure.'],
        [code('response'), 'by command', 'The result. null after a failure.'],
        [code('error'), 'string or null', 'What went wrong. null on success.'],
        [
          code('sessionToken'),
          'string or null',
          'The token of the session. null without authentication and after a refused login.',
        ],
        [
          code('affinityNodeId'),
          'string or null',
          'Node that holds the key. Only in answers of commands on entries that succeeded; null when there is no key.',
        ],
        [code('securitySubjectId'), 'string or null', 'Id of the user. null without authentication.'],
      ],
    ),
    codeBlock('json', [
      '{"successStatus":0,"affinityNodeId":"5b0e2c0a-3f1d-4c5b-9e7a-0123456789ab","sessionToken":null,',
      ' "securitySubjectId":null,"error":null,"response":"red"}',
    ]),
    'When several things are wrong, the first of this list is answered: the command is unknown; the signature is wrong; a ' +
      'parameter cannot be read; there is no session; a right is missing; a required parameter is missing; the node ' +
      '(`destId`) is unknown; then what the command finds.',
  );
}

export function types(serviceName: string): string {
  const example = ({ text, json }: { text: string; json: string }) => `${code(text)} -> ${code(json)}`;
  return blocks(
    '## Types',
    '`keyType` names the type of `key` and `k1` ..., `valueType` that of `val`, `val2` and `v1` ... . Without them all are ' +
      'texts. A type is never guessed: the text `5` and the integer 5 are different keys and different values. Names match ' +
      'in any letter case.',
    table(
      ['type', 'also', 'accepted text', 'example'],
      describedTypes(serviceName).map(({ name, aliases, accepted, example: shown }) => [
        code(name),
        aliases.map(code).join(', '),
        accepted,
        example(shown),
      ]),
    ),
    'Not a number and the infinities are answered as the texts `"NaN"`, `"Infinity"` and `"-Infinity"`, because JSON has ' +
      'no numbers for them. A text that is no value of its type is refused (CONVERSION) and nothing is stored.',
    '### Classes of Java',
    'Clients of Ignite name classes of the Java library. These are known too. Their text is JSON. Letter case counts.',
    table(
      ['type', 'accepted text', 'example'],
      describedClasses(serviceName).map(({ name, accepted, example: shown }) => [code(name), accepted, example(shown)]),
    ),
    '### Custom types',
    'Any other name is a custom type, and the text is a JSON object. Its fields get their types so:',
    [
      '1. from the class of that name in the configuration (`classes`), if there is one;',
      '2. else from the query entity of that name, of the cache of the request first;',
      '3. else from the JSON: integer, long, big integer, double, text, boolean, list, map.',
    ].join('\n'),
    'A field that cannot be made a value of its type is refused. Two objects are equal when their types and their fields ' +
      'are, the order of fields included. JSON `null` as a key or value counts as absent. JSON texts may be ' +
      `${JSON_BOUNDS.depth} levels deep, their numbers ${JSON_BOUNDS.numberCharacters} characters long, and hold ` +
      `${JSON_BOUNDS.values} values over all levels.`,
  );
}

export function authentication(serviceName: string): string {
  return blocks(
    '## Authentication',
    'It is off by default. `SVC_AUTHENTICATION=true` switches it on. Then every command needs a login, but `probe`. What ' +
      'comes first of these counts:',
    [
      '1. the parameter `sessionToken`, or the header `Authorization: Bearer TOKEN`;',
      `2. the parameters \`${serviceName}.login\` and \`${serviceName}.password\`, on any command;`,
      '3. the parameters `user` and `password`;',
      '4. the header `Authorization: Basic ...`.',
    ].join('\n'),
    'A login by name and password begins a session. The answer carries its token. A session ends when it was not used ' +
      'for 30 seconds (`SVC_REST_SESSION_TIMEOUT`). It also ends when its user is removed or gets a new password.',
    codeBlock('sh', [
      `curl 'http://localhost:8080/${serviceName}' --data 'cmd=authenticate&${serviceName}.login=ann&${serviceName}.password=secret'`,
      `curl 'http://localhost:8080/${serviceName}?cmd=get&key=colour&sessionToken=TOKEN'`,
    ]),
    'Send passwords in the body: addresses end up in the logs of whatever stands between.',
    '### Roles',
    'The configuration gives users roles (`permissions`). The built-in role `admin` may do everything; the default user ' +
      'has it. The built-in role `user` may do everything but manage users; whoever has no other role has it. What a ' +
      'command needs stands with the command. A statement can reach every table, so it needs its rights on all caches.',
    '### Signatures',
    'With a secret key (`SVC_SECRET_KEY`) every request needs the header `X-Signature: TIME:HASH`. `TIME` is in ' +
      'milliseconds since 1970. `HASH` is the Base64 of the SHA-1 of `TIME:KEY`. `SVC_SIGNATURE_MAX_AGE` limits the age of ' +
      'the time. Without that limit the SHA-1 of the key alone is accepted too.',
    codeBlock('sh', [
      'TIME=$(date +%s000)',
      'HASH=$(printf %s "$TIME:$KEY" | openssl dgst -sha1 -binary | base64)',
      `curl -H "X-Signature: $TIME:$HASH" 'http://localhost:8080/${serviceName}?cmd=version'`,
    ]),
  );
}

/** What the runtime under the service does, whatever is configured. */
export const RUNTIME_LIMITS = blocks(
  '### Limits that cannot be changed',
  [
    '- A request head has to come as a whole within 12 seconds, and within the idle time where that is shorter; a body ' +
      'has to bring 1,024 bytes in each idle time. Else the answer is 408 and the connection is closed.',
    '- Requests may be sent ahead (pipelining): they are answered one after another. At most 256 KiB wait unread.',
    '- A client that closes its sending side gets its answer when it is there within two seconds; then what it asked ' +
      'for is cancelled.',
    '- CREATE INDEX cannot be cancelled while it runs (embedded engine).',
  ].join('\n'),
);

/** Tasks of the product itself, by name. */
export const BUILT_IN_TASK_TEXTS: Readonly<Record<string, string>> = {
  'svc.echo': 'gives its arguments back',
  'svc.sleep': 'waits so many milliseconds, 1000 by default',
  'svc.cacheSizes': 'counts the entries of the caches named, or of all',
  'svc.entriesDigest': 'makes a digest of the entries of the caches named, or of all, to compare two grids',
};

export function tasks(): string {
  return blocks(
    'Tasks are functions of the configuration (`tasks`). They run in processes of their own. These are always there:',
    table(
      ['task', 'what it does'],
      Object.entries(BUILT_IN_TASK_TEXTS).map(([name, text]) => [code(name), text]),
    ),
  );
}
