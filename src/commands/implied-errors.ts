/** A command's errors: its own, and those implied by the rest of its declaration. */
import type { ErrorCode } from '../base/errors.ts';
import type { RegisteredCommand } from './command.ts';
import type { Parameter, ParameterKind } from './params.ts';

/** The errors for a value that does not have the kind. */
const INVALID: { readonly [K in ParameterKind]: readonly ErrorCode[] } = {
  string: [],
  choice: [],
  value: ['CONVERSION', 'LIMIT_EXCEEDED'],
  long: ['NOT_A_LONG'],
  boolean: ['NOT_A_BOOLEAN'],
  integer: ['NOT_AN_INTEGER'],
  number: ['NOT_A_NUMBER'],
  commands: ['REQUEST_MALFORMED'],
};

/** Returns a command's errors, except those that every request can have. */
export function declaredErrors({
  params,
  errors,
  reading,
  routing,
  access,
}: Pick<RegisteredCommand, 'params' | 'errors' | 'reading' | 'routing' | 'access'>): readonly ErrorCode[] {
  const isOfCache = reading === 'entry';
  return [
    ...new Set<ErrorCode>([
      ...Object.values(params).flatMap(errorsOfParameter),
      ...errors,
      ...(isOfCache ? (['CACHE_NOT_FOUND'] as const) : []),
      ...(routing === 'none' ? [] : (['CLUSTER_GROUP_EMPTY'] as const)),
      ...(isOfCache && access === 'write' ? (['READ_ONLY'] as const) : []),
      ...(isOfCache ? (['INACTIVE'] as const) : []),
    ]),
  ];
}

function errorsOfParameter({
  kind,
  invalid,
  required,
  readsAbsent,
  alternativeTo,
}: Parameter<unknown>): readonly ErrorCode[] {
  return [
    ...(required && !readsAbsent ? (['PARAMETER_MISSING'] as const) : []),
    ...(invalid === undefined ? INVALID[kind] : [invalid]),
    ...(alternativeTo === undefined ? [] : (['PARAMETERS_EXCLUSIVE'] as const)),
  ];
}
