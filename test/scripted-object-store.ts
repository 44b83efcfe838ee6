/** An object store in memory; each response of a script is used once in its place. It checks no signatures. */

/** Answers a request in place of the store; `LOST` means that it is executed, but its answer is lost. */
export type ScriptedAnswer = ((request: Request) => Response | Promise<Response>) | typeof LOST;
export const LOST = 'lost';

/** Answers with an error. */
export function failing(status: number, code: string, headers: Record<string, string> = {}): ScriptedAnswer {
  return () => errorOf(status, code, headers);
}

/** Ends the connection in the middle of an answer. */
export const cut: ScriptedAnswer = () => {
  const body = new ReadableStream({
    pull: (controller) => controller.error(new Error('cut')),
  });
  return new Response(body, { headers: { 'Content-Length': '100' } });
};

/** Does not answer. */
export const silent: ScriptedAnswer = async () => {
  await Bun.sleep(60_000);
  return new Response('');
};

export interface ScriptedStoreOptions {
  /** Whether conditions are checked. */
  readonly isConditional?: boolean;
  /**
   * The conditions that are not checked: those of requests with `If-Match`, or of requests that complete uploads in
   * parts.
   */
  readonly ignores?: 'match' | 'parts';
  readonly port?: number;
  readonly tls?: { readonly cert: string; readonly key: string };
}

interface StoredBytes {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly metadata: Readonly<Record<string, string>>;
  readonly modifiedMs: number;
}

export class ScriptedObjectStore implements Disposable {
  readonly #server: Bun.Server<undefined>;
  readonly #isConditional: boolean;
  readonly #ignores: ScriptedStoreOptions['ignores'];
  /** The parts of objects that are not complete, by the ids of their uploads. */
  readonly #parts = new Map<string, Map<number, Uint8Array>>();
  readonly objects = new Map<string, StoredBytes>();
  /** Method and path of each request, and the time that it sets. */
  readonly requests: string[] = [];
  /** The next answers. */
  readonly script: ScriptedAnswer[] = [];
  /** Answers every request while it is set. */
  outage: ScriptedAnswer | undefined;
  /** Decides by a request's method and path whether its answer is lost. */
  loses: (request: string) => boolean = () => false;
  /** Says of method and path of a request whether it is refused. */
  refuses: (request: string) => boolean = () => false;
  /** Called before a record that releases a lease is written. */
  onRelease: () => void | Promise<void> = () => {};
  /** Executes a request that the script does not answer. */
  protected around: (request: Request, execute: (request: Request) => Promise<Response>) => Promise<Response> = (
    request,
    execute,
  ) => execute(request);

  constructor({ isConditional = true, ignores, port = 0, tls }: ScriptedStoreOptions = {}) {
    this.#isConditional = isConditional;
    this.#ignores = ignores;
    this.#server = Bun.serve({ port, idleTimeout: 0, ...(tls && { tls }), fetch: (request) => this.#answer(request) });
  }

  get origin(): string {
    return this.#server.url.origin;
  }

  /** The URL of a folder in the bucket `bucket`, in the form of `backup.continuous.url`. */
  bucketUrl(folder: string): string {
    return `s3://bucket/${folder}?endpoint=${encodeURIComponent(this.origin)}`;
  }

  [Symbol.dispose](): void {
    this.#server.stop(true);
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    this.requests.push(`${request.method} ${pathname}`);
    if (this.refuses(`${request.method} ${pathname}`)) return errorOf(403, 'AccessDenied');
    const isLost = this.loses(`${request.method} ${pathname}`);
    const answer = isLost ? LOST : (this.outage ?? this.script.shift());
    if (answer === undefined) return this.around(request, (each) => this.#stored(each));
    if (answer !== LOST) return answer(request);
    await this.#stored(request);
    return errorOf(500, 'InternalError');
  }

  async #stored(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    // A condition is checked and the object written in one step.
    const body = await request.arrayBuffer();
    const isRelease = pathname.endsWith('/owner.json') && new TextDecoder().decode(body).includes('"released":true');
    if (isRelease) await this.onRelease();
    const found = this.objects.get(pathname);
    if (searchParams.has('list-type')) return this.#list(pathname, searchParams.get('prefix') ?? '');
    const upload = searchParams.get('uploadId');
    if (searchParams.has('uploads') || upload !== null) return this.#ofParts(request, body, upload);
    switch (request.method) {
      case 'PUT':
        return this.#put(request, new Uint8Array(body));
      case 'DELETE':
        this.objects.delete(pathname);
        return new Response(null, { status: 204 });
      default:
        return found === undefined ? errorOf(404, 'NoSuchKey') : read(request, found);
    }
  }

