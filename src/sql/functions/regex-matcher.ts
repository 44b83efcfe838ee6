/**
 * Matches compiled regular expressions. It tries branches in the same order as Java's matcher and records the states
 * (branch, position) that have failed, so that none is tried twice and the time is linear in the string. Look-around,
 * possessive quantifiers and back-references work partly without that record, so their steps are bounded.
 */
import { gridError } from '../../base/errors.ts';
import { SQL_FUNCTION_BOUNDS } from '../../base/limits.ts';
import type { Assertion } from './regex-parser.ts';
import type { Instruction, RegexProgram } from './regex-program.ts';

/** Called repeatedly during a match; throws to cancel it. */
export type Poll = () => void;

/** Number of steps between polls. */
const POLL_STEPS = 1 << 17;
const NO_PLACE = -1;

const END: Instruction = { op: 'match' };

/** Memory that is reused for short strings. */
const SCRATCH = new Uint32Array(1 << 12);

/** Finds a program's matches in a string, one after another. */
export class RegexMatcher {
  readonly #program: RegexProgram;
  readonly #instructions: readonly Instruction[];
  readonly #text: string;
  readonly #poll: Poll;
  /** A bit for each state, set when it has failed, or undefined if the record would not be sound. */
  readonly #failed: Uint32Array | undefined;
  readonly #slots: Int32Array;
  readonly #stepLimit: number;
  #stack = new Int32Array(256);
  #top = 0;
  #steps = 0;

  /** Throws LIMIT_EXCEEDED for a string that is too long for the pattern. */
  constructor(program: RegexProgram, text: string, poll: Poll) {
    this.#program = program;
    this.#instructions = program.instructions;
    this.#text = text;
    this.#poll = poll;
    this.#slots = new Int32Array(program.slots).fill(NO_PLACE);
    this.#stepLimit = program.isIrregular ? SQL_FUNCTION_BOUNDS.regexSteps : Number.POSITIVE_INFINITY;
    const states = program.branches * (text.length + 1);
    const limit = SQL_FUNCTION_BOUNDS.regexStates;
    if (states > limit) throw gridError('LIMIT_EXCEEDED', 'states of a regular expression', limit, states, 'fixed');
    if (!program.hasReferences) this.#failed = bits(states);
  }

  /** Searches from a position. After true, {@link start}, {@link end} and {@link group} describe the match. */
  find(from: number): boolean {
    const text = this.#text;
    const { first } = this.#program;
    for (let at = from; at <= text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) {
      if (first !== undefined) {
        at = text.indexOf(first, at);
        if (at < 0) return false;
      }
      this.#slots.fill(NO_PLACE);
      this.#top = 0;
      const end = this.#run(0, at, NO_PLACE, this.#failed);
      if (end === NO_PLACE) continue;
      this.#slots[0] = at;
      this.#slots[1] = end;
      this.#forget(at, end);
      return true;
    }
    return false;
  }

  get start(): number {
    return this.#slots[0] ?? NO_PLACE;
  }

  get end(): number {
    return this.#slots[1] ?? NO_PLACE;
  }

  /** Returns the string that a group matched, or the empty string. */
  group(number: number): string {
    const [start, end] = [this.#slots[2 * number] ?? NO_PLACE, this.#slots[2 * number + 1] ?? NO_PLACE];
    return start < 0 || end < 0 ? '' : this.#text.slice(start, end);
  }

  /** Clears the record within a match, because some of its states led to it. States after it have all failed. */
  #forget(start: number, end: number): void {
    const failed = this.#failed;
    if (failed === undefined) return;
    const { branches } = this.#program;
    const last = (end + 1) * branches;
    for (let state = start * branches; state < last; state++) {
      const word = state >>> 5;
      if ((state & 31) === 0 && state + 32 <= last) {
        failed[word] = 0;
        state += 31;
      } else failed[word] = (failed[word] ?? 0) & ~(1 << (state & 31));
    }
  }

  /** Returns the end of the match that starts at `begin`, or NO_PLACE. `mustEnd`: the only valid end, or NO_PLACE. */
  #run(entry: number, begin: number, mustEnd: number, failed: Uint32Array | undefined): number {
    const text = this.#text;
    const base = this.#top;
    let pc = entry;
    let at = begin;
    for (;;) {
      this.#count();
      const instruction = this.#instructions[pc] ?? END;
      let matched = false;
      switch (instruction.op) {
        case 'set': {
          const code = text.codePointAt(at);
          matched = code !== undefined && instruction.set.has(code);
          at += code !== undefined && code > 0xffff ? 2 : 1;
          pc += 1;
          break;
        }
        case 'split':
          if (this.#hasFailed(instruction.branch, at, failed)) break;
          this.#push(instruction.second, at);
          pc = instruction.first;
          matched = true;
          break;
        case 'jump':
          pc = instruction.to;
          matched = true;
          break;
        case 'save':
          this.#push(-1 - instruction.slot, this.#slots[instruction.slot] ?? NO_PLACE);
          this.#slots[instruction.slot] = at;
          pc += 1;
          matched = true;
          break;
        case 'repeat':
          pc = this.#slots[instruction.slot] === at ? pc + 1 : instruction.loop;
          matched = true;
          break;
        case 'assert':
          matched = holds(instruction.assertion, text, at);
          pc += 1;
          break;
        case 'reference': {
          const end = this.#referenceEnd(instruction.group, instruction.ignoreCase, at);
          matched = end !== NO_PLACE;
          at = end;
          pc += 1;
          break;
        }
        case 'atomic': {
          const end = this.#nested(pc + 1, at, NO_PLACE);
          matched = end !== NO_PLACE;
          at = end;
          pc = instruction.next;
          break;
        }
        case 'look':
          matched = this.#looks(instruction, pc + 1, at);
          pc = instruction.next;
          break;
        case 'match':
          if (mustEnd === NO_PLACE || at === mustEnd) return at;
          break;
      }
      if (matched) continue;
      pc = this.#unwind(base);
      if (pc === NO_PLACE) return NO_PLACE;
      at = this.#stack[this.#top + 1] ?? 0;
    }
  }

