/** The types of keys and values that query entities declare. */
import type { ObjectSchema } from '../values/value.ts';
import type { QueryEntity } from './grid.ts';

/** Returns the entity whose key or value has the type of that name, or else of that name in different case. */
export function entityOfType(entities: readonly QueryEntity[], typeName: string): QueryEntity | undefined {
  const folded = typeName.toLowerCase();
  return (
    entities.find(({ keyType, valueType }) => valueType === typeName || keyType === typeName) ??
    entities.find(({ keyType, valueType }) => [valueType, keyType].some((each) => each.toLowerCase() === folded))
  );
}

/** Returns the schema of an entity's key or value, whichever has the type name. */
export function schemaOf(entity: QueryEntity, typeName: string): ObjectSchema {
  const asKey = entity.valueType.toLowerCase() !== typeName.toLowerCase();
  const keyFields = entity.keyFields ?? [];
  return {
    typeName: asKey ? entity.keyType : entity.valueType,
    source: asKey ? 'entityKey' : 'entity',
    fields: entity.fields.filter((field) => keyFields.includes(field.name) === asKey),
  };
}
