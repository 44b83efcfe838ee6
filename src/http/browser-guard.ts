/**
 * Keeps web pages of other sites from using a user's grid. Browsers say where a request comes from (`Origin`,
 * `Sec-Fetch-Site`); scripts and servers do not, and pass. While the service only listens on loopback addresses, a
 * foreign `Host` name means a page whose name was pointed at this machine (DNS rebinding).
 */
import { hostname } from 'node:os';
import { gridError } from '../base/errors.ts';
import type { HeaderTable } from './head/head.ts';
import type { ExtraHeaders } from './reply.ts';

export interface GuardOptions {
  /** Origins (`https://host:port`) whose pages may use the service; `*` for all. */
  readonly origins: readonly string[];
  /** Host names accepted besides the machine's own. If there are any, the name is checked on every address. */
  readonly hosts: readonly string[];
  /** Whether the service only listens on loopback addresses. */
  readonly loopbackOnly: boolean;
  /** The configured host. */
  readonly host: string;
  /** Whether a request can have rights without credentials added by its sender: an open service, certificates. */
  readonly ambientRights: boolean;
}

type RequestHeaders = Pick<HeaderTable, 'get'>;

/** Response headers that pages of other origins may read. */
const EXPOSED =
  'Idempotent-Replayed, Retry-After, Change-Position, Error-Code, ETag, Link, Location, Preference-Applied';

/** Request headers that they may send. */
const ACCEPTED =
  'Content-Type, Accept, Authorization, Prefer, X-Signature, Idempotency-Key, If-Match, If-None-Match, Wait-For-Position';

const IPV4 = /^\d{1,3}(\.\d{1,3}){3}$/;

const BEYOND_PRINTABLE = /[^\x20-\x7e]/g;

export class BrowserGuard {
  readonly #anyOrigin: boolean;
  readonly #origins: ReadonlySet<string>;
  readonly #hosts: ReadonlySet<string> | undefined;
  readonly #ambientRights: boolean;
  /** Authorities that have been accepted, at most a few. */
  readonly #known = new Set<string>();

  constructor({ origins, hosts, loopbackOnly, host, ambientRights }: GuardOptions) {
    this.#ambientRights = ambientRights;
    this.#anyOrigin = origins.includes('*');
    this.#origins = new Set(origins.map((each) => each.toLowerCase().replace(/\/$/, '')));
    this.#hosts =
      loopbackOnly || hosts.length > 0
        ? new Set([...hosts, host, hostname(), 'localhost'].map((each) => each.toLowerCase()))
        : undefined;
  }

  /** Whether pages of other sites may use the service at all. */
  get hasOrigins(): boolean {
    return this.#anyOrigin || this.#origins.size > 0;
  }

  /**
   * Throws ORIGIN_FORBIDDEN. `authority` is the host and port that the request named, empty if none. Returns the
   * headers that a browser of an allowed origin expects.
   */
  check(headers: RequestHeaders, authority: string): ExtraHeaders | undefined {
    if (this.#hosts !== undefined && !this.#known.has(authority)) this.#checkHost(authority, this.#hosts);
    const origin = headers.get('origin');
    if (origin !== undefined) return this.#checkOrigin(origin, authority);
    const site = headers.get('sec-fetch-site');
    if (site !== undefined && site !== 'same-origin' && site !== 'none' && !this.#anyOrigin) {
      throw gridError('ORIGIN_FORBIDDEN', `Sec-Fetch-Site: ${site}`, 'the option http.origins');
    }
    if (site === undefined) this.#checkReferer(headers, authority);
    return undefined;
  }

  #checkHost(authority: string, hosts: ReadonlySet<string>): void {
    const name = authority.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
    // An address cannot be rebound, and a client that sends no name is not a browser.
    const fine =
      name === '' ||
      name.startsWith('[') ||
      IPV4.test(name) ||
      hosts.has(name) ||
      name.endsWith('.localhost') ||
      hosts.has('*');
    if (!fine) throw gridError('ORIGIN_FORBIDDEN', `Host: ${authority}`, 'the option http.hosts');
    if (this.#known.size < 64) this.#known.add(authority);
  }

  #checkOrigin(origin: string, authority: string): ExtraHeaders | undefined {
    if (this.#anyOrigin || this.#origins.has(origin.toLowerCase())) {
      return {
        'Access-Control-Allow-Origin': origin.replace(BEYOND_PRINTABLE, ''),
        'Access-Control-Expose-Headers': EXPOSED,
        Vary: 'Origin',
      };
    }
    const host = /^https?:\/\/(.+)$/i.exec(origin)?.[1];
    if (host === undefined || host.toLowerCase() !== authority.toLowerCase())
      throw gridError('ORIGIN_FORBIDDEN', `Origin: ${origin}`, 'the option http.origins');
    return undefined;
  }

  /**
   * Older browsers name the page of an image or a form only here. They add Basic credentials and certificates to such
   * requests automatically; other credentials come from a sender who knows them.
   */
  #checkReferer(headers: RequestHeaders, authority: string): void {
    const referer = headers.get('referer');
    if (referer === undefined || this.#anyOrigin) return;
    if (!this.#ambientRights && !/^basic /i.test(headers.get('authorization') ?? '')) return;
    const [origin, host] = /^https?:\/\/([^/?#]*)/i.exec(referer) ?? [];
    if (origin === undefined || host === undefined || this.#origins.has(origin.toLowerCase())) return;
    if (host.toLowerCase() !== authority.toLowerCase())
      throw gridError('ORIGIN_FORBIDDEN', `Referer: ${origin}`, 'the option http.origins');
  }

  /** The response headers for a preflight request from an allowed origin. */
  preflight(headers: RequestHeaders, allowed: ExtraHeaders, methods: string): ExtraHeaders {
    const privateNetwork = headers.get('access-control-request-private-network') === 'true';
    return {
      ...allowed,
      'Access-Control-Allow-Methods': methods,
      'Access-Control-Allow-Headers': ACCEPTED,
      'Access-Control-Max-Age': '600',
      ...(privateNetwork ? { 'Access-Control-Allow-Private-Network': 'true' } : {}),
    };
  }
}
