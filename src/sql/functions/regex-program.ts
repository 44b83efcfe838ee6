/** Compiles parsed patterns to instructions for the matcher. */
import { gridError } from '../../base/errors.ts';
import { SQL_FUNCTION_BOUNDS } from '../../base/limits.ts';
import type { CharacterSet } from './regex-classes.ts';
import type { Assertion, ParsedRegex, RegexNode } from './regex-parser.ts';
import { RegexSyntaxError } from './regex-syntax-error.ts';

/** An instruction. Targets are indices of instructions. */
export type Instruction =
  | { readonly op: 'set'; readonly set: CharacterSet }
  /** Continues at `first`, and at `second` if that fails. `branch` numbers the branches of the program. */
  | { readonly op: 'split'; first: number; second: number; readonly branch: number }
  | { readonly op: 'jump'; to: number }
  /** Stores the position. */
  | { readonly op: 'save'; readonly slot: number }
  /** Jumps to `loop` unless nothing has been matched since the position in `slot`. */
  | { readonly op: 'repeat'; readonly slot: number; readonly loop: number }
  | { readonly op: 'assert'; readonly assertion: Assertion }
  | { readonly op: 'reference'; readonly group: number; readonly ignoreCase: boolean }
  /** Matches the instructions from the next one to `match` once, then continues at `next`. */
  | { readonly op: 'atomic'; next: number }
  | {
      readonly op: 'look';
      next: number;
      readonly negated: boolean;
      /** Length of a look-behind's match, or undefined for a look-ahead. */
      readonly behind: Width | undefined;
    }
  | { readonly op: 'match' };

export interface RegexProgram {
  readonly instructions: readonly Instruction[];
  /** Number of branches. */
  readonly branches: number;
  /** Positions that a match stores: each group's start and end, then the loops' positions. */
  readonly slots: number;
  readonly groups: number;
  readonly names: ReadonlyMap<string, number>;
  /** Whether a failed state may match later, because it also depends on a group's match. */
  readonly hasReferences: boolean;
  /** Whether matching is not linear in the string, so its steps are bounded. */
  readonly isIrregular: boolean;
  /** The first character of every match, if it is always the same. */
  readonly first: string | undefined;
}

/** Minimum and maximum number of UTF-16 code units. */
interface Width {
  readonly least: number;
  readonly most: number;
}

/** Compiles a pattern. Throws RegexSyntaxError, LIMIT_EXCEEDED. */
export function compileRegex({ root, groups, names }: ParsedRegex): RegexProgram {
  const compiler = new Compiler(groups);
  compiler.compile(root);
  compiler.emit({ op: 'match' });
  const { instructions, branches, slots } = compiler;
  return {
    instructions,
    branches,
    slots,
    groups,
    names,
    hasReferences: instructions.some(({ op }) => op === 'reference'),
    isIrregular: instructions.some(({ op }) => op === 'reference' || op === 'look' || op === 'atomic'),
    first: firstCharacter(root),
  };
}

class Compiler {
  readonly instructions: Instruction[] = [];
  branches = 0;
  slots: number;

  constructor(groups: number) {
    this.slots = 2 * groups;
  }

  get next(): number {
    return this.instructions.length;
  }

  emit<I extends Instruction>(instruction: I): I {
    const limit = SQL_FUNCTION_BOUNDS.regexInstructions;
    if (this.next >= limit)
      throw gridError('LIMIT_EXCEEDED', 'instructions of a regular expression', limit, 'more', 'fixed');
    this.instructions.push(instruction);
    return instruction;
  }

  compile(node: RegexNode): void {
    switch (node.kind) {
      case 'set':
        this.emit({ op: 'set', set: node.set });
        break;
      case 'sequence':
        for (const part of node.parts) this.compile(part);
        break;
      case 'choice':
        this.#choice(node.options);
        break;
      case 'repeat':
        this.#repeat(node);
        break;
      case 'group':
        this.emit({ op: 'save', slot: 2 * node.number });
        this.compile(node.body);
        this.emit({ op: 'save', slot: 2 * node.number + 1 });
        break;
      case 'atomic': {
        const atomic = this.emit({ op: 'atomic', next: 0 });
        this.#nested(node.body);
        atomic.next = this.next;
        break;
      }
      case 'look': {
        const width = node.behind ? widthOf(node.body) : undefined;
        if (width !== undefined && width.most > SQL_FUNCTION_BOUNDS.regexLookBehindCharacters)
          throw new RegexSyntaxError();
        const look = this.emit({ op: 'look', next: 0, negated: node.negated, behind: width });
        this.#nested(node.body);
        look.next = this.next;
        break;
      }
      case 'assertion':
        this.emit({ op: 'assert', assertion: node.assertion });
        break;
      case 'reference':
        this.emit({ op: 'reference', group: node.group, ignoreCase: node.ignoreCase });
        break;
    }
  }