  /** Backtracks to the last branch that has not been tried and returns its instruction, or NO_PLACE. */
  #unwind(base: number): number {
    while (this.#top > base) {
      this.#top -= 2;
      const target = this.#stack[this.#top] ?? 0;
      if (target >= 0) return target;
      this.#slots[-1 - target] = this.#stack[this.#top + 1] ?? NO_PLACE;
    }
    return NO_PLACE;
  }

  /** Reports whether the state has failed before, and records it as failed. */
  #hasFailed(branch: number, at: number, failed: Uint32Array | undefined): boolean {
    if (failed === undefined) return false;
    const state = at * this.#program.branches + branch;
    const word = failed[state >>> 5] ?? 0;
    const bit = 1 << (state & 31);
    failed[state >>> 5] = word | bit;
    return (word & bit) !== 0;
  }

  /** Matches once without backtracking into it: keeps only the stack entries that restore slots. */
  #nested(entry: number, at: number, mustEnd: number): number {
    const base = this.#top;
    const end = this.#run(entry, at, mustEnd, undefined);
    let kept = base;
    for (let from = base; from < this.#top; from += 2) {
      const target = this.#stack[from] ?? 0;
      if (target >= 0) continue;
      this.#stack[kept] = target;
      this.#stack[kept + 1] = this.#stack[from + 1] ?? 0;
      kept += 2;
    }
    this.#top = kept;
    return end;
  }

  #looks(look: Extract<Instruction, { op: 'look' }>, entry: number, at: number): boolean {
    const base = this.#top;
    let found = false;
    if (look.behind === undefined) found = this.#nested(entry, at, NO_PLACE) !== NO_PLACE;
    else {
      const farthest = Math.max(0, at - look.behind.most);
      for (let start = at - look.behind.least; start >= farthest && !found; start--) {
        found = this.#nested(entry, start, at) !== NO_PLACE;
      }
    }
    if (found && look.negated) {
      while (this.#top > base) {
        this.#top -= 2;
        this.#slots[-1 - (this.#stack[this.#top] ?? 0)] = this.#stack[this.#top + 1] ?? NO_PLACE;
      }
    }
    return found !== look.negated;
  }

  /** Returns the end of a repeated group match at `at`, or NO_PLACE. */
  #referenceEnd(group: number, ignoreCase: boolean, at: number): number {
    const [start, end] = [this.#slots[2 * group] ?? NO_PLACE, this.#slots[2 * group + 1] ?? NO_PLACE];
    if (start < 0 || end < start) return NO_PLACE;
    const captured = this.#text.slice(start, end);
    this.#steps += captured.length;
    const here = this.#text.slice(at, at + captured.length);
    const same = here === captured || (ignoreCase && here.toLowerCase() === captured.toLowerCase());
    return same ? at + captured.length : NO_PLACE;
  }

  #push(target: number, place: number): void {
    if (this.#top + 2 > this.#stack.length) {
      const limit = SQL_FUNCTION_BOUNDS.regexPending;
      // Each branch takes two entries.
      if (this.#stack.length >= 2 * limit) {
        throw gridError('LIMIT_EXCEEDED', 'pending branches of a regular expression', limit, 'more', 'fixed');
      }
      const larger = new Int32Array(this.#stack.length * 4);
      larger.set(this.#stack);
      this.#stack = larger;
    }
    this.#stack[this.#top] = target;
    this.#stack[this.#top + 1] = place;
    this.#top += 2;
  }

  #count(): void {
    this.#steps += 1;
    if (this.#steps > this.#stepLimit) {
      throw gridError('LIMIT_EXCEEDED', 'steps of a regular expression', this.#stepLimit, 'more', 'fixed');
    }
    if (this.#steps % POLL_STEPS === 0) this.#poll();
  }
}

function bits(count: number): Uint32Array {
  const words = (count >>> 5) + 1;
  return words <= SCRATCH.length ? SCRATCH.fill(0, 0, words) : new Uint32Array(words);
}

function holds(assertion: Assertion, text: string, at: number): boolean {
  switch (assertion) {
    case 'textStart':
      return at === 0;
    case 'textEnd':
      return at === text.length;
    case 'lastLineEnd':
      return at === text.length || isLastLineEnd(text, at);
    case 'lineStart':
      return at < text.length && (at === 0 || isLineEnd(text, at - 1));
    case 'lineEnd':
      return at === text.length || isLineEnd(text, at);
    case 'wordBoundary':
      return isWord(text, at - 1) !== isWord(text, at);
    case 'noWordBoundary':
      return isWord(text, at - 1) === isWord(text, at);
    case 'never':
      return false;
  }
}

function isLastLineEnd(text: string, at: number): boolean {
  if (!isLineEnd(text, at)) return false;
  return at === text.length - 1 || (at === text.length - 2 && text.startsWith('\r\n', at));
}

function isLineEnd(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 10 || code === 13 || code === 0x85 || code === 0x2028 || code === 0x2029;
}

function isWord(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95;
}
