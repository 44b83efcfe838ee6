/** Ends a child process with the benchmark, which holds the other end of its standard input. */
export function endWithParent(): void {
  process.stdin.on('end', () => process.exit(0)).resume();
  // The benchmark has ended, so no one reads the counts.
  process.stdout.on('error', () => process.exit(0));
}
