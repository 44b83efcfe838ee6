/** Decodes keys and values of requests. */
import { fail } from '../base/errors.ts';
import { ConversionFailure } from './conversion-failure.ts';
import { readCustom, readJava } from './custom.ts';
import { parseText } from './scalar-traits.ts';
import { resolveType } from './type-names.ts';
import { type TypeRegistry, text as textValue, type Value } from './value.ts';

/**
 * Decodes the text of a parameter such as `key` or `val` by the type that keyType or valueType declares; undefined and
 * the empty name mean string. JSON `null`, and the empty texts that Java reads as null, return the null value: the
 * parameter counts as absent. Throws CONVERSION with the type as the client wrote it.
 */
export function decodeTyped(
  text: string,
  declaredTypeName: string | undefined,
  registry: TypeRegistry,
  serviceName: string,
): Value {
  if (declaredTypeName === undefined || declaredTypeName === '' || declaredTypeName === 'string')
    return textValue(text);
  try {
    const resolved = resolveType(declaredTypeName, serviceName);
    if (resolved.kind === 'scalar') return parseText(resolved.type, text);
    if (resolved.kind === 'java') return readJava(resolved.shape, text);
    return readCustom(resolved.typeName, text, registry);
  } catch (error) {
    if (!(error instanceof ConversionFailure)) throw error;
    throw fail('CONVERSION', declaredTypeName, text, error.reason);
  }
}
