/** How a parameter's text becomes a key or a value. */
import { fail } from '../base/errors.ts';
import { ConversionFailure } from './conversion-failure.ts';
import { readCustom, readJava } from './custom.ts';
import { parseText } from './scalar-traits.ts';
import { resolveType } from './type-names.ts';
import { type TypeRegistry, text as textValue, type Value } from './value.ts';

/** Characters of a refused text that the message shows. */
const SHOWN_CHARACTERS = 1_000;

/**
 * Reads the text of `key`, `val` and the like by the type that keyType or valueType declares; undefined and the empty
 * name stand for string. JSON `null` (and Java's empty texts for it) gives the null value: the parameter counts as
 * absent. Refuses CONVERSION with the type as the client wrote it.
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
    const shown = text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}...` : text;
    throw fail('CONVERSION', declaredTypeName, shown, error.reason);
  }
}
