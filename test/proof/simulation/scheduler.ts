/**
 * Runs the threads of a service as roles in one thread. One event happens at a time: a message is received, a timer is
 * due, a tick ends, a client sends. The seed chooses which of the possible events is next, so that it determines the
 * order and the delays of everything, and a run repeats exactly.
 */

import type { Clock, Timer } from '../../../src/base/clock.ts';
import type { ChannelPort } from '../../../src/base/rpc-channel.ts';
import type { Random } from '../../simulation/random.ts';

interface RoleTimer {
  dueMs: number;
  readonly intervalMs: number | undefined;
  readonly action: () => void;
}

/** An event that may be next. */
interface Possible {
  readonly role: string;
  readonly kind: string;
  readonly run: () => void;
}

/** Something besides the roles that has events, such as a client. */
export interface EventSource {
  readonly name: string;
  isReady(): boolean;
  run(): void;
}

const START_MS = 1_700_000_000_000;
/** Probability per event that a role stalls, and the longest stall, in ms. */
const STALL_CHANCE = 0.004;
const STALL_MS = 400;
/** Probability per event that time passes, and that it jumps ahead by up to the longest jump. */
const PASS_CHANCE = 0.2;
const JUMP_CHANCE = 0.0005;
const JUMP_MS = 5_000;

export class Scheduler {
  readonly #random: Random;
  readonly #trace: (line: string) => void;
  readonly roles = new Set<Role>();
  readonly sources: EventSource[] = [];
  nowMs = START_MS;
  events = 0;
  /** Nothing stalls and time does not jump, so everything pending ends. */
  isCalm = false;

  constructor(random: Random, trace: (line: string) => void) {
    this.#random = random;
    this.#trace = trace;
  }

  addRole(name: string): Role {
    const role = new Role(name, this);
    this.roles.add(role);
    return role;
  }

  /** Runs the next event and everything that follows from it at once. */
  async next(): Promise<void> {
    this.events += 1;
    this.#passTime();
    const possible = this.#possible();
    const chosen = possible[this.#random.below(possible.length)];
    if (chosen === undefined) return this.#skipTime();
    this.#trace(`${this.nowMs} ${chosen.role} ${chosen.kind}`);
    chosen.run();
    // All continuations of promises run before the next macrotask.
    await new Promise(setImmediate);
  }

  #passTime(): void {
    const random = this.#random;
    if (random.fraction() < PASS_CHANCE) this.nowMs += 1;
    if (this.isCalm) return;
    if (random.fraction() < JUMP_CHANCE) this.nowMs += random.below(JUMP_MS);
    if (random.fraction() >= STALL_CHANCE) return;
    const roles = [...this.roles];
    const role = roles[random.below(roles.length)];
    if (role !== undefined) role.stalledUntilMs = this.nowMs + random.below(STALL_MS);
  }

  #possible(): Possible[] {
    const possible: Possible[] = [];
    for (const role of this.roles) role.addPossible(possible);
    for (const source of this.sources) {
      if (source.isReady()) possible.push({ role: source.name, kind: 'sends', run: () => source.run() });
    }
    return possible;
  }

  /** Moves time to the next one at which something is possible. */
  #skipTime(): void {
    let dueMs = Number.POSITIVE_INFINITY;
    for (const role of this.roles) dueMs = Math.min(dueMs, role.nextMs());
    if (Number.isFinite(dueMs)) this.nowMs = Math.max(this.nowMs, dueMs);
  }
}

/** A thread of the service: its clock and the messages that it has been sent. */
export class Role implements Clock {
  readonly name: string;
  readonly #scheduler: Scheduler;
  readonly #timers = new Set<RoleTimer>();
  readonly #ports: Port[] = [];
  #endOfTick: Array<() => void> = [];
  #nextTick: Array<() => void> = [];
  stalledUntilMs = 0;
  /** By how much its clock differs from that of the others. */
  skewMs = 0;

  constructor(name: string, scheduler: Scheduler) {
    this.name = name;
    this.#scheduler = scheduler;
  }

  nowMs(): number {
    return this.#scheduler.nowMs + this.skewMs;
  }

  monotonicMs(): number {
    return this.#scheduler.nowMs;
  }

  threadCpuMs(): number {
    return this.#scheduler.nowMs;
  }

  after(delayMs: number, action: () => void): Timer {
    return this.#add({ dueMs: this.#scheduler.nowMs + delayMs, intervalMs: undefined, action });
  }

