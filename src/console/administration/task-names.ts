/** The names of the built-in tasks. The configuration may declare others. */
export const TASK_NAMES = ['svc.cacheSizes', 'svc.echo', 'svc.entriesDigest', 'svc.sleep'] as const;
