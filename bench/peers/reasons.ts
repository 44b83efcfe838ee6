/** Why svc is behind a peer, by row of the report: `DURABILITY WORKLOAD PEER`. Empty where it is not known yet. */
export const REASONS: Readonly<Record<string, string>> = {};
