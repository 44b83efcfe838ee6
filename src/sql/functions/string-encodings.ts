/** Functions on texts that encode, decode, describe the sound, match patterns, and make XML. */
import { conversionFailure, invalidValue, quoted } from '../types/data-failures.ts';
import { SqlFailure, type SqlFunction } from '../types/sql-types.ts';
import { BINARY, BOOLEAN, type Call, checkTextLength, defineFunctions, INTEGER, VARCHAR } from './definition.ts';
import { type RegexOptions, regexFinds, regexReplace } from './java-regex.ts';

/** Group of sound of the letters from A to Z; 7 is a vowel, 8 a letter that is passed over. */
const SOUNDS = '71237128722455712623718272';

/** Four characters: the first letter and the groups of sound that follow. */
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
  let hex = '';
  for (let at = 0; at < text.length; at += 1) hex += text.charCodeAt(at).toString(16).padStart(4, '0');
  return hex;
}

function hexToUnits(text: string): string {
  if (!/^(?:[0-9a-fA-F]{4})*$/.test(text)) throw conversionFailure(text);
  return text.replace(/.{4}/g, (hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}

const JAVA_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\f', '\\f'],
  ['\r', '\\r'],
  ['"', '\\"'],
  ['\\', '\\\\'],
]);

function encodeJava(text: string): string {
  let result = '';
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    const plain = character >= ' ' && character < '\x80';
    result += JAVA_ESCAPES.get(character) ?? (plain ? character : `\\u${unitsToHex(character)}`);
  }
  return result;
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

function decodeJava(text: string): string {
  let result = '';
  for (let at = 0; at < text.length; at += 1) {
    if (text.charAt(at) !== '\\') {
      result += text.charAt(at);
      continue;
    }
    if (at + 1 >= text.length) throw badEscape(text, at);
    at += 1;
    const plain = JAVA_UNESCAPES.get(text.charAt(at));
    const code = /^(?:u([0-9a-fA-F]{4})|([0-7]{3}))/.exec(text.slice(at));
    if (plain !== undefined) result += plain;
    else if (code === null) throw badEscape(text, at);
    else {
      result += String.fromCharCode(
        code[1] === undefined ? Number.parseInt(code[2] ?? '0', 8) : Number.parseInt(code[1], 16),
      );
      at += code[0].length - 1;
    }
  }
  return result;
}

function badEscape(text: string, at: number): SqlFailure {
  return new SqlFailure(`String format error: ${quoted(`${text.slice(0, at)}[*]${text.slice(at)}`)}`, 90095);
}

