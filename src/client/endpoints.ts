/** The addresses of a service and of its standbys. */
import { withoutUrlSecrets } from '../base/url-secrets.ts';

/** An absolute URL with a path, or a path, which browsers resolve. */
const ENDPOINT = /^(?:https?:\/\/[^/?#]+\/+[^/?#][^?#]*|[^:?#]*[^:/?#][^:?#]*)$/i;
/** A standby's report of its primary. */
const PRIMARY = /the primary is (\S+)$/;

/** Remembers which of the addresses responds. Requests go to no others, whatever a service says. */
export class Endpoints {
  readonly serviceName: string;
  /** Whether one of them has responded: until then, an address may be wrong. */
  hasAnswered = false;
  readonly #urls: readonly string[];
  #at = 0;

  /** Reads comma-separated addresses. Throws TypeError. */
  constructor(text: unknown) {
    if (Array.isArray(text)) throw new TypeError('url must be one string: separate several addresses by commas');
    const urls = typeof text === 'string' ? text.split(',').map((url) => url.trim().replace(/\/+$/, '')) : [];
    const names = new Set(urls.map((url) => url.slice(url.lastIndexOf('/') + 1)));
    const [name = ''] = names;
    if (urls.length === 0 || !urls.every((url) => ENDPOINT.test(url))) {
      const expected = 'url must be the endpoint of a service, such as http://localhost:8080/svc';
      throw new TypeError(`${expected}, got ${withoutUrlSecrets(JSON.stringify(text) ?? 'undefined')}`);
    }
    if (names.size > 1) throw new TypeError(`url must end with one service name, got ${[...names].join(' and ')}`);
    this.#urls = urls;
    this.serviceName = name;
  }

  get current(): string {
    return this.#urls[this.#at] ?? '';
  }

  get hasSeveral(): boolean {
    return this.#urls.length > 1;
  }

  /**
   * Makes requests use another address than `url`, which is away: the primary that `hint` names, or else the next one.
   * Returns whether there is one that `tried`, the addresses of one request, does not have; otherwise forgets these.
   */
  leave(url: string, tried: Set<string>, hint: string): boolean {
    tried.add(url);
    const isLeft = this.#urls.some((each) => !tried.has(each));
    if (!isLeft) tried.clear();
    if (url !== this.current && !tried.has(this.current)) return isLeft;
    const at = this.#urls.indexOf(url);
    const others = [...this.#urls.slice(at + 1), ...this.#urls.slice(0, at)].filter((each) => !tried.has(each));
    const primary = originOf(PRIMARY.exec(hint)?.[1] ?? '');
    const next = others.find((each) => primary !== undefined && originOf(each) === primary) ?? others[0] ?? url;
    this.#at = this.#urls.indexOf(next);
    return isLeft;
  }
}

function originOf(url: string): string | undefined {
  return /^https?:\/\/[^/?#]+/i.exec(url)?.[0].toLowerCase();
}
