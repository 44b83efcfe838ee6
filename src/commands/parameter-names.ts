/**
 * Checks a request's parameter names against the declaration of its command: a misspelt name, or a gap in numbered
 * parameters, must not silently change what a command does (docs/differences.md, rows 37 and 38).
 */
import { gridError } from '../base/errors.ts';
import { MAX_NAME_CHARACTERS, PARAMETER_COMPARISONS } from '../base/limits.ts';
import { misspeltName, prepareName } from '../base/nearest.ts';
import type { CommandDeclaration } from './command.ts';
import type { Parameter, Source } from './params.ts';
import { COMMANDS } from './registry.ts';

/** Parameters that every request may have, besides the credentials `<service>.login` and `<service>.password`. */
const COMMON_NAMES = ['cmd', 'httpStatus', 'errors', 'numbers', 'dates', 'sessionToken', 'user', 'password', 'destId'];

/** The most digits of a numbered parameter that are read as a number. */
const NUMBER_DIGITS = 9;
const ZERO = 48;

/** A numbered parameter: `k` of k1, k2 ... */
interface Numbered {
  readonly stem: string;
  readonly typeSuffix: string | undefined;
  /** The name of the decoded argument, an array. */
  readonly argument: string;
  /** Whether the command itself declares it. */
  readonly declared: boolean;
}

/** A command's parameters by argument name. */
export type NamedParameters = ReadonlyArray<readonly [argument: string, parameter: Parameter<unknown>]>;

/** The names that a command accepts. */
export class ParameterNames {
  readonly #command: string;
  /** The names that need no check: the declared ones, and the common ones. */
  readonly known: ReadonlySet<string>;
  readonly #numbered: readonly Numbered[];
  /** The names that a misspelt one may have been meant to be. */
  readonly #suggested: ReadonlyArray<ReturnType<typeof prepareName>>;

  /** The command's own names. */
  readonly #declared: readonly string[];
  /** The declared names, if the command rejects all others. */
  readonly #only: string | undefined;

  /** `declared` are the command's own parameters; `shared` are decoded for every command of its kind. */
  constructor(
    { name, rejectsUndeclared }: Pick<CommandDeclaration, 'name' | 'rejectsUndeclared'>,
    declared: NamedParameters,
    shared: NamedParameters,
    serviceName: string,
  ) {
    this.#command = name;
    this.#declared = fixedNames(declared);
    this.#only = rejectsUndeclared === true ? this.#declared.join(', ') : undefined;
    const common = [...COMMON_NAMES, `${serviceName}.login`, `${serviceName}.password`];
    const own = new Set([...common, ...this.#declared]);
    this.known = new Set([...own, ...fixedNames(shared)]);
    this.#suggested = [...own].map(prepareName);
    const others = shared.filter(([, { name }]) => declared.every(([, each]) => each.name !== name));
    this.#numbered = [...numberedOf(declared, true), ...numberedOf(others, false)];
  }

  /**
   * Returns the number of numbered parameters among the decoded arguments. If a request has as many names that need a
   * check, it has no others: each argument was read from a separate name.
   */
  countNumbered(args: Readonly<Record<string, unknown>>): number {
    let count = 0;
    for (const { argument } of this.#numbered) {
      const values = args[argument];
      if (Array.isArray(values)) count += values.length;
    }
    return count;
  }

  /**
   * Throws PARAMETER_UNKNOWN for a misspelt name, or for any undeclared one if the service or command is strict, and
   * PARAMETER_GAP for a numbered parameter that follows a missing one. `args` are the decoded arguments.
   */
  check(source: Source, args: Readonly<Record<string, unknown>>): void {
    // Ignite ignores misspelt names, and numbers after a gap (docs/differences.md, rows 37 and 38).
    const isLenient = source.compatibility === 'reference';
    const checksNames = !isLenient || source.strictParameters || this.#only !== undefined;
    if (isLenient && !checksNames) return;
    let budget: { left: number } | undefined;
    for (const name of source.params.keys()) {
      if (this.known.has(name)) continue;
      const gap = this.#gapBefore(name, args);
      if (gap === '') continue;
      if (gap !== undefined) {
        if (!isLenient) throw gridError('PARAMETER_GAP', gap, name);
      } else if (checksNames) {
        budget ??= { left: PARAMETER_COMPARISONS };
        this.#checkUndeclared(name, source, budget);
      }
    }
  }

  /**
   * Returns the missing parameter before a numbered one, the empty string if none is missing, and undefined if `name`
   * is not a numbered parameter.
   */
  #gapBefore(name: string, args: Readonly<Record<string, unknown>>): string | undefined {
    for (const { stem, typeSuffix, argument, declared } of this.#numbered) {
      const number = numberOf(name, stem, typeSuffix);
      if (number === 0) continue;
      if (!declared) return '';
      const values = args[argument];
      const next = (Array.isArray(values) ? values.length : 0) + 1;
      // The next one was itself null, which counts as absent, or is only a type.
      return number > next ? `${stem}${next}` : '';
    }
    return undefined;
  }

  #checkUndeclared(name: string, source: Source, budget: { left: number }): void {
    const meant = name.length > MAX_NAME_CHARACTERS ? undefined : this.#meantBy(name, budget);
    if (budget.left < 0) {
      throw gridError('LIMIT_EXCEEDED', 'undeclared parameters', PARAMETER_COMPARISONS, source.params.size, 'fixed');
    }
    if (meant !== undefined || source.strictParameters || this.#only !== undefined) {
      throw gridError('PARAMETER_UNKNOWN', name, meant, this.#only);
    }
    source.ignored(this.#command, name);
  }

  /** Returns the declared name that `name` was probably meant to be. */
  #meantBy(name: string, budget: { left: number }): string | undefined {
    const given = prepareName(name);
    const badNumber = this.#badlyNumbered(given.lower);
    if (badNumber !== undefined) return badNumber;
    const isOthers = declaredByOthers(name);
    const misspelt = isOthers ? undefined : misspeltName(given, this.#candidates(given.lower), budget);
    if (misspelt !== undefined) return misspelt;
    const isMeant = (declared: string): boolean =>
      isPartOf(declared, given.lower) || (!isOthers && isPartOf(name, declared.toLowerCase()));
    return this.#declared.find(isMeant);
  }

  /** Returns `k1` for `K1`, `k01` and `k0`. */
  #badlyNumbered(lower: string): string | undefined {
    for (const { stem, typeSuffix = '' } of this.#numbered) {
      const digits = digitsBetween(lower, stem, typeSuffix.toLowerCase()) ?? digitsBetween(lower, stem, '');
      if (digits === undefined) continue;
      const suffix = lower.endsWith(digits) ? '' : typeSuffix;
      return `${stem}${plainNumber(digits)}${suffix}`;
    }
    return undefined;
  }

  /** The names to compare with: the fixed ones, and the numbered ones with the number in `lower`. */
  *#candidates(lower: string): Iterable<ReturnType<typeof prepareName>> {
    yield* this.#suggested;
    const number = plainNumber(/\d+/.exec(lower)?.[0] ?? '1');
    for (const { stem, typeSuffix, declared } of this.#numbered) {
      if (!declared) continue;
      yield prepareName(`${stem}${number}`);
      if (typeSuffix !== undefined) yield prepareName(`${stem}${number}${typeSuffix}`);
    }
  }
}

