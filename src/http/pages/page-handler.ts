/** Serves everything besides commands: health, metrics, documents, the console. */
import { ERROR_PAGES } from '../../base/error-object.ts';
import { gridError } from '../../base/errors.ts';
import { type FailoverStatus, publicStatus } from '../../base/failover-status.ts';
import type { Limits } from '../../base/limits.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { type OptionalPages, placeOfPage } from '../../base/meant-pages.ts';
import type { Outcome, ResourceAddress, ResourceRequest } from '../../service/request.ts';
import type { RequestLine } from '../head/head.ts';
import type { IncomingRequest } from '../incoming-request.ts';
import { readQuery } from '../parameters.ts';
import type { ReplyWriter } from '../replies/reply-writer.ts';
import { type ExtraHeaders, JSON_TYPE, plainAnswer, type Reply } from '../reply.ts';
import { HttpRequest, type RequestHead } from '../request.ts';
import { HttpResourceRequest } from '../resources/resource-requests.ts';
import type { HttpSettings } from '../settings.ts';
import { type StaticFile, staticFileAnswer } from './static-files.ts';

/** Tables have addresses; their description has none. */
const NO_ADDRESS: ResourceAddress = { resource: undefined, segments: [] };

/** A page with its media type and additional headers. */
export interface Page {
  readonly type: string;
  readonly body: string | AsyncIterable<Uint8Array>;
  readonly headers: ExtraHeaders;
}

/** Pages served besides commands. */
export interface Pages {
  /**
   * Returns whether commands can be executed: the service has started, is active and can write. `withBackup`: and the
   * continuous backup ships.
   */
  ready(withBackup: boolean): MaybePromise<boolean>;
  /** Returns the public status of a service with failover, or undefined if no other service takes over. */
  role?(): MaybePromise<FailoverStatus | undefined>;
  /** Returns the metrics in Prometheus format, or the response of a failed check. */
  metrics(request: HttpRequest): MaybePromise<Outcome>;
  /** Returns the OpenAPI document. */
  openApi(): Promise<string>;
  /** Returns the OpenAPI document with the service's tables, or the reason why the sender may not know them. */
  openApiWithTables?(request: ResourceRequest): Promise<Outcome>;
  /** Returns the page at `/`, in a form that the Accept header names. */
  home(accept: string | null): Promise<Page>;
  /** Returns an error's page by its path, in a form that the Accept header names, or undefined if there is none. */
  errorPage(path: string, accept: string | null): Promise<Page | undefined>;
  /**
   * Returns a file of the console by its path below /console, the page itself for '', or undefined if there is none.
   */
  consoleFile(name: string): Promise<StaticFile | undefined>;
}

export interface PageOptions {
  readonly pages: Pages;
  readonly limits: Limits;
  readonly settings: Pick<HttpSettings, 'docs' | 'console' | 'consolePort' | 'mcp' | 'errorObjects' | 'json'>;
  /** The path of commands, which errors mention. */
  readonly endpoint: string;
}

const PAGE_METHODS = 'GET, HEAD';
const TEXT_TYPE = 'text/plain;charset=utf-8';

/** Paths that resemble entry and row paths, below the endpoint or next to it. */
const RESOURCE = /^\/(?:caches?|tables?|entry|entries|row|rows|rest)\//;

/** Returns the argument of PATH_NOT_FOUND with the path here that corresponds to another service's path. */
function placeFor(requested: string, endpoint: string, served: OptionalPages): [place: string] | [] {
  const path = requested.startsWith(`${endpoint}/`) ? requested.slice(endpoint.length) : requested;
  if (RESOURCE.test(path))
    return [`entries are at ${endpoint}/caches/CACHE/entries/KEY, and rows at ${endpoint}/tables/TABLE/rows`];
  const place = placeOfPage(path.slice(1), served);
  return place === undefined ? [] : [place];
}

const OWN_PAGES: ReadonlySet<string> = new Set(['/', '/openapi.json', '/metrics']);

/** Redirects to the commands in the console, which documents and sends them. */
const DOCS = '/docs';

const ERROR_PLACE = `the list of errors is at ${ERROR_PAGES}, each one below it by its code, in upper case`;

const CONSOLE = '/console';

/** Reports whether a path belongs to the console. */
export function isConsole(path: string): boolean {
  return path === CONSOLE || path.startsWith(`${CONSOLE}/`);
}

