/** Content negotiation: preferences in the headers Accept and Accept-Encoding (RFC 9110, 12.5). */

const WEIGHT = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/** One member of such a header, in lower case, with its weight. */
export interface WeightedMember {
  readonly name: string;
  readonly weight: number;
  /** Whether the member has parameters besides its weight. */
  readonly hasParameters: boolean;
}

/** Returns the members of a header in order, ignoring those with a malformed weight. */
export function weightedMembers(header: string): readonly WeightedMember[] {
  return header.split(',').flatMap((member) => {
    const [name = '', ...parameters] = member.split(';').map((each) => each.trim().toLowerCase());
    const written = parameters.find((each) => each.startsWith('q='));
    const weight = written === undefined ? 1 : Number(WEIGHT.exec(written)?.[1] ?? Number.NaN);
    const hasParameters = parameters.some((each) => each !== written);
    return name === '' || Number.isNaN(weight) ? [] : [{ name, weight, hasParameters }];
  });
}

/**
 * Returns the media type that an Accept header prefers, or undefined if it accepts none of them. A type gets the
 * weight of the most specific range that includes it. Among equal weights, the range named first in the header wins,
 * then the order of `types`.
 */
export function preferredType<T extends string>(accept: string, types: readonly T[]): T | undefined {
  const members = weightedMembers(accept);
  let best: T | undefined;
  let bestWeight = 0;
  let bestAt = 0;
  for (const type of types) {
    const ranges = [type, ...(SYNONYMS[type] ?? []), `${type.slice(0, type.indexOf('/'))}/*`, '*/*'];
    const range = ranges.find((each) => members.some(({ name }) => name === each));
    const at = members.findIndex(({ name }) => name === range);
    const weight = members[at]?.weight ?? 0;
    if (weight === 0 || weight < bestWeight || (weight === bestWeight && at >= bestAt)) continue;
    [best, bestWeight, bestAt] = [type, weight, at];
  }
  return best;
}

/** Aliases of a media type. A client that asks for errors as problem documents reads JSON. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  'application/x-ndjson': ['application/ndjson'],
  'application/json': ['application/problem+json'],
};
