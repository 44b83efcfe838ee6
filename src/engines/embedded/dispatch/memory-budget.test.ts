import { expect, test } from 'bun:test';
import { GUARD_BLOCK_BYTES, GuardUsage } from '../native/statement-guard.ts';
import { SharedQueryState } from '../shared/shared-query-state.ts';
import { MemoryBudget } from './memory-budget.ts';

const MEBIBYTE = 1024 * 1024;
const TOTAL_BYTES = 192 * MEBIBYTE;
const START_BYTES = 30 * MEBIBYTE;

/** Processes 0 to 2, which began with {@link START_BYTES}; `resident` is their memory now, in MiB. */
function budgetOf(resident: readonly number[]) {
  const queryState = new SharedQueryState();
  const budget = new MemoryBudget(queryState, TOTAL_BYTES, (processId) => (resident[processId] ?? 0) * MEBIBYTE);
  const blocks = resident.map((_, index) => {
    const offset = queryState.guardOffset(index);
    return {
      doubles: new Float64Array(queryState.memory, offset, GUARD_BLOCK_BYTES / 8),
      ints: new Int32Array(queryState.memory, offset, GUARD_BLOCK_BYTES / 4),
    };
  });
  return {
    queryState,
    /** A bounded statement is running in the process, which had this many MiB when it began. */
    run(index: number, begun: number): void {
      const block = blocks[index];
      if (block === undefined) throw new Error(`no process ${index}`);
      block.doubles[1] = 128 * MEBIBYTE;
      block.doubles[8] = begun * MEBIBYTE;
      block.ints[11] = 1;
    },
    /** Checks once; returns the processes whose statements have been ended. */
    ended(): number[] {
      budget.check(resident.map((_, index) => ({ index, processId: index, begunBytes: START_BYTES })));
      return resident.flatMap((_, index) =>
        new GuardUsage(queryState.memory, queryState.guardOffset(index)).isEndedShared ? [index] : [],
      );
    },
  };
}

test('beyond the bound, the statement that has grown most ends', () => {
  const { run, ended } = budgetOf([130, 160, 90]);
  run(0, 30);
  run(1, 30);
  run(2, 30);
  expect(ended()).toEqual([1]);
});

test('within the bound no statement ends', () => {
  const { run, ended } = budgetOf([90, 90, 90]);
  for (const index of [0, 1, 2]) run(index, 30);
  expect(ended()).toEqual([]);
});

test('a process that returns the memory of an ended statement ends no other', () => {
  const { run, ended } = budgetOf([600, 40, 60]);
  run(1, 30);
  run(2, 30);
  expect(ended()).toEqual([]);
});

test('memory that a process had when the statement began does not end it', () => {
  const { run, ended, queryState } = budgetOf([240, 120, 30]);
  queryState.setCursors(0, 1);
  run(0, 238);
  run(1, 30);
  expect(ended()).toEqual([1]);
});

test('a statement that has hardly grown does not end whatever others hold', () => {
  const { run, ended, queryState } = budgetOf([300, 40, 30]);
  queryState.setCursors(0, 3);
  run(1, 30);
  expect(ended()).toEqual([]);
});