/** Returns whether the ports for commands serve the console. */
export function servesConsole({ console, consolePort }: Pick<HttpSettings, 'console' | 'consolePort'>): boolean {
  return console && consolePort === undefined;
}

function servesDocs(settings: Pick<HttpSettings, 'docs' | 'console' | 'consolePort'>): boolean {
  return settings.docs && servesConsole(settings);
}

/** Returns the optional pages that the ports for commands serve. */
export function optionalPages(settings: Pick<HttpSettings, 'docs' | 'console' | 'consolePort' | 'mcp'>): OptionalPages {
  return { docs: servesDocs(settings), console: servesConsole(settings), mcp: settings.mcp };
}

/** Returns a function that reports whether a path is a page of a service with these settings, next to its endpoint. */
export function servesPage(
  settings: Pick<HttpSettings, 'docs' | 'console' | 'consolePort'>,
): (path: string) => boolean {
  const own = new Set([...(servesDocs(settings) ? [DOCS] : []), ...(servesConsole(settings) ? [CONSOLE] : [])]);
  return (path) => OWN_PAGES.has(path) || PAGES.has(path) || own.has(path);
}

/**
 * Reports whether a request wants the page at `/`: browsers, curl and HTTP libraries send `Accept`. Others are programs
 * that forgot the path of commands, and are told so (recorded case http.path.root).
 */
function isHomeRequest({ method, target }: RequestLine, accept: string | null): boolean {
  return (method === 'GET' || method === 'HEAD') && target === '/' && accept !== null;
}

function healthAnswer(up: boolean): Reply {
  const reply = up
    ? plainAnswer(200, JSON_TYPE, '{"status":"up"}')
    : plainAnswer(503, JSON_TYPE, '{"status":"down"}', { 'Retry-After': '1' });
  return { ...reply, isUnfenced: true };
}

/** Pages of the metrics port. */
export const PAGES = new Set(['/metrics', '/health/live', '/health/ready']);
const HEALTH_PAGES: ReadonlySet<string> = new Set(['/health/live', '/health/ready', '/health/role']);

/** Also asks whether the continuous backup ships. */
const BACKUP = /[?&]backup=true(?:&|$)/i;
/** Asks for the service's tables in the document. */
const TABLES = /[?&]tables=true(?:&|$)/i;

export class PageHandler {
  readonly #options: PageOptions;
  readonly #replies: ReplyWriter;

  constructor(options: PageOptions, replies: ReplyWriter) {
    this.#options = options;
    this.#replies = replies;
  }

