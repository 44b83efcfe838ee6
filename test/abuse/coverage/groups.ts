/** Sources whose branches are counted, by the input that they read. */
export const GROUPS: Readonly<Record<string, RegExp>> = {
  'head reader': /^src\/http\/head\/[\w-]+\.ts$/,
  'body decoders': new RegExp(
    `^src/(?:base/slices|values/json-parameters|http/(?:${[
      'body-(?:reader|parameters|buffer)',
      '(?:form|json)-body',
      'parameters',
    ].join('|')}))\\.ts$`,
  ),
  tokenizer: /^src\/sql\/syntax\/tokenizer\.ts$/,
  parser: /^src\/sql\/syntax\/(?:parse|token-reader).*\.ts$/,
  'wire decoder': new RegExp(
    `^src/engines/cluster/(?:${[
      'protocol/(?:byte-reader|frames|handshake|strings|uuids|type-codes|features)',
      'binary/(?:class-mapping|collections|decoder|magnitudes|objects|optimized-values|type-metadata)',
      'operations/(?:cache-configuration|operation|responses|(?:entry|grid|query)-operations)',
      'connections/jdbc',
    ].join('|')})\\.ts$`,
  ),
};

export function isMeasured(path: string): boolean {
  return !/\.test\.ts$/.test(path) && Object.values(GROUPS).some((group) => group.test(path));
}
