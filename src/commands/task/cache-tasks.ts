/**
 * The built-in tasks whose arguments are names of caches, without arguments all. They read the caches for their caller,
 * who needs the right `read` on them. What a configured task reads is the decision of whoever configures it.
 */
export const TASKS_ON_CACHES: ReadonlySet<string> = new Set(['svc.cacheSizes', 'svc.entriesDigest']);