  #nested(body: RegexNode): void {
    this.compile(body);
    this.emit({ op: 'match' });
  }

  #split(): Extract<Instruction, { op: 'split' }> {
    const split = this.emit({ op: 'split', first: 0, second: 0, branch: this.branches });
    this.branches += 1;
    split.first = this.next;
    return split;
  }

  #choice(options: readonly RegexNode[]): void {
    const ends: Array<Extract<Instruction, { op: 'jump' }>> = [];
    options.forEach((option, at) => {
      if (at === options.length - 1) {
        this.compile(option);
        return;
      }
      const split = this.#split();
      this.compile(option);
      ends.push(this.emit({ op: 'jump', to: 0 }));
      split.second = this.next;
    });
    for (const end of ends) end.to = this.next;
  }

  #repeat({ body, least, most, lazy }: Extract<RegexNode, { kind: 'repeat' }>): void {
    for (let copy = 0; copy < least; copy++) {
      const start = this.next;
      this.compile(body);
      // A body without instructions matches the empty string, however often it is repeated.
      if (this.next === start) return;
    }
    if (most === Number.POSITIVE_INFINITY) {
      this.#loop(body, lazy);
      return;
    }
    const splits: Array<Extract<Instruction, { op: 'split' }>> = [];
    for (let copy = least; copy < most; copy++) {
      splits.push(this.#split());
      const start = this.next;
      this.compile(body);
      if (this.next === start) break;
    }
    for (const split of splits) {
      split.second = this.next;
      if (lazy) [split.first, split.second] = [split.second, split.first];
    }
  }

  #loop(body: RegexNode, lazy: boolean): void {
    const loop = this.next;
    const split = this.#split();
    if (widthOf(body).least > 0) {
      this.compile(body);
      this.emit({ op: 'jump', to: loop });
    } else {
      const slot = this.slots;
      this.slots += 1;
      this.emit({ op: 'save', slot });
      this.compile(body);
      this.emit({ op: 'repeat', slot, loop });
    }
    split.second = this.next;
    if (lazy) [split.first, split.second] = [split.second, split.first];
  }
}

/** Returns the possible lengths of a match. */
function widthOf(node: RegexNode): Width {
  switch (node.kind) {
    case 'set':
      return { least: 1, most: 2 };
    case 'sequence':
      return node.parts.map(widthOf).reduce(
        (sum, { least, most }) => ({
          least: sum.least + least,
          most: sum.most + most,
        }),
        NO_WIDTH,
      );
    case 'choice':
      return node.options.map(widthOf).reduce((a, b) => ({
        least: Math.min(a.least, b.least),
        most: Math.max(a.most, b.most),
      }));
    case 'repeat': {
      const { least, most } = widthOf(node.body);
      return { least: least * node.least, most: most === 0 ? 0 : most * node.most };
    }
    case 'group':
    case 'atomic':
      return widthOf(node.body);
    case 'look':
    case 'assertion':
      return NO_WIDTH;
    case 'reference':
      return { least: 0, most: Number.POSITIVE_INFINITY };
  }
}

const NO_WIDTH: Width = { least: 0, most: 0 };

function firstCharacter(node: RegexNode): string | undefined {
  switch (node.kind) {
    case 'set':
      return node.set.only;
    case 'sequence': {
      const [part] = node.parts;
      return part === undefined ? undefined : firstCharacter(part);
    }
    case 'repeat':
      return node.least > 0 ? firstCharacter(node.body) : undefined;
    case 'group':
    case 'atomic':
      return firstCharacter(node.body);
    case 'choice':
    case 'look':
    case 'assertion':
    case 'reference':
      return undefined;
  }
}