  #put({ url, headers }: Request, bytes: Uint8Array<ArrayBuffer>, isOfParts = false): Response {
    const { pathname } = new URL(url);
    const found = this.objects.get(pathname);
    const isAbsent =
      headers.get('if-none-match') !== '*' || found === undefined || (isOfParts && this.#ignores === 'parts');
    const match = headers.get('if-match');
    const isMatch = match === null || this.#ignores === 'match' || (found !== undefined && match === etagOf(found));
    if (this.#isConditional && !(isAbsent && isMatch)) return errorOf(412, 'PreconditionFailed');
    const metadata = Object.fromEntries([...headers].filter(([name]) => name.startsWith('x-amz-meta-')));
    const stored = { bytes, metadata, modifiedMs: Date.now() };
    this.objects.set(pathname, stored);
    return new Response(`<ETag>${etagOf(stored)}</ETag>`, { headers: { ETag: etagOf(stored) } });
  }

  /** Answers a request of an object of several parts. */
  #ofParts(request: Request, body: ArrayBuffer, upload: string | null): Response {
    const { searchParams } = new URL(request.url);
    if (upload === null) {
      if (request.method === 'GET') return new Response('<ListMultipartUploadsResult></ListMultipartUploadsResult>');
      const id = crypto.randomUUID();
      this.#parts.set(id, new Map());
      return new Response(`<UploadId>${id}</UploadId>`);
    }
    const parts = this.#parts.get(upload);
    if (parts === undefined) return errorOf(404, 'NoSuchUpload');
    switch (request.method) {
      case 'PUT':
        parts.set(Number(searchParams.get('partNumber')), new Uint8Array(body));
        return new Response('', { headers: { ETag: `"${Bun.hash(body)}"` } });
      case 'POST': {
        const bytes = [...parts].sort(([a], [b]) => a - b).map(([, part]) => part);
        return this.#put(request, new Uint8Array(Buffer.concat(bytes)), true);
      }
      default:
        this.#parts.delete(upload);
        return new Response(null, { status: 204 });
    }
  }

  #list(bucket: string, prefix: string): Response {
    const contents = [...this.objects]
      .map(([path, object]) => [path.slice(bucket.length), object] as const)
      .filter(([key]) => key.startsWith(prefix))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(
        ([key, { bytes, modifiedMs }]) =>
          `<Contents><Key>${key}</Key><Size>${bytes.length}</Size>` +
          `<LastModified>${new Date(modifiedMs).toISOString()}</LastModified></Contents>`,
      );
    return new Response(`<ListBucketResult>${contents.join('')}</ListBucketResult>`);
  }
}

function read(request: Request, { bytes, metadata, modifiedMs }: StoredBytes): Response {
  const headers = { ...metadata, ETag: etagOf({ bytes, metadata, modifiedMs }) };
  const [, from, to] = /bytes=(\d+)-(\d+)/.exec(request.headers.get('range') ?? '') ?? [];
  if (request.method === 'HEAD') {
    return new Response(null, { headers: { ...headers, 'Content-Length': String(bytes.length) } });
  }
  if (from === undefined) return new Response(bytes, { headers });
  if (Number(from) >= bytes.length) return errorOf(416, 'InvalidRange');
  const part = bytes.slice(Number(from), Number(to) + 1);
  const range = `bytes ${from}-${Number(from) + part.length - 1}/${bytes.length}`;
  return new Response(part, { status: 206, headers: { ...headers, 'Content-Range': range } });
}

function etagOf({ bytes }: StoredBytes): string {
  return `"${Bun.hash(bytes)}"`;
}

function errorOf(status: number, code: string, headers: Record<string, string> = {}): Response {
  return new Response(`<Error><Code>${code}</Code><Message>m</Message></Error>`, { status, headers });
}
