/**
 * Where `SVC_COMPATIBILITY=reference` restores Ignite's way: exactly the rows marked R in the documentation's
 * list of differences. Nothing else in the service asks for the mode.
 */
export interface Differences {
  /** Row 1: an absent cacheName is refused instead of meaning the default cache. */
  readonly cacheNameRequired: boolean;
  /** Row 7: rmvall without keys empties the cache, clear always misses its keys. */
  readonly keysMayBeAbsent: boolean;
  /** Row 8: cas works without val or val2. */
  readonly casArgumentsOptional: boolean;
  /** Row 9: the hidden parameter val1 replaces val. */
  readonly hiddenValue: boolean;
  /** Row 13: date, time and timestamp keys of getall in the long US form. */
  readonly longDateKeys: boolean;
  /** Row 18: metadata is an array without the pseudo-fields. */
  readonly metadataArray: boolean;
  /** Row 19: log is one string. */
  readonly logText: boolean;
  /** Row 21: a task result's error is null, not empty. */
  readonly taskErrorNull: boolean;
  /** Row 22: status 4 for illegal arguments. */
  readonly illegalArgumentStatus: boolean;
  /** Row 23: version needs no credentials. */
  readonly versionOpen: boolean;
  /** Row 24: only the timestamped signature; 401 with an empty body. */
  readonly bareSignatureRefusal: boolean;
  /** Row 33: qryfetch has fieldsMetadata null, scan descriptors hold nulls, sqlSchema is quoted text. */
  readonly nullDescriptors: boolean;
}

export type Compatibility = 'contract' | 'reference';

export const COMPATIBILITY_FLAGS: Readonly<Record<Compatibility, Differences>> = {
  contract: {
    cacheNameRequired: false,
    keysMayBeAbsent: false,
    casArgumentsOptional: false,
    hiddenValue: false,
    longDateKeys: false,
    metadataArray: false,
    logText: false,
    taskErrorNull: false,
    illegalArgumentStatus: false,
    versionOpen: false,
    bareSignatureRefusal: false,
    nullDescriptors: false,
  },
  reference: {
    cacheNameRequired: true,
    keysMayBeAbsent: true,
    casArgumentsOptional: true,
    hiddenValue: true,
    longDateKeys: true,
    metadataArray: true,
    logText: true,
    taskErrorNull: true,
    illegalArgumentStatus: true,
    versionOpen: true,
    bareSignatureRefusal: true,
    nullDescriptors: true,
  },
};
