/** Selects and formats the attributes of a node that are shown (docs/spec/ignite-cluster.md 3). */
import type { AttributeValue } from '../../../grid/grid.ts';
import { formatText } from '../../../values/json.ts';
import type { Value } from '../../../values/value.ts';

const PRODUCT_PREFIXES = ['org.apache.ignite', 'plugins.'];
/** Java's system properties. Environment variables and user attributes are not shown. */
const SYSTEM_PROPERTY =
  /^(java|javax|jdk|sun|os|user|file|path|line|native|awt|http|https|ftp|socksProxy|stdout|stderr)\./;
/** Attributes that are never shown: configuration of caches, security, identity. */
const HIDDEN = new RegExp(
  [
    '^org\\.apache\\.ignite\\.(cache|tx|consistent\\.id|data\\.storage\\.config)$',
    '^org\\.apache\\.ignite\\.(security|binary)\\.',
    '[Cc]redentials',
    '[Ss]ecurity[Ss]ubject',
  ].join('|'),
);
const FEATURES = 'org.apache.ignite.features';
const DEPLOYMENT_MODE = /dep\.mode$/;
const DEPLOYMENT_MODES = ['PRIVATE', 'ISOLATED', 'SHARED', 'CONTINUOUS'];

/** Returns the attributes to show. */
export function shownAttributes(attributes: ReadonlyMap<string, Value>): Record<string, AttributeValue> {
  const shown: Record<string, AttributeValue> = {};
  for (const [name, value] of attributes) {
    const isProduct = PRODUCT_PREFIXES.some((prefix) => name.startsWith(prefix));
    if ((!isProduct && !SYSTEM_PROPERTY.test(name)) || HIDDEN.test(name)) continue;
    const attribute = shownValue(name, value);
    if (attribute !== undefined) shown[name] = attribute;
  }
  return shown;
}

function shownValue(name: string, value: Value): AttributeValue | undefined {
  switch (value.type) {
    case 'string':
    case 'uuid':
      return value.data;
    case 'boolean':
      return value.data;
    case 'byte':
    case 'short':
    case 'integer':
    case 'float':
    case 'double':
      return value.data;
    case 'long':
      return Number(value.data);
    case 'bytes':
      return name === FEATURES ? Buffer.from(value.data).toString('base64') : undefined;
    case 'list':
      return value.data.map(formatText);
    case 'enum':
      return value.name ?? String(value.ordinal);
    case 'opaque':
      return DEPLOYMENT_MODE.test(name) ? deploymentMode(value.text) : undefined;
    case 'null':
    case 'char':
    case 'date':
    case 'time':
    case 'timestamp':
    case 'instant':
    case 'gridUuid':
    case 'decimal':
    case 'bigInteger':
    case 'array':
    case 'map':
    case 'object':
      return undefined;
  }
}

/** Returns the name of an enumeration's constant in a blob, whose last number is the ordinal. */
function deploymentMode(blob: string): string | undefined {
  const bytes = Buffer.from(blob, 'base64');
  return bytes.length >= 4 ? DEPLOYMENT_MODES[bytes.readInt32LE(bytes.length - 4)] : undefined;
}

/** Returns the strings of an attribute that holds a list of them. */
export function stringsOfAttribute(value: Value | undefined): string[] {
  return value?.type === 'list' || value?.type === 'array' ? value.data.map(formatText) : [];
}
