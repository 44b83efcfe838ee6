/** Checks the connection to the service: when a request has failed, and regularly. */
import { computed } from '@preact/signals';
import { connection, isOut, noteConnection, upgradedAtMs } from './connection.ts';
import { endedAtMs, serviceName, signedIn } from './session.ts';
import { signatureHeaders } from './signature.ts';

/** Whether the page may be out of date because nothing can be reread at present. */
export const isStale = computed(() => isOut.value || endedAtMs.value !== undefined);

/** A service that takes longer counts as not responding. */
const ANSWER_MS = 10_000;
/** Often enough to notice within seconds, without loading the service. */
const EVERY_MS = 5_000;
/** While something is wrong: the page recovers within a second of the cause ending. */
const RETRY_MS = 1_000;
/** How often the page asks whether the service serves a different build of it. */
const BUILD_EVERY_MS = 60_000;
/** Samples of the load are taken every five seconds. */
const SAMPLE_MS = 15_000;

interface Answer {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly response: unknown;
}

const NO_ANSWER: Answer = { status: 0, code: '', message: '', response: null };
/** Responses of proxies that cannot reach the service. */
const GATEWAY: ReadonlySet<number> = new Set([502, 504]);

/** Sends a command, bypassing the rest of the page, whose requests wait for this result. */
async function ask(cmd: string, params: object = {}): Promise<Answer> {
  const token = signedIn.peek()?.token;
  try {
    const response = await fetch(`${serviceName}/${cmd}`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        ...(await signatureHeaders()),
      },
      body: JSON.stringify({ ...params, errors: 'object', httpStatus: true }),
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    const envelope = Object(await response.json().catch(() => null));
    const { code = '', message = '' } = Object(envelope.error);
    return { status: response.status, code: String(code), message: String(message), response: envelope.response };
  } catch {
    return NO_ANSWER;
  }
}

/** Sends a load balancer's request. Returns the status, 0 without a response, and the time by the service's clock. */
async function readReadiness(): Promise<{ readonly status: number; readonly nowMs: number }> {
  try {
    const response = await fetch('health/ready', { cache: 'no-store', signal: AbortSignal.timeout(ANSWER_MS) });
    // A response whose body is not read keeps its connection.
    await response.arrayBuffer();
    const nowMs = Date.parse(response.headers.get('Date') ?? '');
    return { status: response.status, nowMs: Number.isNaN(nowMs) ? Date.now() : nowMs };
  } catch {
    return { status: 0, nowMs: 0 };
  }
}

/** Returns whether the latest sample of the load says that the disk is down to its reserve. */
async function isDiskFull(nowMs: number): Promise<boolean> {
  const { status, response } = await ask('metricshistory', { after: nowMs - SAMPLE_MS });
  // Users who may not read the load learn it from a rejected change.
  if (status !== 200) return connection.peek().kind === 'diskFull';
  const { series, limits } = Object(response);
  const free = (Object(series).diskFreeBytes ?? []).at(-1);
  const reserve = Object(limits).diskReserveBytes;
  return typeof free === 'number' && typeof reserve === 'number' && free < reserve;
}

async function check(): Promise<void> {
  const { status: ready, nowMs } = await readReadiness();
  if (ready === 200) return noteConnection('connected');
  if (ready === 0 || GATEWAY.has(ready)) return noteConnection('stopped');
  const { status, code, message } = await ask('probe');
  if (status === 0 || GATEWAY.has(status)) return noteConnection('stopped');
  if (code === 'STANDBY' || code === 'DEPOSED') return noteConnection('standby', primaryIn(message));
  if (code === 'NOT_READY') return noteConnection('starting');
  if ((await ask('state')).response === 'INACTIVE') return noteConnection('inactive');
  noteConnection((await isDiskFull(nowMs)) ? 'diskFull' : 'notReady');
}

/** Returns the address that the error STANDBY names, or undefined while it is not known. */
export function primaryIn(message: string): string | undefined {
  return /primary is (https?:\/\/\S+)/.exec(message)?.[1];
}

let checking: Promise<void> | undefined;

/** Determines the current state. Concurrent callers share the result. */
export function checkConnection(): Promise<void> {
  checking ??= check().finally(() => {
    checking = undefined;
  });
  return checking;
}

const SCRIPT = /page-[\w-]+\.js/;

/** Checks whether the service serves a different build of the console, whose parts this page cannot load. */
export async function checkBuild(): Promise<void> {
  const own = SCRIPT.exec(document.querySelector('script[type=module]')?.getAttribute('src') ?? '')?.[0];
  try {
    const response = await fetch(location.pathname, { cache: 'no-cache', signal: AbortSignal.timeout(ANSWER_MS) });
    const served = SCRIPT.exec(response.ok ? await response.text() : '')?.[0];
    if (served !== undefined && served !== own) upgradedAtMs.value ??= Date.now();
    else if (served === own) upgradedAtMs.value = undefined;
  } catch {
    // The state of the connection says that.
  }
}

/** Follows the connection while the page is visible, until the returned function is called. */
export function followConnection(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let buildCheckedMs = Date.now();
  let isRunning = false;
  let isOver = false;
  const next = async (): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    const before = connection.peek().kind;
    const isVisible = document.visibilityState === 'visible';
    if (isVisible) await checkConnection();
    const { kind } = connection.peek();
    if (isVisible && kind === 'connected' && (before !== kind || Date.now() - buildCheckedMs >= BUILD_EVERY_MS)) {
      buildCheckedMs = Date.now();
      await checkBuild();
    }
    isRunning = false;
    clearTimeout(timer);
    if (!isOver) timer = setTimeout(next, kind === 'connected' ? EVERY_MS : RETRY_MS);
  };
  const now = (): void => void next();
  const ignore = connection.subscribe(({ kind }) => {
    if (kind === 'connected' || isRunning) return;
    clearTimeout(timer);
    timer = setTimeout(next, RETRY_MS);
  });
  document.addEventListener('visibilitychange', now);
  addEventListener('online', now);
  now();
  return () => {
    isOver = true;
    clearTimeout(timer);
    ignore();
    document.removeEventListener('visibilitychange', now);
    removeEventListener('online', now);
  };
}
