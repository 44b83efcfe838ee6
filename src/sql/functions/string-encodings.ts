/** Functions on strings for encodings, phonetics, regular expressions and XML. */
import { sqlFailure } from '../../base/sql-errors.ts';
import type { SqlFailure } from '../../base/sql-failure.ts';
import type { FunctionEnvironment, SqlFunction } from '../types/sql-types.ts';
import {
  BINARY,
  BOOLEAN,
  type Call,
  defineFunctions,
  INTEGER,
  ofText,
  VARCHAR,
  withoutArguments,
} from './definition.ts';
import { type RegexOptions, regexFinds, regexReplace } from './java-regex.ts';
import { checkBinaryLength, checkTextLength, TextBuilder } from './text-builder.ts';

/** Sound groups of the letters A to Z; 7 is a vowel, 8 a letter that is skipped. */
const SOUNDS = '71237128722455712623718272';

/** Returns four characters: the first letter and the sound groups that follow. */
function soundex(text: string): string {
  let code = '';
  let last = '0';
  for (let at = 0; at < text.length && code.length < 4; at += 1) {
    const sound = SOUNDS.charAt((text.charCodeAt(at) | 32) - 97);
    if (sound === '' || !/[A-Za-z]/.test(text.charAt(at))) continue;
    if (code === '') {
      code = text.charAt(at);
      last = sound;
    } else if (sound <= '6') {
      if (sound !== last) code += sound;
      last = sound;
    } else if (sound === '7') last = sound;
  }
  return code.padEnd(4, '0');
}

function unitsToHex(text: string): string {
  checkTextLength(text.length * 4);
  return Buffer.from(text, 'utf16le').swap16().toString('hex');
}

function hexToUnits(text: string): string {
  if (text.length % 4 !== 0 || !/^[0-9a-fA-F]*$/.test(text)) throw sqlFailure('DATA_CONVERSION', text);
  return Buffer.from(text, 'hex').swap16().toString('utf16le');
}

const JAVA_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\f', '\\f'],
  ['\r', '\\r'],
  ['"', '\\"'],
  ['\\', '\\\\'],
]);

function encodeJava(text: string, environment: Polled): string {
  return escaped(text, environment, (character) => {
    const known = JAVA_ESCAPES.get(character);
    return (
      known ??
      (character >= ' ' && character < '\x80'
        ? undefined
        : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
    );
  });
}

/** `poll` is called repeatedly while a long string is built. */
type Polled = Pick<FunctionEnvironment, 'poll'>;

/** Replaces the characters for which `escapeOf` returns a string. */
function escaped(text: string, environment: Polled, escapeOf: (character: string) => string | undefined): string {
  const result = new TextBuilder(environment.poll);
  let copied = 0;
  for (let at = 0; at < text.length; at += 1) {
    const replacement = escapeOf(text.charAt(at));
    if (replacement === undefined) continue;
    result.add(text.slice(copied, at));
    result.add(replacement);
    copied = at + 1;
  }
  result.add(text.slice(copied));
  return result.toString();
}

const JAVA_UNESCAPES: ReadonlyMap<string, string> = new Map([
  ['t', '\t'],
  ['r', '\r'],
  ['n', '\n'],
  ['b', '\b'],
  ['f', '\f'],
  ['#', '#'],
  ['=', '='],
  [':', ':'],
  ['"', '"'],
  ['\\', '\\'],
]);

const CODE = /u([0-9a-fA-F]{4})|([0-7]{3})/y;

function decodeJava(text: string, environment: Polled): string {
  const result = new TextBuilder(environment.poll);
  let copied = 0;
  for (let at = text.indexOf('\\'); at >= 0; at = text.indexOf('\\', copied)) {
    result.add(text.slice(copied, at));
    if (at + 1 >= text.length) throw badEscape(text, at);
    const plain = JAVA_UNESCAPES.get(text.charAt(at + 1));
    CODE.lastIndex = at + 1;
    const code = plain === undefined ? CODE.exec(text) : null;
    if (plain === undefined && code === null) throw badEscape(text, at + 1);
    const [, hexadecimal, octal] = code ?? [];
    result.add(
      plain ?? String.fromCharCode(Number.parseInt(hexadecimal ?? octal ?? '0', octal === undefined ? 16 : 8)),
    );
    copied = at + 1 + (code?.[0].length ?? 1);
  }
  result.add(text.slice(copied));
  return result.toString();
}

function badEscape(text: string, at: number): SqlFailure {
  return sqlFailure('STRING_FORMAT', `${text.slice(0, at)}[*]${text.slice(at)}`);
}

function optionsOf(call: Call, index: number): RegexOptions {
  let options: RegexOptions = {};
  for (const flag of call.count > index ? call.text(index) : '') {
    if (flag === 'i') options = { ...options, ignoreCase: true };
    else if (flag === 'c') options = { ...options, ignoreCase: false };
    else if (flag === 'n') options = { ...options, dotAll: true };
    else if (flag === 'm') options = { ...options, multiline: true };
    else throw sqlFailure('INVALID_VALUE', call.text(index), 'flags');
  }
  return options;
}

const XML_ESCAPES: ReadonlyMap<string, string> = new Map([
  ["'", '&#39;'],
  ['"', '&quot;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['&', '&amp;'],
]);

function xmlText(text: string, environment: Polled, escapeNewLine = false): string {
  return escaped(text, environment, (character) => {
    const newLine = character === '\n' || character === '\r';
    const plain = character === '\t' || (newLine && !escapeNewLine) || (character >= ' ' && character <= '\x7f');
    return XML_ESCAPES.get(character) ?? (plain ? undefined : `&#x${character.charCodeAt(0).toString(16)};`);
  });
}

/** Indents every line by four spaces and ends the last one. */
function indented(text: string, environment: Polled): string {
  const result = new TextBuilder(environment.poll);
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at) + 1 || text.length;
    result.add('    ');
    result.add(text.slice(at, end));
    at = end;
  }
  if (!text.endsWith('\n')) result.add('\n');
  return result.toString();
}

