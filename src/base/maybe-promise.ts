/** A result or a promise of it. The embedded engine reads synchronously, which avoids the promise. */
export type MaybePromise<T> = T | Promise<T>;

/** Applies `next` to the result: immediately, or when the promise resolves. */
export function chain<T, R>(result: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return result instanceof Promise ? result.then(next) : next(result);
}

/** Runs an action after all earlier ones have ended, and returns its result. */
export type Mutex = <T>(action: () => Promise<T>) => Promise<T>;

/** Creates a mutex, for example for changes that each read and write the same data. */
export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve();
  return (action) => {
    const done = last.then(action);
    last = done.catch(() => {});
    return done;
  };
}

// The runtime creates these functions on first use, which would change the function that every result is compared with
// and force compiled code to be compiled again.
for (const name of ['all', 'allSettled', 'race', 'withResolvers'] as const) void Promise[name];
