/**
 * The built-in tasks whose arguments are cache names; without arguments they read all caches. They read the caches
 * on behalf of the caller, who needs the right `read` on them. The reads of a configured task are the responsibility of
 * the person who configures it.
 */
export const TASKS_ON_CACHES: ReadonlySet<string> = new Set(['svc.cacheSizes', 'svc.entriesDigest']);
