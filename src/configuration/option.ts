/** An option: parses its string and its value in a configuration file, and describes itself. */

import { isAddress, NOT_A_PATH } from '../base/local-path.ts';
import { parseRate, RATE_FORM } from '../base/rates.ts';
import { withoutUrlSecrets } from '../base/url-secrets.ts';

/** Where an option's value was found; error messages begin with it. */
export type ValueOrigin = string;

/** An invalid option, key or value. The message names the location and the allowed values. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';

  /** Credentials in URLs are masked in the message. */
  constructor(message: string, options?: ErrorOptions) {
    super(withoutUrlSecrets(message), options);
  }
}

/** Resolves a path relative to the folder of its source. */
export type ResolvePath = (path: string) => string;

export interface Option<T> {
  readonly kind: 'text' | 'path' | 'integer' | 'boolean' | 'choice' | 'list' | 'paths';
  /** Description of the allowed values. */
  readonly allowed: string;
  /** The JSON Schema of a value in a configuration file. */
  readonly schema: Readonly<Record<string, unknown>>;
  readonly help: string;
  /**
   * Whether the option is a secret. A secret has no flag, because process lists show flags; a `..._FILE` variable can
   * name a file that contains it.
   */
  readonly secret: boolean;
  /** Environment name, where the contract defines one. */
  readonly environment: string | undefined;
  readonly default: T;
  /** The default in descriptions. */
  readonly defaultText: string;
  /** For a limit: the error codes when it is exceeded, or a description of the effect. */
  readonly beyond: string | readonly string[] | undefined;
  /** The unit of a limit, if its name does not say it. */
  readonly unit: string | undefined;
  /** Returns undefined if the string is not an allowed value. */
  fromText(text: string, resolve: ResolvePath): NonNullable<T> | undefined;
  /** Does the same for a value of a configuration file. */
  fromValue(value: unknown, resolve: ResolvePath): NonNullable<T> | undefined;
}

/** Only an option whose value may be undefined can be described without a default. */
type Description<T> = Words<T> & (undefined extends T ? unknown : { readonly default: T });

interface Words<T> {
  readonly help: string;
  readonly default?: T;
  readonly defaultText?: string;
  readonly environment?: string;
  readonly secret?: boolean;
  readonly beyond?: string | readonly string[];
  readonly unit?: string;
}

function describe<T>(
  kind: Option<T>['kind'],
  allowed: string,
  schema: Readonly<Record<string, unknown>>,
  description: Description<T>,
) {
  const { help, environment, secret = false, defaultText, beyond, unit } = description;
  return {
    kind,
    allowed,
    schema,
    help,
    secret,
    environment,
    beyond,
    unit,
    default: description.default as T,
    defaultText: defaultText ?? (description.default === undefined ? 'none' : String(description.default)),
  };
}

const NOT_EMPTY = { type: 'string', minLength: 1 };

/** A string that is not empty. */
export function text<T extends string | undefined>(description: Description<T>): Option<T> {
  const fromText = (value: string) => (value === '' ? undefined : (value as NonNullable<T>));
  return {
    ...describe('text', 'a string', NOT_EMPTY, description),
    fromText,
    fromValue: (value) => (typeof value === 'string' ? fromText(value) : undefined),
  };
}

/** A string that matches a pattern. */
export function pattern<T extends string | undefined>(
  expression: RegExp,
  allowed: string,
  description: Description<T>,
): Option<T> {
  const fromText = (value: string) => (expression.test(value) ? (value as NonNullable<T>) : undefined);
  return {
    ...describe('text', allowed, { type: 'string', pattern: expression.source }, description),
    fromText,
    fromValue: (value) => (typeof value === 'string' ? fromText(value) : undefined),
  };
}

/** A path, resolved to an absolute one. */
export function path<T extends string | undefined>(description: Description<T>): Option<T> {
  const fromText = (value: string, resolve: ResolvePath) =>
    value === '' || isAddress(value) ? undefined : (resolve(value) as NonNullable<T>);
  return {
    ...describe('path', NOT_A_PATH, NOT_EMPTY, description),
    fromText,
    fromValue: (value, resolve) => (typeof value === 'string' ? fromText(value, resolve) : undefined),
  };
}

/** A path, resolved to an absolute one, or a URL with one of the schemes. */
export function pathOrUrl<T extends string | undefined>(
  description: Description<T>,
  schemes = /^https?:\/\//i,
  allowed = 'a path or a URL',
): Option<T> {
  const { fromText, ...file } = path<T>(description);
  const read = (value: string, resolve: ResolvePath) =>
    schemes.test(value) ? (value as NonNullable<T>) : fromText(value, resolve);
  return {
    ...file,
    allowed,
    fromText: read,
    fromValue: (value, resolve) => (typeof value === 'string' ? read(value, resolve) : undefined),
  };
}

/** A whole number within bounds, both inclusive. */
export function integer<T extends number | undefined>(
  least: number,
  most: number,
  description: Description<T>,
): Option<T> {
  const check = (value: number) =>
    Number.isSafeInteger(value) && value >= least && value <= most ? (value as NonNullable<T>) : undefined;
  const bounds = most === Number.MAX_SAFE_INTEGER ? `of ${least} or more` : `from ${least} to ${most}`;
  return {
    ...describe('integer', `a whole number ${bounds}`, { type: 'integer', minimum: least, maximum: most }, description),
    fromText: (value) => (/^-?\d+$/.test(value) ? check(Number(value)) : undefined),
    fromValue: (value) => (typeof value === 'number' ? check(value) : undefined),
  };
}

export function boolean<T extends boolean | undefined>(description: Description<T>): Option<T> {
  const words: Readonly<Record<string, boolean>> = { true: true, false: false };
  return {
    ...describe('boolean', 'true, false', { type: 'boolean' }, description),
    fromText: (value) => words[value.toLowerCase()] as NonNullable<T> | undefined,
    fromValue: (value) => (typeof value === 'boolean' ? (value as NonNullable<T>) : undefined),
  };
}

/** One of several words. */
export function choice<const W extends string>(words: readonly W[], description: Description<NoInfer<W>>): Option<W> {
  const find = (value: unknown) => words.find((word) => word === value) as NonNullable<W> | undefined;
  return { ...describe<W>('choice', words.join(', '), { enum: words }, description), fromText: find, fromValue: find };
}

/** A list of strings, separated by commas on the command line and in the environment. */
export function list(description: Description<readonly string[]>): Option<readonly string[]> {
  return {
    ...describe(
      'list',
      'strings separated by commas',
      { type: 'array', items: NOT_EMPTY },
      {
        ...description,
        defaultText:
          description.defaultText ?? (description.default.length === 0 ? 'none' : description.default.join(',')),
      },
    ),
    fromText: (value) =>
      value
        .split(',')
        .map((each) => each.trim())
        .filter((each) => each !== ''),
    fromValue: (value) =>
      Array.isArray(value) && value.every((each) => typeof each === 'string' && each !== '') ? value : undefined,
  };
}

/** Requests per period: `100/s`. */
export function rate<T extends string | undefined>(description: Description<T>): Option<T> {
  const fromText = (value: string) => (parseRate(value) === undefined ? undefined : (value as NonNullable<T>));
  return {
    ...describe('text', RATE_FORM, NOT_EMPTY, description),
    fromText,
    fromValue: (value) => (typeof value === 'string' ? fromText(value) : undefined),
  };
}