  every(intervalMs: number, action: () => void): Timer {
    return this.#add({ dueMs: this.#scheduler.nowMs + intervalMs, intervalMs: Math.max(1, intervalMs), action });
  }

  endOfTick(action: () => void): void {
    this.#endOfTick.push(action);
  }

  nextTick(action: () => void): void {
    this.#nextTick.push(action);
  }

  pollDelay(): Promise<void> {
    return new Promise((resolve) => this.after(1, resolve));
  }

  /** Ends the role like a dying thread: none of its events happens any more. */
  end(): void {
    this.#scheduler.roles.delete(this);
    for (const port of this.#ports) port.close();
  }

  addPort(port: Port): void {
    this.#ports.push(port);
  }

  removePort(port: Port): void {
    const index = this.#ports.indexOf(port);
    if (index >= 0) this.#ports.splice(index, 1);
  }

  addPossible(possible: Possible[]): void {
    if (this.stalledUntilMs > this.#scheduler.nowMs) return;
    const add = (kind: string, run: () => void) => possible.push({ role: this.name, kind, run });
    if (this.#endOfTick.length > 0) add('ends its tick', () => this.#runEndOfTick());
    if (this.#nextTick.length > 0) add('begins a tick', () => this.#nextTick.shift()?.());
    for (const port of this.#ports) {
      if (port.hasMessage) add(`receives on ${port.name}`, () => port.receive());
    }
    const timer = this.#nextTimer();
    if (timer !== undefined && timer.dueMs <= this.#scheduler.nowMs) add('runs a timer', () => this.#run(timer));
  }

  /** Returns the time of the next event that is not possible yet. */
  nextMs(): number {
    return Math.max(this.stalledUntilMs, this.#nextTimer()?.dueMs ?? 0);
  }

  #runEndOfTick(): void {
    const actions = this.#endOfTick;
    this.#endOfTick = [];
    // An action that is added meanwhile belongs to the same tick.
    for (let done = 0; done < actions.length; done++) {
      actions[done]?.();
      actions.push(...this.#endOfTick.splice(0));
    }
  }

  #run(timer: RoleTimer): void {
    if (timer.intervalMs === undefined) this.#timers.delete(timer);
    else timer.dueMs = this.#scheduler.nowMs + timer.intervalMs;
    timer.action();
  }

  #nextTimer(): RoleTimer | undefined {
    let next: RoleTimer | undefined;
    for (const timer of this.#timers) if (next === undefined || timer.dueMs < next.dueMs) next = timer;
    return next;
  }

  #add(timer: RoleTimer): Timer {
    this.#timers.add(timer);
    return { cancel: () => void this.#timers.delete(timer) };
  }
}

/** The fate of a message; by default, it arrives once. */
export type Transmission = (port: Port, message: unknown) => readonly unknown[];

/** One end of a channel. Messages of one direction keep their order, like those of a MessagePort. */
export class Port implements ChannelPort {
  readonly name: string;
  readonly #role: Role;
  readonly #transmission: Transmission;
  readonly #received: unknown[] = [];
  #listener: ((message: unknown) => void) | undefined;
  #peer: Port | undefined;

  constructor(name: string, role: Role, transmission: Transmission) {
    this.name = name;
    this.#role = role;
    this.#transmission = transmission;
    role.addPort(this);
  }

  /** Returns the two ends of a channel between roles. */
  static pair(left: Role, right: Role, transmission: Transmission): readonly [Port, Port] {
    const ends = [new Port(right.name, left, transmission), new Port(left.name, right, transmission)] as const;
    ends[0].#peer = ends[1];
    ends[1].#peer = ends[0];
    return ends;
  }

  postMessage(message: unknown): void {
    const peer = this.#peer;
    if (peer === undefined) return;
    for (const each of this.#transmission(peer, structuredClone(message))) peer.#received.push(each);
  }

  on(_event: 'message', listener: (message: unknown) => void): void {
    this.#listener = listener;
  }

  take(): unknown {
    return this.#received.shift();
  }

  get hasMessage(): boolean {
    return this.#received.length > 0 && this.#listener !== undefined;
  }

  receive(): void {
    const message = this.#received.shift();
    if (message !== undefined) this.#listener?.(message);
  }

  close(): void {
    const peer = this.#peer;
    this.#peer = undefined;
    if (peer !== undefined) peer.#peer = undefined;
    this.#role.removePort(this);
  }
}
