/** The metrics' information about the program. */
import type { Configuration } from '../configuration/configuration.ts';
import { PRODUCT_VERSION } from '../configuration/version.ts';
import type { BuildInfo } from '../service/monitoring/prometheus.ts';

export function buildInfoOf({ engine }: Configuration): BuildInfo {
  return {
    version: PRODUCT_VERSION,
    runtime: `bun ${Bun.version}`,
    platform: `${process.platform}-${process.arch}`,
    engine: engine.kind,
  };
}
