/** Finds the connected nodes that do not belong to the cluster, from each one's view of its cluster. */

/**
 * Returns which of the `connected` nodes are outside the cluster. `views` has the members that each responding node
 * reports. The cluster is the one of the node that most others report; in a tie, the larger cluster wins, then the
 * first. Without responses, no node is outside.
 */
export function outsidersOf(
  views: ReadonlyMap<string, ReadonlySet<string>>,
  connected: Iterable<string>,
): ReadonlySet<string> {
  let cluster: ReadonlySet<string> | undefined;
  let mostVotes = -1;
  for (const [id, members] of views) {
    let votes = 0;
    for (const [other, seen] of views) if (other !== id && seen.has(id)) votes++;
    if (votes < mostVotes || (votes === mostVotes && members.size <= (cluster?.size ?? 0))) continue;
    mostVotes = votes;
    cluster = members;
  }
  return new Set(cluster && [...connected].filter((id) => !cluster.has(id)));
}
