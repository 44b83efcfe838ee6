/** A result or a promise of it. The embedded engine reads synchronously, which saves the promise. */
export type MaybePromise<T> = T | Promise<T>;

/** Applies `next` to the result: at once, or when the promise resolves. */
export function chain<T, R>(result: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return result instanceof Promise ? result.then(next) : next(result);
}