  /** Responds with the metrics, which are needed most while nothing else works. */
  async #metrics(
    outcome: MaybePromise<Outcome>,
    incoming: RequestHead,
    extra: ExtraHeaders | undefined,
  ): Promise<Reply> {
    try {
      return { ...(await this.#replies.respond(await outcome, incoming, extra)), isUnfenced: true };
    } catch (error) {
      return this.#replies.failed(error, incoming, extra);
    }
  }

  /** Responds to health checks. They need no credentials, so they reveal nothing about the data. */
  health(path: string, incoming: RequestHead, isStopping: boolean): MaybePromise<Reply> | undefined {
    if (!HEALTH_PAGES.has(path)) return undefined;
    const { method, target } = incoming.line;
    if (method !== 'GET' && method !== 'HEAD') return this.#replies.rejectMethod(PAGE_METHODS, incoming, undefined);
    if (path === '/health/role') return this.#role(incoming);
    if (path === '/health/live') return healthAnswer(true);
    if (isStopping) return healthAnswer(false);
    const ready = this.#options.pages.ready(BACKUP.test(target));
    return ready instanceof Promise ? ready.then(healthAnswer, () => healthAnswer(false)) : healthAnswer(ready);
  }

  /** Responds with the role of a service with failover. */
  async #role(incoming: RequestHead): Promise<Reply> {
    try {
      const status = await this.#options.pages.role?.();
      if (status === undefined) throw gridError('PATH_NOT_FOUND', this.#options.endpoint);
      return { ...plainAnswer(200, JSON_TYPE, JSON.stringify(publicStatus(status))), isUnfenced: true };
    } catch (error) {
      return this.#replies.failed(error, incoming, undefined);
    }
  }

  async #document(incoming: RequestHead, extra: ExtraHeaders | undefined): Promise<Reply> {
    try {
      return plainAnswer(200, JSON_TYPE, await this.#options.pages.openApi(), extra);
    } catch (error) {
      return this.#replies.failed(error, incoming, extra);
    }
  }

  async #home(accept: string | null, incoming: RequestHead, extra: ExtraHeaders | undefined): Promise<Reply> {
    try {
      const { type, body, headers } = await this.#options.pages.home(accept);
      return plainAnswer(200, type, body, { ...headers, ...extra });
    } catch (error) {
      return this.#replies.failed(error, incoming, extra);
    }
  }

  async #errorPage(
    found: Promise<Page | undefined>,
    incoming: RequestHead,
    extra: ExtraHeaders | undefined,
  ): Promise<Reply> {
    try {
      const page = await found;
      if (page === undefined) throw gridError('PATH_NOT_FOUND', this.#options.endpoint, ERROR_PLACE);
      const { type, body, headers } = page;
      return plainAnswer(200, type, body, { ...headers, ...extra });
    } catch (error) {
      return this.#replies.failed(error, incoming, extra);
    }
  }

  /** Responds with a file of the console, or the page itself. */
  async consoleFile(path: string, incoming: IncomingRequest, extra: ExtraHeaders | undefined): Promise<Reply> {
    const { line, block } = incoming;
    if (line.method !== 'GET' && line.method !== 'HEAD')
      return this.#replies.rejectMethod(PAGE_METHODS, incoming, extra);
    try {
      // Relative, so it works behind a proxy that adds a prefix.
      if (path === `${CONSOLE}/`) return plainAnswer(308, TEXT_TYPE, '', { ...extra, Location: '../console' });
      const file = await this.#options.pages.consoleFile(path.slice(CONSOLE.length + 1));
      if (file === undefined) throw gridError('PATH_NOT_FOUND', this.#options.endpoint);
      return staticFileAnswer(file, block.headers.get('accept-encoding'), extra);
    } catch (error) {
      return this.#replies.failed(error, incoming, extra);
    }
  }

  /** Redirects from /docs to the commands in the console; returns undefined for other paths. */
  docs(path: string, incoming: IncomingRequest, extra: ExtraHeaders | undefined): Reply | undefined {
    if (!this.#options.settings.docs || (path !== DOCS && path !== `${DOCS}/`)) return undefined;
    const { method } = incoming.line;
    if (method !== 'GET' && method !== 'HEAD') return this.#replies.rejectMethod(PAGE_METHODS, incoming, extra);
    const parent = path === DOCS ? '' : '../';
    return plainAnswer(302, TEXT_TYPE, '', { ...extra, Location: `${parent}console#/commands` });
  }

  /** Responds with a page. Throws PATH_NOT_FOUND. */
  page(path: string, incoming: IncomingRequest, extra: ExtraHeaders | undefined): MaybePromise<Reply> {
    const { line } = incoming;
    const accept = incoming.block.headers.get('accept') ?? null;
    const { pages, limits, settings } = this.#options;
    // Errors refer to their pages, so these exist even without the others.
    const isError = path === ERROR_PAGES || path.startsWith(`${ERROR_PAGES}/`);
    if (!isError && (!OWN_PAGES.has(path) || (path === '/' && !isHomeRequest(line, accept)))) {
      const place = placeFor(path, this.#options.endpoint, optionalPages(settings));
      throw gridError('PATH_NOT_FOUND', this.#options.endpoint, ...place);
    }
    if (line.method !== 'GET' && line.method !== 'HEAD')
      return this.#replies.rejectMethod(PAGE_METHODS, incoming, extra);
    if (isError) return this.#errorPage(pages.errorPage(path, accept), incoming, extra);
    if (path === '/openapi.json' && TABLES.test(line.target) && pages.openApiWithTables !== undefined) {
      return pages.openApiWithTables(new HttpResourceRequest(path, NO_ADDRESS, incoming)).then(
        (outcome) => this.#replies.respond(outcome, incoming, extra),
        (error: unknown) => this.#replies.failed(error, incoming, extra),
      );
    }
    if (path === '/openapi.json') return this.#document(incoming, extra);
    if (path === '/') return this.#home(accept, incoming, extra);
    const outcome = pages.metrics(
      new HttpRequest(readQuery(line.target, path.length + 1, limits.parametersPerRequest), incoming),
    );
    return this.#metrics(outcome, incoming, extra);
  }
}
