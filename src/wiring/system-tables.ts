/** Composes the tables of INFORMATION_SCHEMA and SYS. */
import type { CompatibilityFlags } from '../commands/compatibility-flags.ts';
import type { VirtualTables } from '../engines/embedded/catalog/engine-catalog.ts';
import type { ServiceInfo } from '../engines/embedded/system-views/service-info.ts';
import { createSystemViews, systemViews } from '../engines/embedded/system-views/system-views.ts';

/** For HTTP threads: statements over these tables run in statement processes. */
export const systemTables: VirtualTables = systemViews;

/** For statement processes: with the information of the service, and listed as Ignite does if the flag says so. */
export function systemTablesOver({
  igniteMetadata,
}: CompatibilityFlags): (service: () => ServiceInfo) => VirtualTables {
  return (service) => createSystemViews(service, igniteMetadata);
}
