/** Sources whose branches are counted, by what they read. */
export const GROUPS: Readonly<Record<string, RegExp>> = {
  'head reader': /^src\/http\/head\.ts$/,
  'body decoders': new RegExp(
    `^src/http/(?:${[
      'body-(?:reader|parameters|text|buffer)',
      'form-(?:body|decoder)',
      'json-(?:body|scanner|text)',
      'parameters',
      'slices',
    ].join('|')})\\.ts$`,
  ),
  tokenizer: /^src\/sql\/syntax\/tokenizer\.ts$/,
  parser: /^src\/sql\/syntax\/(?:parse|token-reader).*\.ts$/,
  'wire decoder':
    /^src\/engines\/cluster\/.*\b(?:binary-decoder|binary-objects|byte-reader|frames|optimized-values)\.ts$/,
};

export function isMeasured(path: string): boolean {
  return !/\.(?:test|suite|fixture)\.ts$/.test(path) && Object.values(GROUPS).some((group) => group.test(path));
}
