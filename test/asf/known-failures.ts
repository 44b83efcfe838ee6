/**
 * Tests of Apache Ignite that fail against a service in front of a cluster, and why. All of them are limits of the
 * client protocol, except the one that also fails against Ignite itself (docs/cluster.md, "Apache Ignite's own REST
 * tests").
 */
export const KNOWN_FAILURES: Readonly<Record<string, string>> = {
  testGetSkipStoreStore: 'no request of the client protocol skips the store behind a cache',
  testPutSkipStore: 'no request of the client protocol skips the store behind a cache',
  testQueryClose: 'it looks for the cursors of the HTTP interface in the memory of the node',
  testQueryDelay: 'it looks for the cursors of the HTTP interface in the memory of the node',
  testPutIncorrectJson: 'it needs nodes that forbid a class, and fails against their own HTTP interface too',
};
