/**
 * Feature bits: optional parts of the protocol. Those that both sides support change the layout of requests and
 * responses (docs/spec/ignite-wire.md 1).
 */
export const FEATURE = {
  USER_ATTRIBUTES: 0,
  EXECUTE_TASK: 1,
  CLUSTER_STATES: 2,
  NODE_ENDPOINTS: 3,
  CLUSTER_GROUPS: 4,
  DEFAULT_QUERY_TIMEOUT: 6,
  QUERY_PARTITIONS: 7,
  BINARY_CONFIGURATION: 8,
  HEARTBEAT: 11,
  ALL_AFFINITY_MAPPINGS: 13,
  CACHE_INVOKE: 17,
  FORCE_DEACTIVATION: 19,
} as const;

/** The features that a handshake agreed on. */
export class Features {
  readonly #bits: Uint8Array;

  constructor(bits: Uint8Array) {
    this.#bits = bits;
  }

  has(bit: number): boolean {
    return (((this.#bits[bit >> 3] ?? 0) >> (bit & 7)) & 1) === 1;
  }
}

/** Returns the bits of the features whose layouts this client implements. */
export function offeredFeatures(): Uint8Array {
  const bits = new Uint8Array(3);
  for (const bit of Object.values(FEATURE)) bits[bit >> 3] = (bits[bit >> 3] ?? 0) | (1 << (bit & 7));
  return bits;
}
