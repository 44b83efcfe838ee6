/** A result or a promise of it. The embedded engine reads synchronously, which saves the promise. */
export type MaybePromise<T> = T | Promise<T>;

/** Applies `next` to the result: at once, or when the promise resolves. */
export function chain<T, R>(result: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return result instanceof Promise ? result.then(next) : next(result);
}

/** Runs an action when those before it have ended, and returns its result. */
export type Mutex = <T>(action: () => Promise<T>) => Promise<T>;

/** Creates a mutex, as for changes that each read and store the same. */
export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve();
  return (action) => {
    const done = last.then(action);
    last = done.catch(() => {});
    return done;
  };
}

// The runtime creates these functions when they are first used, which changes what every result is compared with: code
// that was compiled before would be compiled again.
for (const name of ['all', 'allSettled', 'race', 'withResolvers'] as const) void Promise[name];
