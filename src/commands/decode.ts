/** Compiles a decoder from the parameters that a command declares. */
import { fail } from '../base/errors.ts';
import type { RegisteredCommand } from './command.ts';
import type { CompatibilityFlags } from './compatibility-flags.ts';
import { keys, values } from './numbered-params.ts';
import { type NamedParameters, ParameterNames } from './parameter-names.ts';
import {
  cacheFlags,
  dates,
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

/** The arguments that are present, by name; those of commands on entries include the shared ones. */
export type DecodedArguments = Record<string, unknown>;

export interface Decoder {
  /**
   * Decodes the parameters that are present. Throws if one is invalid for its type, misspelt, or numbered with a gap.
   */
  read(source: Source): DecodedArguments;
  /** Throws PARAMETER_MISSING for the first required parameter that is absent. Runs after authentication. */
  require(args: DecodedArguments, flags: CompatibilityFlags): void;
}

/** The parameters that Ignite decodes for every command on entries, in this order (docs/spec/ignite-data.md 2.2). */
const SHARED: NamedParameters = [
  ['key', key],
  ['val', val],
  ['val2', optionalVal2],
  ['cacheFlags', cacheFlags],
  ['exp', exp],
  ['keys', keys],
  ['values', values],
];

/** Returns the decoder of a command for a service of that name. */
export function compileDecoder(command: RegisteredCommand, serviceName: string): Decoder {
  const declared = Object.entries(command.params);
  const byWireName = new Map(declared.map(([name, parameter]) => [parameter.name, name]));
  const onEntry = command.reading === 'entry';
  const reading: Array<readonly [string, Parameter<unknown>]> = [];
  if (onEntry) {
    for (const [name, parameter] of SHARED) {
      const own = byWireName.get(parameter.name);
      const ownParameter = own === undefined ? undefined : command.params[own];
      reading.push(own === undefined || ownParameter === undefined ? [name, parameter] : [own, ownParameter]);
    }
  }
  const shared = new Set(reading.map(([, parameter]) => parameter.name));
  for (const [name, parameter] of declared) {
    if (!shared.has(parameter.name)) reading.push([name, parameter]);
  }
  for (const common of [httpStatus, numbers, dates]) reading.push([common.name, common]);
  const required = declared.filter(([, parameter]) => parameter.required);
  const alternatives = declared.filter(([, { alternativeTo }]) => alternativeTo !== undefined);
  const names = new ParameterNames(command.name, declared, onEntry ? SHARED : [], serviceName);

  return {
    read(source) {
      const args: DecodedArguments = {};
      for (const [name, parameter] of reading) {
        const value = parameter.read(source);
        // Most are absent; storing undefined would cost time.
        if (value !== undefined) args[name] = value;
      }
      if (onEntry) checkCounts(args);
      for (const [name, { alternativeTo = '' }] of alternatives) {
        if (args[name] !== undefined && args[alternativeTo] !== undefined) {
          throw fail('PARAMETERS_EXCLUSIVE', alternativeTo, name);
        }
      }
      names.check(source, args);
      return args;
    },
    require(args, flags) {
      for (const [name, parameter] of required) {
        if (args[name] !== undefined || alternatives.some((each) => replaces(each, name, args))) continue;
        throw fail('PARAMETER_MISSING', parameter.missing, sentName(firstName(parameter), flags));
      }
    },
  };
}

/** Reports whether the arguments have `alternative` in the place of the parameter `name`. */
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
  if (values.length > keyCount) throw fail('MORE_VALUES_THAN_KEYS');
}
