/** A result that may be there already. Reads of the embedded engine are, and cost no promise. */
export type MaybePromise<T> = T | Promise<T>;

/** Applies `next` now when the result is there, else when it comes. */
export function chain<T, R>(result: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return result instanceof Promise ? result.then(next) : next(result);
}
