/** Generates the methods of the Python client, with the types of their parameters and results. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../../package.json';
import { describedErrors } from '../../src/documentation/error-guide.ts';
import {
  type ClientCommand,
  type ClientParameter,
  envelopeCommands,
  type ReplyObject,
  type ReplyType,
  streamCommands,
  typedCommands,
} from './client-model.ts';

const COLUMNS = 110;
/** Words that name no parameter in Python. */
const KEYWORDS: ReadonlySet<string> = new Set(['from', 'async', 'import', 'del', 'pass', 'global']);
const NOTE = 'Generated from the declarations of the commands: npm run generate.';

const FOLDER = 'clients/python/src/svc_grid';

/** Replacements that turn the source of the asyncio client into that of the blocking client, in this order. */
const BLOCKING: ReadonlyArray<readonly [asynchronous: RegExp, blocking: string]> = [
  [/^.*# asyncio alone\n/gm, ''],
  [/^ +batching: (?:.*\n)+?(?= +tls: )/m, ''],
  [/of the client for asyncio/g, 'of the client'],
  [/A client of a service\. (.*) `async with`\./, 'A client of a service, for any number of threads. $1 `with`.'],
  [/An iterable is sent\n/, 'An iterable or a file is sent\n'],
  [/import asyncio\nimport ssl\n/, 'import ssl\nimport threading\nimport time\n'],
  [/AsyncGenerator\[(.*), None\]/g, 'Generator[$1, None, None]'],
  [/AsyncGenerator, AsyncIterable, Callable, Dict,/, 'Callable, Dict, Generator, Iterable,'],
  [/asyncio\.Lock/g, 'threading.Lock'],
  [/asyncio\.sleep/g, 'time.sleep'],
  [/\(await ([\w.]+\(\))\)/g, '$1'],
  [/\basync (?=def|for|with)/g, ''],
  [/\bawait /g, ''],
  [/\bAsync(?=SvcClient|CommandMethods|Client|BaseTransport|Iterable)/g, ''],
  [/_async_(?=commands|client)/g, '_'],
  [/__a(?=enter__|exit__|next__)/g, '__'],
  [/\.a(?=close\(|read\(|iter_)/g, '.'],
  [
    /^"""The client for asyncio\..*$/m,
    '"""The client with blocking methods. Generated from _async_client.py: npm run generate."""',
  ],
];

/** Returns the text of each generated file of the package by its path. */
export function pythonClientFiles(): Readonly<Record<string, string>> {
  const client = readFileSync(join(import.meta.dir, '../..', FOLDER, '_async_client.py'), 'utf8');
  const commands = commandsFile();
  return {
    [`${FOLDER}/_version.py`]: `# That of package.json: npm run generate.\n__version__ = "${version}"\n`,
    [`${FOLDER}/_results.py`]: resultsFile(),
    [`${FOLDER}/_async_commands.py`]: commands,
    [`${FOLDER}/_commands.py`]: blocking(commands),
    [`${FOLDER}/_client.py`]: blocking(client),
  };
}

function blocking(source: string): string {
  return BLOCKING.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), source);
}

function resultsFile(): string {
  const commands = [...envelopeCommands(), ...streamCommands()];
  return [
    `"""The types of parameters and results. ${NOTE}"""`,
    '',
    'from __future__ import annotations',
    '',
    'from datetime import date, time',
    'from decimal import Decimal',
    'from typing import Any, Dict, List, Literal, Mapping, NamedTuple, Optional, Sequence, TypedDict, Union',
    'from uuid import UUID',
    '',
    '#: A value that the service returns: None, bool, int, float, Decimal, str, or a list or dict of them.',
    'Json = Any',
    '',
    '#: A key or a value to send. A datetime is a date, too.',
    'JsonInput = Union[bool, int, float, Decimal, str, date, time, UUID, bytes, Sequence[Any], Mapping[str, Any]]',
    '',
    '',
    'class Traits(NamedTuple):',
    '    """How the client sends a command."""',
    '',
    '    #: How often the request may be sent: any; keyed: with an idempotency key; once.',
    '    repeats: Literal["any", "keyed", "once"]',
    '    #: The response is a page, whose size the client sets if the caller does not.',
    '    paged: bool = False',
    '    #: Calls of one tick may share a batch.',
    '    batched: bool = False',
    '',
    '',
    'TRAITS: Mapping[str, Traits] = {',
    ...envelopeCommands().map(
      ({ name, repeats, isPaged, isBatched }) =>
        `    "${name}": Traits("${repeats}"${isPaged ? ', True' : ''}${isBatched ? ', batched=True' : ''}),`,
    ),
    '}',
    '',
    '#: The HTTP statuses of errors, which the results of a batch do not name.',
    'ERROR_STATUSES: Mapping[str, int] = {',
    ...describedErrors().map(({ code, http }) => `    "${code}": ${http},`),
    '}',
    '',
    ...commands.flatMap(({ objects }) => objects).flatMap(objectLines),
  ].join('\n');
}

/** Two classes where members may be missing: Python 3.9 cannot mark a single one. */
function objectLines({ name, members }: ReplyObject): readonly string[] {
  const lines = (required: boolean) =>
    members.filter((each) => each.required === required).map((each) => `    ${each.name}: ${typeText(each.type)}`);
  const [required, optional] = [lines(true), lines(false)];
  if (members.some((each) => KEYWORDS.has(each.name))) return ['', ...keywordLines(name, members), ''];
  if (optional.length === 0) return ['', `class ${name}(TypedDict):`, ...required, ''];
  if (required.length === 0) return ['', `class ${name}(TypedDict, total=False):`, ...optional, ''];
  return [
    '',
    `class _${name}(TypedDict):`,
    ...required,
    '',
    '',
    `class ${name}(_${name}, total=False):`,
    ...optional,
    '',
  ];
}

/** A member that is a keyword can only be written as a text. */
function keywordLines(name: string, members: ReplyObject['members']): readonly string[] {
  if (members.some(({ required }) => !required)) throw new Error(`${name}: all members have to be required`);
  const items = members.map((each) => `        "${each.name}": ${typeText(each.type)},`);
  return [`${name} = TypedDict(`, `    "${name}",`, '    {', ...items, '    },', ')'];
}

function typeText(type: ReplyType): string {
  switch (type.kind) {
    case 'json':
      return 'Json';
    case 'string':
      return 'str';
    case 'constant':
      return typeof type.value === 'boolean' ? 'bool' : `Literal["${type.value}"]`;
    case 'choice':
      return `Literal[${type.values.map((value) => `"${value}"`).join(', ')}]`;
    case 'boolean':
      return 'bool';
    case 'number':
      return 'float';
    case 'integer':
    case 'long':
      return 'int';
    case 'null':
      return 'None';
    case 'list':
      return `List[${typeText(type.of)}]`;
    case 'map':
      return `Dict[str, ${typeText(type.of)}]`;
    case 'object':
      return type.name;
    case 'union':
      return unionText(type.of);
  }
}

function unionText(types: readonly ReplyType[]): string {
  const own = types.filter(({ kind }) => kind !== 'null').map(typeText);
  const joined = own.length === 1 ? (own[0] ?? '') : `Union[${own.join(', ')}]`;
  return own.length < types.length ? `Optional[${joined}]` : joined;
}

function commandsFile(): string {
  const commands = typedCommands();
  const types = new Set(commands.flatMap(({ objects }) => objects.map(({ name }) => name)));
  const methods = commands.flatMap((command) => methodLines(command));
  const used = [...types].filter((name) => methods.some((line) => new RegExp(`\\b${name}\\b`).test(line)));
  return [
    `"""The methods of the client for asyncio, one for each command. ${NOTE}"""`,
    '',
    'from __future__ import annotations',
    '',
    'from abc import ABC, abstractmethod',
    'from typing import Any, Dict, List, Literal, Mapping, Optional, Sequence, Union',
    '',
    'from ._results import (',
    ...['Json', 'JsonInput', ...used].map((name) => `    ${name},`),
    ')',
    '',
    '',
    'class AsyncCommandMethods(ABC):',
    '    @abstractmethod',
    '    async def call(',
    '        self, command: str, parameters: Mapping[str, Any], *, idempotency_key: Optional[str] = None',
    '    ) -> Any:',
    '        """Executes a command."""',
    ...methods,
    '',
  ].join('\n');
}

/** The name of a parameter in Python: `cache_name`, and `from_` for a keyword. */
function pythonName({ name }: ClientParameter): string {
  const own = name.slice(name.lastIndexOf('.') + 1).replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return KEYWORDS.has(own) ? `${own}_` : own;
}

function parameterText(parameter: ClientParameter): string {
  const element = elementType(parameter);
  const type = parameter.isList ? `Sequence[${element}]` : element;
  return parameter.required
    ? `${pythonName(parameter)}: ${type}`
    : `${pythonName(parameter)}: Optional[${type}] = None`;
}

function elementType({ kind, choices, name, isTextList }: ClientParameter): string {
  if (isTextList) return 'Union[str, Sequence[str]]';
  switch (kind) {
    case 'string':
    case 'typeName':
      return 'str';
    case 'value':
      return name === 'args' ? 'Optional[JsonInput]' : 'JsonInput';
    case 'long':
    case 'number':
    case 'integer':
      return 'int';
    case 'boolean':
      return 'bool';
    case 'commands':
      return 'Sequence[Mapping[str, Any]]';
    case 'choice':
      return `Literal[${choices.map((choice) => `"${choice}"`).join(', ')}]`;
  }
}

function methodLines(command: ClientCommand): readonly string[] {
  const { name, parameters, acceptsOthers, repeats } = command;
  const required = parameters.filter((each) => each.required);
  const optional = parameters.filter((each) => !each.required);
  const isKeyed = repeats === 'keyed';
  const named = [...optional.map(parameterText), ...(isKeyed ? ['idempotency_key: Optional[str] = None'] : [])];
  const given = [
    'self',
    ...required.map(parameterText),
    ...(named.length > 0 ? ['*', ...named] : []),
    ...(acceptsOthers ? ['**others: Any'] : []),
  ];
  const result = typeText(command.reply);
  const members = parameters.map((each) => `"${each.name}": ${pythonName(each)},`);
  const sent = [...members, ...(acceptsOthers ? ['**others,'] : [])];
  const key = isKeyed ? ['idempotency_key=idempotency_key'] : [];
  const call = 'await self.call';
  return [
    '',
    ...signature(`async def ${name}`, given, result),
    ...docstring(command, [...required, ...optional]),
    ...(sent.length === 0
      ? [`        response: ${result} = ${call}(${[`"${name}", {}`, ...key].join(', ')})`]
      : [
          `        response: ${result} = ${call}(`,
          `            "${name}",`,
          '            {',
          ...sent.map((each) => `                ${each}`),
          '            },',
          ...key.map((each) => `            ${each},`),
          '        )',
        ]),
    '        return response',
  ];
}

function signature(head: string, given: readonly string[], result: string): readonly string[] {
  const single = `    ${head}(${given.join(', ')}) -> ${result}:`;
  if (single.length <= COLUMNS) return [single];
  return [`    ${head}(`, ...given.map((each) => `        ${each},`), `    ) -> ${result}:`];
}

function docstring(command: ClientCommand, parameters: readonly ClientParameter[]): readonly string[] {
  const { summary, repeats } = command;
  const words = parameters.map((each): [string, string] => [pythonName(each), each.summary]);
  if (repeats === 'keyed') {
    words.push(['idempotency_key', 'Has the command executed once, however often it is sent with this key.']);
  }
  if (words.length === 0) return [`        """${summary}"""`];
  return [
    `        """${summary}`,
    '',
    '        Args:',
    ...words.flatMap(([name, text]) => wrapped(`${name}: ${text}`, '            ', '                ')),
    '        """',
  ];
}

function wrapped(text: string, first: string, indent: string): readonly string[] {
  const lines: string[] = [];
  let line = first;
  for (const word of text.replaceAll('\\', '\\\\').split(' ')) {
    const longer = line.trim() === '' ? `${line}${word}` : `${line} ${word}`;
    if (longer.length <= COLUMNS) line = longer;
    else {
      lines.push(line);
      line = `${indent}${word}`;
    }
  }
  return [...lines, line];
}
