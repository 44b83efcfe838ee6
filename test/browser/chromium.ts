/** Headless Chromium for tests: installs it in CI, and drives pages over its DevTools protocol. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '../system/service-process.ts';
import { until } from '../system/until.ts';

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // The pages of containers with little shared memory crash without it.
  '--disable-dev-shm-usage',
];

function browser(): string | undefined {
  return Bun.which('chromium') ?? undefined;
}

/** Whether tests are skipped, because Chromium is missing. In CI it is installed. */
export const missing = browser() === undefined && process.env.SVC_TEST_CI !== 'true';

/** Installs Debian's chromium if it is missing. */
export async function installBrowser(): Promise<void> {
  if (browser() !== undefined) return;
  const install = 'apt-get install -y --no-install-recommends chromium';
  const child = Bun.spawn(['sh', '-c', `${install} || (apt-get update && ${install})`], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdout: 'ignore',
    stderr: 'ignore',
  });
  await child.exited;
}

/** A running Chromium. */
export interface Chromium extends AsyncDisposable {
  readonly exited: Promise<number>;
  /** Opens a page, empty at first. */
  open(): Promise<Page>;
}

/** Starts Chromium with a separate profile, at an address if one is given. */
export function startChromium(...args: readonly string[]): Chromium {
  const profile = newFolder();
  const child = Bun.spawn(
    [browser() ?? 'chromium', ...FLAGS, `--user-data-dir=${profile}`, '--remote-debugging-port=0', ...args],
    { stdout: 'ignore', stderr: 'ignore' },
  );
  return {
    exited: child.exited,
    open: () => openPage(profile),
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.exited;
      // Its helper processes may write a last file meanwhile.
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** A page that a test drives. */
export interface Page {
  /** Errors of the console, of scripts and of the content security policy, and failed requests. */
  readonly errors: readonly string[];
  /** Addresses of all requests. */
  readonly requests: readonly string[];
  goto(url: string): Promise<void>;
  /** Evaluates an expression in the page and returns its value, which must be JSON. Rejects if it throws. */
  evaluate(expression: string): Promise<unknown>;
  /** Evaluates an expression until it is true. */
  until(expression: string): Promise<void>;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message: string };
}

async function openPage(profile: string): Promise<Page> {
  const portFile = join(profile, 'DevToolsActivePort');
  await until(
    'Chromium accepts connections',
    () => existsSync(portFile) && readFileSync(portFile, 'utf8').includes('\n'),
    60_000,
  );
  const [port] = readFileSync(portFile, 'utf8').split('\n');
  const created = await fetch(`http://127.0.0.1:${port}/json/new?about:blank`, { method: 'PUT' });
  const { webSocketDebuggerUrl } = (await created.json()) as { webSocketDebuggerUrl: string };
  const socket = new WebSocket(webSocketDebuggerUrl);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error('the browser accepts no connection'));
  });
  const waiting = new Map<number, PromiseWithResolvers<Readonly<Record<string, unknown>>>>();
  const errors: string[] = [];
  const requests: string[] = [];
  let sent = 0;
  const send = (method: string, params: Readonly<Record<string, unknown>> = {}) => {
    const answer = Promise.withResolvers<Readonly<Record<string, unknown>>>();
    waiting.set(++sent, answer);
    socket.send(JSON.stringify({ id: sent, method, params }));
    return answer.promise;
  };
  socket.onmessage = ({ data }) => {
    const { id, method, params, result, error }: Message = JSON.parse(String(data));
    if (id !== undefined) {
      if (error === undefined) waiting.get(id)?.resolve(result ?? {});
      else waiting.get(id)?.reject(new Error(error.message));
      return;
    }
    const text = JSON.stringify(params);
    if (method === 'Network.requestWillBeSent') requests.push(/"url":"([^"]*)"/.exec(text)?.[1] ?? '');
    else if (method === 'Runtime.exceptionThrown' || method === 'Network.loadingFailed') errors.push(text);
    else if (method === 'Log.entryAdded' && text.includes('"level":"error"')) errors.push(text);
    else if (method === 'Runtime.consoleAPICalled' && /^\{"type":"(?:error|warning|assert)"/.test(text))
      errors.push(text);
  };
  for (const domain of ['Runtime', 'Log', 'Network', 'Page']) await send(`${domain}.enable`);
  const evaluate = async (expression: string): Promise<unknown> => {
    const answer = await send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    if (answer.exceptionDetails !== undefined) throw new Error(JSON.stringify(answer.exceptionDetails));
    return (answer.result as { readonly value?: unknown }).value;
  };
  return {
    errors,
    requests,
    async goto(url) {
      await send('Page.navigate', { url });
    },
    evaluate,
    until: (expression) => until(expression, async () => (await evaluate(expression)) === true, 60_000),
  };
}
