/**
 * The `compatibility` option: with `reference`, svc behaves as Ignite does in the rows marked R of docs/differences.md;
 * code that follows one of them names the row.
 */
export type Compatibility = 'contract' | 'reference';

/**
 * Whose rules a request follows. `none` means svc's own rules in both modes, because Ignite has no such requests
 * (resources, JSON bodies).
 */
export type RequestCompatibility = Compatibility | 'none';