function xmlNode(call: Call): string {
  const name = call.has(0) ? call.text(0) : 'null';
  const start = name + (call.has(1) ? call.text(1) : '');
  if (!call.has(2)) return `<${start}/>\n`;
  const content = call.text(2);
  checkTextLength(start.length + name.length + content.length);
  const inner =
    (call.data(3) ?? true) === true && content.includes('\n') ? `\n${indented(content, call.environment)}` : content;
  checkTextLength(start.length + name.length + inner.length);
  return `<${start}>${inner}</${name}>\n`;
}

/** Writes a comment. A space separates two dashes, which would end it. */
function xmlComment(text: string, environment: Polled): string {
  const result = new TextBuilder(environment.poll);
  let copied = 0;
  for (let at = text.indexOf('--'); at >= 0; at = text.indexOf('--', copied)) {
    result.add(text.slice(copied, at + 1));
    result.add(' ');
    copied = at + 1;
  }
  result.add(text.slice(copied));
  const safe = result.toString();
  return safe.includes('\n') ? `<!--\n${indented(safe, environment)}-->\n` : `<!-- ${safe} -->\n`;
}

export const STRING_ENCODING_FUNCTIONS: readonly SqlFunction[] = defineFunctions('string', [
  ofText(['SOUNDEX'], 'Returns four characters that describe the sound of an English word.', soundex),
  {
    names: ['DIFFERENCE'],
    count: 2,
    argumentTypes: ['VARCHAR'],
    result: INTEGER,
    summary: 'Returns how many of the four characters of SOUNDEX two strings share.',
    compute: (call) => {
      const other = soundex(call.text(1));
      return BigInt([...soundex(call.text(0))].filter((character, at) => character === other[at]).length);
    },
  },
  ofText(['HEXTORAW'], 'Decodes hexadecimal digits, four per character.', hexToUnits),
  ofText(['RAWTOHEX'], 'Returns the hexadecimal digits of a string, four per character.', unitsToHex),
  ofText(['STRINGENCODE'], 'Escapes a string as a Java literal, without the quotes.', encodeJava, false),
  ofText(['STRINGDECODE'], 'Decodes the escapes of a Java literal.', decodeJava, false),
  {
    names: ['STRINGTOUTF8'],
    count: 1,
    argumentTypes: ['VARCHAR'],
    result: BINARY,
    summary: 'Encodes a string in UTF-8.',
    compute: (call) => {
      checkBinaryLength(Buffer.byteLength(call.text(0)));
      return new TextEncoder().encode(call.text(0));
    },
  },
  {
    names: ['UTF8TOSTRING'],
    count: 1,
    argumentTypes: ['BINARY'],
    result: VARCHAR,
    summary: 'Decodes bytes in UTF-8.',
    compute: (call) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(call.bytes(0)),
  },
  {
    names: ['REGEXP_REPLACE'],
    count: [3, 4],
    argumentTypes: ['VARCHAR'],
    result: VARCHAR,
    cheap: false,
    summary: 'Replaces all matches of a regular expression; flags are i, c, n and m.',
    compute: (call) =>
      regexReplace(call.text(0), call.text(1), call.text(2), optionsOf(call, 3), call.environment.poll),
  },
  {
    names: ['REGEXP_LIKE'],
    count: [2, 3],
    argumentTypes: ['VARCHAR'],
    result: BOOLEAN,
    cheap: false,
    summary: 'Reports whether a regular expression matches a part of a string; flags are i, c, n and m.',
    compute: (call) => regexFinds(call.text(0), call.text(1), optionsOf(call, 2), call.environment.poll),
  },
  {
    names: ['XMLATTR'],
    count: 2,
    argumentTypes: ['VARCHAR'],
    result: VARCHAR,
    cheap: false,
    summary: 'Returns an XML attribute, preceded by a space.',
    compute: (call) => {
      const value = xmlText(call.text(1), call.environment);
      checkTextLength(call.text(0).length + value.length);
      return ` ${call.text(0)}="${value}"`;
    },
  },
  {
    names: ['XMLNODE'],
    count: [1, 4],
    argumentTypes: ['VARCHAR', 'VARCHAR', 'VARCHAR', 'BOOLEAN'],
    result: VARCHAR,
    nullOnNull: false,
    cheap: false,
    summary: 'Returns an XML element with attributes and content; content of several lines is indented.',
    compute: xmlNode,
  },
  ofText(['XMLCOMMENT'], 'Returns an XML comment.', xmlComment, false),
  ofText(
    ['XMLCDATA'],
    'Returns an XML CDATA section, or escaped text when a section cannot hold the argument.',
    (text, environment) => (text.includes(']]>') ? xmlText(text, environment) : `<![CDATA[${text}]]>`),
    false,
  ),
  withoutArguments(['XMLSTARTDOC'], VARCHAR, 'Returns the XML declaration.', () => '<?xml version="1.0"?>\n'),
  {
    names: ['XMLTEXT'],
    count: [1, 2],
    argumentTypes: ['VARCHAR', 'BOOLEAN'],
    result: VARCHAR,
    cheap: false,
    summary: 'Escapes a string as XML text, with line breaks too when the second argument is true.',
    compute: (call) => xmlText(call.text(0), call.environment, call.data(1) === true),
  },
]);
