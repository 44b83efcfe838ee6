/** Conditions on entity tags: a request identifies the value that it expects by the tag of its representation. */
import { entityTag, listsTag } from '../base/entity-tag.ts';
import type { Value } from '../values/value.ts';
import type { Context } from './context.ts';
import { optionalString, type Parameter } from './params.ts';
import { writeValue } from './reply.ts';

/** Declares the parameter that identifies the expected value instead of another parameter. */
export function etagInsteadOf(alternativeTo: string): Parameter<string | undefined> {
  const summary =
    `Entity tag of the expected current value, in place of \`${alternativeTo}\`: the ETag that GET of the entry's ` +
    'resource returned, or a list of tags. Not allowed in an atomic batch.';
  return { ...optionalString('etag', summary), alternativeTo };
}

/** Returns the current value of a key if its tag is in a list. */
export async function valueOfTag(
  cacheName: string,
  key: Value,
  tags: string,
  context: Context,
): Promise<Value | undefined> {
  const value = await context.call({ kind: 'get', cache: cacheName, key });
  if (value === undefined) return undefined;
  return listsTag(tags, entityTag(writeValue(value, context)), false) ? value : undefined;
}
