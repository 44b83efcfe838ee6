/** Validates JSON values against the schemas of the service's own descriptions (JSON Schema 2020-12). */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** A schema as an OpenAPI document contains it. */
export type Schema = Readonly<Record<string, unknown>>;

// strictSchema throws for a keyword or format that the validator does not know.
const ajv = new Ajv2020({ strictSchema: true, strictTypes: false, allErrors: true });
addFormats.default(ajv);
ajv.addVocabulary(['components', 'example']);

const validators = new WeakMap<Schema, ValidateFunction>();

/**
 * Returns the errors in `value`, a sentence for each, or an empty array. `root` holds what the schema's
 * references point into. Throws for a schema that is invalid itself.
 */
export function schemaErrors(schema: Schema, value: unknown, root: Schema = {}): string[] {
  let validate = validators.get(schema);
  if (validate === undefined) {
    validate = ajv.compile({ ...schema, ...root });
    validators.set(schema, validate);
  }
  return validate(value) ? [] : (validate.errors ?? []).map(sentenceOf);
}

function sentenceOf({ instancePath, message = 'is invalid', params }: ErrorObject): string {
  return `${instancePath === '' ? 'the value' : instancePath} ${message} ${JSON.stringify(params)}`;
}
