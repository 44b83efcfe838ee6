/**
 * Puts services into network namespaces of their own: each side has one link to the store and one to the clients.
 * Either can lose every packet, as a broken network does: nobody is told, and what was sent arrives after the repair.
 */
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

/** Returns why there can be no namespaces here; undefined if there can. */
export function namespacesMissing(): string | undefined {
  if (process.platform !== 'linux' || Bun.which('ip') === null) return 'there is no `ip` of Linux';
  const name = `svc-probe-${process.pid}`;
  const link = `sp${process.pid}`.slice(0, 14);
  const isPossible = run('ip', 'netns', 'add', name) && run('ip', 'link', 'add', link, 'type', 'veth');
  run('ip', 'link', 'del', link);
  run('ip', 'netns', 'del', name);
  return isPossible ? undefined : 'network namespaces cannot be made here';
}

/** The namespace of one service. */
export class Side implements Disposable {
  readonly #name: string;
  readonly #number: number;
  readonly #cut = new Set<Link>();

  /** `number`: below 250, and of this side alone on the machine. */
  constructor(number: number) {
    this.#number = number;
    this.#name = `svc-side-${number}`;
    this[Symbol.dispose]();
    must('ip', 'netns', 'add', this.#name);
    must('ip', '-n', this.#name, 'link', 'set', 'lo', 'up');
    for (const link of ['store', 'clients'] as const) {
      const [here, there] = this.#devices(link);
      must('ip', 'link', 'add', here, 'type', 'veth', 'peer', 'name', there, 'netns', this.#name);
      must('ip', 'addr', 'add', `${this.#address(link, 1)}/30`, 'dev', here);
      must('ip', 'link', 'set', here, 'up');
      must('ip', '-n', this.#name, 'addr', 'add', `${this.#address(link, 2)}/30`, 'dev', there);
      must('ip', '-n', this.#name, 'link', 'set', there, 'up');
    }
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
