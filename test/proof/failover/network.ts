/**
 * Puts services into separate network namespaces: each side has one link to the store and one to the clients. Either
 * can lose every packet, as a broken network does: neither side is notified, and sent packets arrive after the repair.
 */
import { existsSync } from 'node:fs';

const STORE_NET = '10.231';
const CLIENT_NET = '10.232';

export type Link = 'store' | 'clients';

function run(...command: readonly string[]): boolean {
  return Bun.spawnSync([...command], { stdout: 'ignore', stderr: 'ignore' }).exitCode === 0;
}

function must(...command: readonly string[]): void {
  const { exitCode, stderr } = Bun.spawnSync([...command], { stdout: 'ignore', stderr: 'pipe' });
  if (exitCode !== 0) throw new Error(`${command.join(' ')}: ${stderr.toString()}`);
}

/** Returns why there can be no namespaces here, or undefined if there can. */
export function namespacesMissing(): string | undefined {
  if (process.platform !== 'linux' || Bun.which('ip') === null) return 'there is no `ip` of Linux';
  const name = `svc-probe-${process.pid}`;
  const link = `sp${process.pid}`.slice(0, 14);
  const isPossible = run('ip', 'netns', 'add', name) && run('ip', 'link', 'add', link, 'type', 'veth');
  run('ip', 'link', 'del', link);
  run('ip', 'netns', 'del', name);
  return isPossible ? undefined : 'network namespaces cannot be made here';
}

const NAME = /^svc-side-(\d+)-(\d+)$/;
const MAX_NUMBER = 249;

/** Returns the processes that created namespaces, by the numbers of the namespaces. */
function makers(): ReadonlyMap<number, number> {
  const { stdout } = Bun.spawnSync(['ip', 'netns', 'list']);
  const names = stdout
    .toString()
    .split('\n')
    .map((line) => NAME.exec(line.split(' ')[0] ?? ''));
  return new Map(names.flatMap((found) => (found === null ? [] : [[Number(found[1]), Number(found[2])] as const])));
}

function isAlive(processId: number): boolean {
  return existsSync(`/proc/${processId}`);
}

/** The namespace of one service. */
export class Side implements Disposable {
  readonly #name: string;
  readonly #number: number;
  readonly #cut = new Set<Link>();

  /** Creates a namespace with an unused number, and removes one that a killed process has left. */
  static open(): Side {
    const known = makers();
    for (let tries = 0; tries < MAX_NUMBER; tries++) {
      const number = 1 + ((process.pid + tries) % MAX_NUMBER);
      const maker = known.get(number);
      if (maker !== undefined && isAlive(maker)) continue;
      if (maker !== undefined) run('ip', 'netns', 'del', `svc-side-${number}-${maker}`);
      const side = new Side(number);
      if (side.#make()) return side;
    }
    throw new Error('there is no number left for a namespace');
  }

  private constructor(number: number) {
    this.#number = number;
    this.#name = `svc-side-${number}-${process.pid}`;
  }

  /** Returns false if another process has the number: its devices have the same names. */
  #make(): boolean {
    must('ip', 'netns', 'add', this.#name);
    must('ip', '-n', this.#name, 'link', 'set', 'lo', 'up');
    for (const link of ['store', 'clients'] as const) {
      const [here, there] = this.#devices(link);
      if (!run('ip', 'link', 'add', here, 'type', 'veth', 'peer', 'name', there, 'netns', this.#name)) {
        run('ip', 'netns', 'del', this.#name);
        return false;
      }
      must('ip', 'addr', 'add', `${this.#address(link, 1)}/30`, 'dev', here);
      must('ip', 'link', 'set', here, 'up');
      must('ip', '-n', this.#name, 'addr', 'add', `${this.#address(link, 2)}/30`, 'dev', there);
      must('ip', '-n', this.#name, 'link', 'set', there, 'up');
    }
    return true;
  }

  /** The command that runs a program in the namespace. */
  get under(): readonly string[] {
    return ['ip', 'netns', 'exec', this.#name];
  }

  /** The address at which clients reach the service. */
  get host(): string {
    return this.#address('clients', 2);
  }

  /** The address at which the service reaches the store. */
  get storeHost(): string {
    return this.#address('store', 1);
  }

  /** Loses every packet of a link, in both directions: they go to an interface that does not exist. */
  cut(link: Link): void {
    this.#cut.add(link);
    const [here, there] = this.#devices(link);
    const nobody = ['lladdr', '02:00:00:00:00:01', 'nud', 'permanent'];
    must('ip', 'neigh', 'replace', this.#address(link, 2), ...nobody, 'dev', here);
    must('ip', '-n', this.#name, 'neigh', 'replace', this.#address(link, 1), ...nobody, 'dev', there);
  }

  repair(): void {
    for (const link of this.#cut) {
      const [here, there] = this.#devices(link);
      must('ip', 'neigh', 'del', this.#address(link, 2), 'dev', here);
      must('ip', '-n', this.#name, 'neigh', 'del', this.#address(link, 1), 'dev', there);
    }
    this.#cut.clear();
  }

  [Symbol.dispose](): void {
    for (const link of ['store', 'clients'] as const) run('ip', 'link', 'del', this.#devices(link)[0]);
    run('ip', 'netns', 'del', this.#name);
  }

  #devices(link: Link): readonly [here: string, there: string] {
    return [`svc${link[0]}${this.#number}h`, `svc${link[0]}${this.#number}n`];
  }

  #address(link: Link, end: 1 | 2): string {
    return `${link === 'store' ? STORE_NET : CLIENT_NET}.${this.#number}.${end}`;
  }
}