function optionsOf(call: Call, index: number): RegexOptions {
  let options: RegexOptions = {};
  for (const flag of call.count > index ? call.text(index) : '') {
    if (flag === 'i') options = { ...options, ignoreCase: true };
    else if (flag === 'c') options = { ...options, ignoreCase: false };
    else if (flag === 'n') options = { ...options, dotAll: true };
    else if (flag === 'm') options = { ...options, multiline: true };
    else throw invalidValue(call.text(index), 'flags');
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

function xmlText(text: string, escapeNewLine = false): string {
  let result = '';
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    const newLine = character === '\n' || character === '\r';
    const plain = character === '\t' || (newLine && !escapeNewLine) || (character >= ' ' && character <= '\x7f');
    result += XML_ESCAPES.get(character) ?? (plain ? character : `&#x${character.charCodeAt(0).toString(16)};`);
  }
  return result;
}

function indented(text: string): string {
  const lines = text.replace(/[^\n]*\n|[^\n]+$/g, (line) => `    ${line}`);
  return lines.endsWith('\n') ? lines : `${lines}\n`;
}

function xmlNode(call: Call): string {
  const name = call.has(0) ? call.text(0) : 'null';
  const start = name + (call.has(1) ? call.text(1) : '');
  if (!call.has(2)) return `<${start}/>\n`;
  const content = call.text(2);
  const inner = (call.data(3) ?? true) === true && content.includes('\n') ? `\n${indented(content)}` : content;
  return `<${start}>${inner}</${name}>\n`;
}

function xmlComment(text: string): string {
  const safe = text.replace(/-(?=-)/g, '- ');
  return safe.includes('\n') ? `<!--\n${indented(safe)}-->\n` : `<!-- ${safe} -->\n`;
}

export const STRING_ENCODING_FUNCTIONS: readonly SqlFunction[] = defineFunctions('string', [
  {
    names: ['SOUNDEX'],
    count: 1,
    takes: ['VARCHAR'],
    gives: VARCHAR,
    summary: 'Four characters that describe the sound of an English word.',
    compute: (call) => soundex(call.text(0)),
  },
  {
    names: ['DIFFERENCE'],
    count: 2,
    takes: ['VARCHAR'],
    gives: INTEGER,
    summary: 'How many of the four characters of SOUNDEX two texts have in common.',
    compute: (call) => {
      const other = soundex(call.text(1));
      return BigInt([...soundex(call.text(0))].filter((character, at) => character === other[at]).length);
    },
  },
  {
    names: ['HEXTORAW'],
    count: 1,
    takes: ['VARCHAR'],
    gives: VARCHAR,
    summary: 'The text of hexadecimal digits, four for each character.',
    compute: (call) => hexToUnits(call.text(0)),
  },
  {
    names: ['RAWTOHEX'],
    count: 1,
    takes: ['VARCHAR'],
    gives: VARCHAR,
    summary: 'Hexadecimal digits of a text, four for each character.',
    compute: (call) => {
      checkTextLength(call.text(0).length * 4);
      return unitsToHex(call.text(0));
    },
  },
  {
    names: ['STRINGENCODE'],
    count: 1,
    takes: ['VARCHAR'],
    gives: VARCHAR,
    summary: 'The text as a literal of Java, without its quotes.',
    compute: (call) => encodeJava(call.text(0)),
  },
  {
    names: ['STRINGDECODE'],
    count: 1,
    takes: ['VARCHAR'],
    gives: VARCHAR,
    summary: 'The text that a literal of Java stands for.',
    compute: (call) => decodeJava(call.text(0)),
  },
  {
    names: ['STRINGTOUTF8'],
    count: 1,
    takes: ['VARCHAR'],
    gives: BINARY,
    summary: 'The bytes of a text in UTF-8.',
    compute: (call) => new TextEncoder().encode(call.text(0)),
  },
  {
    names: ['UTF8TOSTRING'],
    count: 1,
    takes: ['BINARY'],
    gives: VARCHAR,
    summary: 'The text of bytes in UTF-8.',
    compute: (call) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(call.bytes(0)),
  },
  {
    names: ['REGEXP_REPLACE'],
    count: [3, 4],
    takes: ['VARCHAR'],
    gives: VARCHAR,
    summary: 'Replaces every occurrence of a regular expression; flags are i, c, n and m.',
    compute: (call) =>
      regexReplace(call.text(0), call.text(1), call.text(2), optionsOf(call, 3), call.environment.poll),
  },
  {
    names: ['REGEXP_LIKE'],
    count: [2, 3],
    takes: ['VARCHAR'],
    gives: BOOLEAN,
    summary: 'Whether a regular expression occurs in a text; flags are i, c, n and m.',
    compute: (call) => regexFinds(call.text(0), call.text(1), optionsOf(call, 2), call.environment.poll),
  },
  {
    names: ['XMLATTR'],
    count: 2,
    takes: ['VARCHAR'],
    gives: VARCHAR,
    summary: 'An attribute of XML, with a blank before it.',
    compute: (call) => ` ${call.text(0)}="${xmlText(call.text(1))}"`,
  },
  {
    names: ['XMLNODE'],
    count: [1, 4],
    takes: ['VARCHAR', 'VARCHAR', 'VARCHAR', 'BOOLEAN'],
    gives: VARCHAR,
    nullOnNull: false,
    summary: 'An element of XML with attributes and content, several lines of which are indented.',
    compute: xmlNode,
  },
  {
    names: ['XMLCOMMENT'],
    count: 1,
    takes: ['VARCHAR'],
    gives: VARCHAR,
    summary: 'A comment of XML.',
    compute: (call) => xmlComment(call.text(0)),
  },
  {
    names: ['XMLCDATA'],
    count: 1,
    takes: ['VARCHAR'],
    gives: VARCHAR,
    summary: 'A CDATA section of XML; escaped text when the section cannot hold it.',
    compute: (call) => (call.text(0).includes(']]>') ? xmlText(call.text(0)) : `<![CDATA[${call.text(0)}]]>`),
  },
  {
    names: ['XMLSTARTDOC'],
    count: 0,
    gives: VARCHAR,
    summary: 'The declaration that begins a document of XML.',
    compute: () => '<?xml version="1.0"?>\n',
  },
  {
    names: ['XMLTEXT'],
    count: [1, 2],
    takes: ['VARCHAR', 'BOOLEAN'],
    gives: VARCHAR,
    summary: 'Text of XML; new lines are escaped too when the second argument is true.',
    compute: (call) => xmlText(call.text(0), call.data(1) === true),
  },
]);
