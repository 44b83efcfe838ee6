/** Finds parts of stored objects without reading the whole of them. */
import { findItem, type JsonItem, type PathStep } from '../../../sql/types/json-path.ts';
import { type StorageValue, storageValueText, TYPE_CODES, untag } from './value-storage.ts';

/** Returns the part of an object to which a path of at least one step leads; undefined: it leads to none. */
export function findStored(fields: StorageValue, steps: readonly PathStep[]): JsonItem | undefined {
  const items: unknown = JSON.parse(storageValueText(fields));
  if (!Array.isArray(items)) return undefined;
  let part: unknown = fieldOf(items, 0, steps[0]);
  for (let at = 1; at < steps.length; at++) {
    if (part === undefined) return undefined;
    if (!Array.isArray(part) || part[0] !== TYPE_CODES.object) return findItem(itemOf(part), steps.slice(at));
    part = fieldOf(part, OBJECT_FIELDS, steps[at]);
  }
  return part === undefined ? undefined : itemOf(part);
}

/** Where the fields of an object within another one begin: behind its code and its type. */
const OBJECT_FIELDS = 2;

function fieldOf(items: readonly unknown[], from: number, name: PathStep | undefined): unknown {
  for (let at = from; at < items.length; at += 2) if (items[at] === name) return items[at + 1];
  return undefined;
}

function itemOf(tagged: unknown): JsonItem {
  return { kind: 'value', value: untag(tagged) };
}
