/** A unit of the load: a request, its changes and its expected response. */

/** A client's view: names and contents. A name without content is absent. */
export type Contents = ReadonlyMap<string, string>;

/** New contents of names; null if the name is absent afterwards. */
export type Effects = Readonly<Record<string, string | null>>;

export interface Step {
  readonly params: Readonly<Record<string, string>>;
  readonly effects: Effects;
  /** Returns whether the response agrees with the client's knowledge. */
  readonly accepts: (response: unknown) => boolean;
  /** Idempotency key: the step may be sent again, and takes effect once. */
  readonly key?: string;
  /** An entry with a deadline, which is checked by time. */
  readonly expiring?: { readonly key: string; readonly value: string; readonly ttlMs: number };
}

/** A step whose response must be exactly `response`. */
export function step(params: Step['params'], effects: Effects, response: unknown): Step {
  return { params, effects, accepts: (actual) => actual === response };
}

/** A statement that must change `rows` rows. */
export function statement(qry: string, effects: Effects, rows: number, args: readonly (string | number)[] = []): Step {
  const numbered = Object.fromEntries(args.map((value, index) => [`arg${index + 1}`, String(value)]));
  return {
    params: { cmd: 'qryfldexe', pageSize: '100', qry, ...numbered },
    effects,
    accepts: (response) => updatedRows(response) === rows,
  };
}

/** Several steps as one transaction. */
export function atomic(steps: readonly Step[]): Step {
  return {
    params: {
      cmd: 'batch',
      atomic: 'true',
      commands: JSON.stringify(steps.map(({ params }) => params)),
    },
    effects: Object.assign({}, ...steps.map(({ effects }) => effects)),
    accepts: (response) =>
      Array.isArray(response) &&
      response.length === steps.length &&
      steps.every((each, index) => each.accepts((response[index] as { response: unknown }).response)),
  };
}

function updatedRows(response: unknown): unknown {
  return (response as { items?: unknown[][] } | null)?.items?.[0]?.[0];
}
