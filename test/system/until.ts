const POLL_MS = 20;

/** Waits until a condition is met. Throws after `limitMs`, which leaves time for a busy machine. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  limitMs = 30_000,
): Promise<void> {
  const endMs = performance.now() + limitMs;
  while (!(await condition())) {
    if (performance.now() > endMs) throw new Error(`not after ${limitMs} ms: ${what}`);
    await Bun.sleep(POLL_MS);
  }
}
