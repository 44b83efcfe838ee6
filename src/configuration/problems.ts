/** Collects the problems of a configuration, so one run reports all of them. */
import { ConfigurationError } from './option.ts';
import { isPlainObject, Node } from './shape.ts';

/** The path of a member in a message that begins with the location of the member's owner. */
const MEMBER_PATH = /^((?:\.[\w$-]+|\[(?:\d+|"[^"]*")\])+): /;
const MEMBER_NAME = /\.([\w$-]+)|\[(\d+)\]|\["([^"]*)"\]/g;

export class Problems {
  readonly #messages: string[] = [];
  readonly #parts = new Set<string>();

  /**
   * Runs an action and returns its result, or undefined if it throws a ConfigurationError, which is recorded. `part`,
   * the first word of the options' paths, then counts as invalid.
   */
  attempt<T>(action: () => T, part?: string): T | undefined {
    try {
      return action();
    } catch (error) {
      this.#record(error, part);
      return undefined;
    }
  }

  /**
   * Reads a part of the configuration file; returns undefined if it is unusable. A reader throws at the first mistake:
   * it is called again without the invalid member, until it finds no more.
   */
  read<T>(node: Node, reader: (node: Node) => T): T | undefined {
    const removed = new Set<string>();
    for (let current = node; ; ) {
      try {
        return reader(current);
      } catch (error) {
        const message = error instanceof ConfigurationError ? error.message : '';
        const [, path] = MEMBER_PATH.exec(message.startsWith(node.place) ? message.slice(node.place.length) : '') ?? [];
        // A member that was removed is missing now.
        if (path !== undefined && removed.has(path)) return undefined;
        this.#record(error);
        if (path === undefined) return undefined;
        removed.add(path);
        const names = [...path.matchAll(MEMBER_NAME)].map(([, name, index, quoted]) => name ?? index ?? quoted ?? '');
        current = new Node(without(current.value, names), node.place);
      }
    }
  }

  /** Like {@link attempt}, for an action that returns a promise. */
  async attemptAsync<T>(action: () => Promise<T>): Promise<T | undefined> {
    try {
      return await action();
    } catch (error) {
      this.#record(error);
      return undefined;
    }
  }

  /** Reports whether an option of one of the parts is invalid, so that rules about its value would only confuse. */
  concern(...parts: readonly string[]): boolean {
    return parts.some((part) => this.#parts.has(part));
  }

  /** Throws one ConfigurationError with a line for each mistake. `shown` returns a mistake's text. */
  check(shown: (message: string) => string = (message) => message): void {
    if (this.#messages.length > 0) throw new ConfigurationError(this.#messages.map(shown).join('\n'));
  }

  #record(error: unknown, part?: string): void {
    if (!(error instanceof ConfigurationError)) throw error;
    if (!this.#messages.includes(error.message)) this.#messages.push(error.message);
    if (part !== undefined) this.#parts.add(part);
  }
}

/** Returns a copy of a value without the member at the end of the names. Items of arrays become undefined. */
function without(value: unknown, [name = '', ...rest]: readonly string[]): unknown {
  if (Array.isArray(value)) {
    return value.map((each: unknown, index) =>
      String(index) !== name ? each : rest.length === 0 ? undefined : without(each, rest),
    );
  }
  if (!isPlainObject(value)) return value;
  const { [name]: member, ...others } = value;
  return rest.length === 0 ? others : { ...value, [name]: without(member, rest) };
}
