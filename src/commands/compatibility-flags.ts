/**
 * The deviations that the option `compatibility` switches. A flag that is on restores Ignite's behaviour in one row,
 * marked R, of the table in docs/differences.md. No other code reads the mode.
 */
export interface CompatibilityFlags {
  /** Row 1: rejects a request without cacheName instead of using the default cache (docs/spec/ignite-data.md 3). */
  readonly cacheNameRequired: boolean;
  /** Row 7: rmvall without keys clears the cache; clear always misses its keys (docs/spec/ignite-data.md 4.4). */
  readonly keysOptional: boolean;
  /** Row 8: cas accepts an absent val or val2 (docs/spec/ignite-data.md 4.3). */
  readonly casArgumentsOptional: boolean;
  /** Row 9: the undocumented parameter val1 replaces val (docs/spec/ignite-data.md 3). */
  readonly val1ReplacesVal: boolean;
  /** Row 11: fields of its query entity that a value lacks read back as null (docs/spec/ignite-data.md 5). */
  readonly missingFieldsNull: boolean;
  /** Row 13: getall writes date, time and timestamp keys in the long US form (docs/spec/ignite-data.md 6). */
  readonly longFormDateKeys: boolean;
  /** Row 18: metadata returns an array without pseudo-fields (docs/spec/ignite-cluster.md 5). */
  readonly metadataAsArray: boolean;
  /** Row 19: log returns one string instead of an array of lines (docs/spec/ignite-cluster.md 4). */
  readonly logAsString: boolean;
  /** Row 21: the member `error` of a task result is null instead of empty (docs/spec/ignite-cluster.md 8). */
  readonly nullTaskError: boolean;
  /** Row 22: illegal arguments have status 4 instead of 1 (docs/spec/ignite-data.md 2). */
  readonly status4ForIllegalArguments: boolean;
  /** Row 23: version needs no credentials (docs/spec/ignite-cluster.md 7). */
  readonly versionWithoutLogin: boolean;
  /**
   * Row 24: only the signature over a timestamp is accepted, and a wrong one is answered without a body
   * (docs/spec/ignite-cluster.md 7.1).
   */
  readonly timestampedSignatureOnly: boolean;
  /** Row 25: errors of commands omit the token of the session (docs/spec/ignite-cluster.md 7). */
  readonly errorsOmitToken: boolean;
  /** Row 37: ignores parameters with misspelt names (docs/spec/ignite-data.md 1). */
  readonly misspeltNamesIgnored: boolean;
  /** Row 38: ignores numbered parameters that follow a gap (docs/spec/ignite-data.md 4.4). */
  readonly gapsDropParameters: boolean;
  /** Row 39: decodes parameters before it judges credentials (docs/spec/ignite-cluster.md 7). */
  readonly parametersBeforeCredentials: boolean;
  /** Row 40: a flag is off for any text but `true` (docs/spec/ignite-cluster.md 3). */
  readonly anyTextIsFlag: boolean;
  /** Row 41: impossible dates and times roll over (docs/spec/ignite-data.md 5). */
  readonly datesRollOver: boolean;
  /**
   * Row 41, in both modes: requests that Ignite has read dates, times and timestamps only in its forms. Others also
   * read years beyond 9999, fractions of times, and zones (docs/spec/ignite-data.md 5).
   */
  readonly igniteDatesOnly: boolean;
  /** Row 93: numbers in lists and maps are doubles, which round them (docs/spec/ignite-data.md 5.1). */
  readonly numbersAsDoubles: boolean;
  /** Row 42: error texts name internal parameters and Java classes (docs/spec/ignite-data.md 2.2). */
  readonly internalNamesInTexts: boolean;
  /** Row 61: short names of Java classes (`decimal`, `map`) are those of custom types (docs/spec/ignite-data.md 5). */
  readonly shortNamesAreCustom: boolean;
  /** Row 46: updatettl with exp=0 changes nothing (docs/spec/ignite-data.md 4.7). */
  readonly zeroTtlIgnored: boolean;
  /** Row 50: node and top list the service's own caches of the cluster too (docs/spec/ignite-cluster.md 3). */
  readonly ownCachesListed: boolean;
  /** Row 47: INACTIVE needs `force` while there is a cache without persistence (docs/spec/ignite-cluster.md 2.1). */
  readonly forceForVolatileCaches: boolean;
  /** Row 49: every user may change the state of the cluster (docs/spec/ignite-cluster.md 7). */
  readonly everybodyChangesState: boolean;
  /**
   * Rows 28 and 51: UUID columns have the class `[B`; results of SQL hold a TIMESTAMP WITH TIME ZONE as an object of
   * its parts, CLOB and BLOB as empty objects, and dates and timestamps as Java's classes have them
   * (docs/spec/ignite-cluster.md 6.4).
   */
  readonly igniteSqlValues: boolean;
  /**
   * Rows 27, 51 and 57: statements return what Ignite does where that loses rows or digits
   * (docs/spec/ignite-cluster.md 6.4).
   */
  readonly igniteStatements: boolean;
  /** Row 54: definitions that Ignite does not follow succeed (docs/spec/ignite-cluster.md 6.4). */
  readonly igniteDefinitions: boolean;
  /** Row 56: metadata of tables lists internal indexes and no constraints (docs/spec/ignite-cluster.md 6.4). */
  readonly igniteMetadata: boolean;
  /**
   * Row 33: qryfetch returns null as fieldsMetadata, the columns of a scan hold nulls, and node and top quote sqlSchema
   * (docs/spec/ignite-cluster.md 3, 6.2).
   */
  readonly nullDescriptors: boolean;
}

export type Compatibility = 'contract' | 'reference';

export const COMPATIBILITY_FLAGS: Readonly<Record<Compatibility, CompatibilityFlags>> = {
  contract: { ...allFlags(false), igniteDatesOnly: true },
  reference: allFlags(true),
};

/** The flags of requests that Ignite does not have, in both modes. */
export const NEWER_FLAGS: CompatibilityFlags = allFlags(false);

function allFlags(on: boolean): CompatibilityFlags {
  return {
    cacheNameRequired: on,
    keysOptional: on,
    casArgumentsOptional: on,
    val1ReplacesVal: on,
    missingFieldsNull: on,
    longFormDateKeys: on,
    metadataAsArray: on,
    logAsString: on,
    nullTaskError: on,
    status4ForIllegalArguments: on,
    versionWithoutLogin: on,
    timestampedSignatureOnly: on,
    errorsOmitToken: on,
    ownCachesListed: on,
    nullDescriptors: on,
    igniteSqlValues: on,
    igniteStatements: on,
    igniteDefinitions: on,
    igniteMetadata: on,
    misspeltNamesIgnored: on,
    gapsDropParameters: on,
    parametersBeforeCredentials: on,
    anyTextIsFlag: on,
    datesRollOver: on,
    igniteDatesOnly: on,
    numbersAsDoubles: on,
    internalNamesInTexts: on,
    shortNamesAreCustom: on,
    zeroTtlIgnored: on,
    forceForVolatileCaches: on,
    everybodyChangesState: on,
  };
}
