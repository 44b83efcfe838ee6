/** Compiles a decoder from the parameters that a command declares. */
import type { RequestCompatibility } from '../base/compatibility.ts';
import { GridError, gridError } from '../base/errors.ts';
import type { RegisteredCommand } from './command.ts';
import { keys, values } from './numbered-params.ts';
import { type NamedParameters, ParameterNames } from './parameter-names.ts';
import {
  cacheFlags,
  dates,
  errors,
  exp,
  httpStatus,
  key,
  numbers,
  optionalVal2,
  type Parameter,
  type Source,
  sentName,
  val,
} from './params.ts';

/** The arguments that are present, by name, including the shared ones for commands on entries. */
export type DecodedArguments = Record<string, unknown>;

/** A parameter with the name of its argument. */
interface Reader {
  readonly name: string;
  readonly parameter: Parameter<unknown>;
}

export interface Decoder {
  /**
   * Decodes the parameters that are present. Throws if one is invalid for its type, misspelt, or numbered with a gap.
   */
  read(source: Source): DecodedArguments;
  /** Throws PARAMETER_MISSING for the first required parameter that is absent. Runs after authentication. */
  require(args: DecodedArguments, flags: RequestCompatibility): void;
}

/** The parameters that Ignite decodes for every command on entries, in this order (docs/spec/ignite-data.md 2.2). */
const SHARED: NamedParameters = [
  ['key', key],
  ['val', val],
  ['val2', optionalVal2],
  ['cacheFlags', cacheFlags],
  ['exp', exp],
];

/** The parameters that it also decodes for commands on several entries. */
const SHARED_BY_BULK: NamedParameters = [
  ['keys', keys],
  ['values', values],
];

/** Returns the decoder of a command for a service with that name. */
export function compileDecoder(command: RegisteredCommand, serviceName: string): Decoder {
  const declared = Object.entries(command.params);
  const byWireName = new Map(declared.map(([name, parameter]) => [parameter.name, name]));
  const onEntry = command.reading === 'entry';
  const isBulk = onEntry && byWireName.has(keys.name);
  const readers = readersOf(command, byWireName, onEntry ? (isBulk ? [...SHARED, ...SHARED_BY_BULK] : SHARED) : []);
  const required = declared.filter(([, parameter]) => parameter.required);
  const alternatives = declared.filter(([, { alternativeTo }]) => alternativeTo !== undefined);
  const names = new ParameterNames(command, declared, onEntry ? [...SHARED, ...SHARED_BY_BULK] : [], serviceName);
  const bits = presenceBits(readers, names);
  const readAlways = readers.reduce((all, { parameter }, index) => all | (parameter.readsAbsent ? 1 << index : 0), 0);

  /** Checks the arguments together. Returns whether the names must be checked; `others` of them are undeclared. */
  function checkTogether(args: DecodedArguments, others: number): boolean {
    if (isBulk) checkCounts(args);
    for (const [name, { alternativeTo = '' }] of alternatives) {
      if (args[name] !== undefined && args[alternativeTo] !== undefined) {
        throw gridError('PARAMETERS_EXCLUSIVE', alternativeTo, name);
      }
    }
    return others > 0 && command.acceptsOthers !== true && others !== names.countNumbered(args);
  }

  return {
    read(source) {
      const args: DecodedArguments = {};
      let present = readAlways;
      let others = 0;
      for (const name of source.params.keys()) {
        const bit = bits.get(name);
        if (bit === undefined || (bit & UNDECLARED) !== 0) others++;
        if (bit !== undefined) present |= bit;
      }
      let reader: Reader | undefined;
      try {
        for (let index = 0; index < readers.length; index++) {
          reader = readers[index];
          if (reader === undefined || (present & (1 << index)) === 0) continue;
          const value = reader.parameter.read(source);
          // The parameter of another name, or an empty one, can be absent.
          if (value !== undefined) args[reader.name] = value;
        }
      } catch (error) {
        throw error instanceof GridError && reader !== undefined ? error.about(firstName(reader.parameter)) : error;
      }
      if (checkTogether(args, others)) names.check(source, args);
      return args;
    },
    require(args, flags) {
      for (const [name, parameter] of required) {
        if (args[name] !== undefined || alternatives.some((each) => replaces(each, name, args))) continue;
        const sent = firstName(parameter);
        throw gridError('PARAMETER_MISSING', parameter.missing, sentName(sent, flags)).about(sent);
      }
    },
  };
}

/** Returns the readers of a command's parameters in order: its kind's, its own, and the common ones. */
function readersOf(
  { params }: RegisteredCommand,
  byWireName: ReadonlyMap<string, string>,
  ofKind: NamedParameters,
): readonly Reader[] {
  const readers: Reader[] = [];
  for (const [name, parameter] of ofKind) {
    const own = byWireName.get(parameter.name);
    const ownParameter = own === undefined ? undefined : params[own];
    readers.push(
      own === undefined || ownParameter === undefined ? { name, parameter } : { name: own, parameter: ownParameter },
    );
  }
  const shared = new Set(readers.map(({ parameter }) => parameter.name));
  for (const [name, parameter] of Object.entries(params)) {
    if (!shared.has(parameter.name)) readers.push({ name, parameter });
  }
  for (const common of [httpStatus, errors, numbers, dates]) readers.push({ name: common.name, parameter: common });
  return readers;
}

/** The bit for names without a reader. */
const UNDECLARED = 1 << 30;

/** For each name in a request, the bits of the readers, by index, that it concerns. */
function presenceBits(readers: readonly Reader[], names: ParameterNames): ReadonlyMap<string, number> {
  if (readers.length > 30) throw new Error(`A command has ${readers.length} parameters, more than there are bits.`);
  const bits = new Map<string, number>();
  for (const name of names.known) bits.set(name, 0);
  readers.forEach(({ parameter }, index) => {
    const { replacement } = parameter;
    for (const each of [firstName(parameter), ...(replacement === undefined ? [] : [replacement])]) {
      const undeclared = names.known.has(each) ? 0 : UNDECLARED;
      bits.set(each, (bits.get(each) ?? undeclared) | (1 << index));
    }
  });
  return bits;
}

/** Reports whether the arguments have `alternative` instead of the parameter `name`. */
function replaces(
  [alternative, { alternativeTo }]: NamedParameters[number],
  name: string,
  args: DecodedArguments,
): boolean {
  return alternativeTo === name && args[alternative] !== undefined;
}

/** Returns the name of a parameter as clients send it: `k1` for the keys. */
function firstName({ name, numbered }: Parameter<unknown>): string {
  return numbered ? `${name}1` : name;
}

function checkCounts({ keys, values }: DecodedArguments): void {
  if (!Array.isArray(values)) return;
  const keyCount = Array.isArray(keys) ? keys.length : 0;
  if (values.length > keyCount) throw gridError('MORE_VALUES_THAN_KEYS');
}