/** Shorter parts of names, such as `key`, are too common to be mistakes. */
const MIN_PART = 4;

/** Reports whether a string in lower case is the first or last words of a name: `cache` and `name` of cacheName. */
function isPartOf(name: string, lower: string): boolean {
  const rest = name.length - lower.length;
  if (rest <= 0 || lower.length < MIN_PART) return false;
  const isUpper = (at: number): boolean => name[at] !== name[at]?.toLowerCase();
  const whole = name.toLowerCase();
  return (whole.startsWith(lower) && isUpper(lower.length)) || (whole.endsWith(lower) && isUpper(rest));
}

function fixedNames(parameters: NamedParameters): string[] {
  return parameters.flatMap(([, { name, numbered, typedBy }]) => [
    ...(numbered ? [] : [name]),
    ...(typedBy === undefined ? [] : [typedBy]),
  ]);
}

function numberedOf(parameters: NamedParameters, declared: boolean): Numbered[] {
  return parameters
    .filter(([, { numbered }]) => numbered)
    .map(([argument, { name, typeSuffix }]) => ({ stem: name, typeSuffix, argument, declared }));
}

/** Returns the number of a numbered parameter: 12 for `k12`. Returns 0 if `name` is not one, or has a leading zero. */
function numberOf(name: string, stem: string, typeSuffix: string | undefined): number {
  if (!name.startsWith(stem)) return 0;
  const isType = typeSuffix !== undefined && name.endsWith(typeSuffix);
  const end = isType ? name.length - typeSuffix.length : name.length;
  if (end === stem.length || end - stem.length > NUMBER_DIGITS || name.charCodeAt(stem.length) === ZERO) return 0;
  let number = 0;
  for (let at = stem.length; at < end; at++) {
    const digit = name.charCodeAt(at) - ZERO;
    if (digit < 0 || digit > 9) return 0;
    number = number * 10 + digit;
  }
  return number;
}

/** Returns the digits between a stem and a suffix, or undefined if there is anything else. */
function digitsBetween(lower: string, stem: string, suffix: string): string | undefined {
  if (!lower.startsWith(stem) || !lower.endsWith(suffix)) return undefined;
  const digits = lower.slice(stem.length, lower.length - suffix.length);
  return /^\d+$/.test(digits) ? digits : undefined;
}

/** Returns digits without leading zeros; `1` for zero. */
function plainNumber(digits: string): string {
  return digits.replace(/^0+/, '').slice(0, NUMBER_DIGITS) || '1';
}

/** The names of all commands, with numbered parameters as number 1. Created on first use. */
let declaredNames: ReadonlySet<string> | undefined;

/** Reports whether any command declares the name. Clients may send the same parameters with every command. */
function declaredByOthers(name: string): boolean {
  declaredNames ??= new Set(
    COMMANDS.flatMap(({ params }) => {
      const parameters = Object.entries(params);
      return [...fixedNames(parameters), ...numberedOf(parameters, true).map(({ stem }) => `${stem}1`)];
    }),
  );
  return declaredNames.has(name) || declaredNames.has(name.replace(/[1-9]\d*$/, '1'));
}
