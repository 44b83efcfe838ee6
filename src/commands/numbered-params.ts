/** Declares numbered parameters: keys and values, arguments of statements and of tasks. */
import { gridError } from '../base/errors.ts';
import { numberedNames } from '../base/numbered-names.ts';
import { decodeTyped, isStringType } from '../values/decode-parameter.ts';
import { formatText } from '../values/json.ts';
import { text as textValue, type Value } from '../values/value.ts';
import { checkedByHandler, type Parameter, PLAIN, readTyped, type Source } from './params.ts';

/** Declares k1..kN or v1..vN, decoded up to the first gap. */
function numberedValues(
  stem: string,
  typedBy: 'keyType' | 'valueType',
  missing: string,
  summary: string,
): Parameter<readonly Value[]> {
  const nameOf = numberedNames(stem);
  // Looked up for every command on entries, so the name is built once.
  const first = nameOf(1);
  function readAll(source: Source): Value[] {
    const values: Value[] = [];
    const { params, limits, onReceive } = source;
    const isPlainText = onReceive === undefined && source.implied === undefined && isStringType(params.get(typedBy));
    const characters = typedBy === 'keyType' ? limits.keyCharacters : limits.valueCharacters;
    for (let i = 1; ; i++) {
      const name = nameOf(i);
      const text = params.get(name);
      if (text === undefined) return values;
      if (i > limits.keysPerCommand)
        throw gridError('LIMIT_EXCEEDED', 'keys', limits.keysPerCommand, i, 'keysPerCommand');
      if (isPlainText && text.length <= characters) {
        values.push(textValue(text));
        continue;
      }
      const value = readTyped(source, typedBy, text, name);
      if (value === undefined) return values;
      values.push(value);
    }
  }
  return {
    ...PLAIN,
    name: stem,
    kind: 'value',
    numbered: true,
    required: true,
    missing,
    typedBy,
    summary,
    read(source) {
      return source.params.has(first) ? readAll(source) : undefined;
    },
  };
}

/** A task's arguments: p1..pN, converted by the message interceptor like keys and values. */
export const taskArguments: Parameter<readonly string[]> = {
  ...PLAIN,
  name: 'p',
  kind: 'string',
  numbered: true,
  missing: 'p',
  readsAbsent: true,
  summary: 'Arguments of the task, numbered from 1 without gaps.',
  read({ params, onReceive }) {
    const texts: string[] = [];
    for (let given = params.get('p1'); given !== undefined; given = params.get(`p${texts.length + 1}`)) {
      texts.push(onReceive === undefined ? given : formatText(onReceive(textValue(given))));
    }
    return texts;
  },
};

export const keys = numberedValues('k', 'keyType', 'keys', 'Keys, numbered from 1 without gaps.');
/** The keys of putall; the error text names the values instead (docs/spec/ignite-data.md 2.2). */
export const keysOfValues: Parameter<readonly Value[]> = { ...keys, missing: 'values' };
export const values: Parameter<readonly Value[] | undefined> = {
  ...checkedByHandler(numberedValues('v', 'valueType', 'values', 'Values, numbered like the keys.')),
};
const argumentNames = (number: number): readonly [string, string] => [`arg${number}`, `arg${number}Type`];
/** The names of the first 32 arguments, built once. */
const ARGUMENT_NAMES = Array.from({ length: 33 }, (_, number) => argumentNames(number));

/** A statement's arguments: arg1..argN, strings unless arg1Type .. names a type (`null` means SQL NULL). */
export const queryArguments: Parameter<readonly Value[]> = {
  ...PLAIN,
  name: 'arg',
  kind: 'value',
  numbered: true,
  typeSuffix: 'Type',
  missing: 'arg',
  readsAbsent: true,
  summary: 'Arguments of the statement, numbered from 1. `arg1Type` ... name their types (default: string).',
  read: readArguments,
};

function readArguments(source: Source): Value[] {
  const values: Value[] = [];
  for (let i = 1; ; i++) {
    const [name, typeName] = ARGUMENT_NAMES[i] ?? argumentNames(i);
    const type = source.params.get(typeName);
    if (type === 'null') {
      values.push({ type: 'null' });
      continue;
    }
    const text = source.params.get(name);
    if (text === undefined) return values;
    const { valueCharacters } = source.limits;
    if (text.length > valueCharacters)
      throw gridError('LIMIT_EXCEEDED', `characters of ${name}`, valueCharacters, text.length, 'valueCharacters');
    const types = (type === undefined ? undefined : source.argumentTypes) ?? source.registry;
    const value = decodeTyped(text, type, types, source.serviceName, name, source.compatibility);
    values.push(source.onReceive === undefined ? value : source.onReceive(value));
  }
}
