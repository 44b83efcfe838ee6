/** The tables of INFORMATION_SCHEMA and SYS, for every thread that runs statements. */
import type { VirtualTables } from '../engines/embedded/queries/engine-catalog.ts';
import { systemViews } from '../engines/embedded/queries/system-views/system-views.ts';

export const systemTables: VirtualTables = systemViews;
