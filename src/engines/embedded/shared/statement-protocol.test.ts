import { expect, test } from 'bun:test';
import { timeLimitMs } from '../../../grid/statement-budget.ts';
import { type SentQuery, withTimesOf } from './statement-protocol.ts';

const BUDGET = { timeMs: 60_000, maxTimeMs: 600_000 };
const USER = { key: 'user ann', isAdministrator: false };
const ADMINISTRATOR = { key: 'user svc', isAdministrator: true };
const HOUR_MS = 3_600_000;

function query(more: Partial<SentQuery>, sql = 'SELECT 1'): SentQuery {
  const { timeoutMs, tenant } = more;
  return {
    kind: 'fields',
    ...{ cache: '', owner: 'ann', pageSize: 1, args: [], ticket: 1, sentAtMs: 0, sql },
    format: 'json',
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(tenant !== undefined && { tenant }),
    ...(more.export !== undefined && { export: more.export }),
  };
}

const CASES: ReadonlyArray<readonly [what: string, sent: SentQuery, limitMs: number]> = [
  ['without a limit of its own', query({}), 60_000],
  ['with a shorter limit', query({ timeoutMs: 5 }), 5],
  ['with a longer limit', query({ timeoutMs: HOUR_MS, tenant: USER }), 600_000],
  ['of an unknown sender', query({ timeoutMs: HOUR_MS }), 600_000],
  ['of an administrator', query({ timeoutMs: HOUR_MS, tenant: ADMINISTRATOR }), HOUR_MS],
  ['of an administrator without a limit', query({ tenant: ADMINISTRATOR }), 60_000],
  ['that creates an index', query({ timeoutMs: HOUR_MS, tenant: USER }, 'CREATE INDEX i ON t (a)'), HOUR_MS],
  ['that drops an index', query({ timeoutMs: HOUR_MS, tenant: USER }, 'DROP INDEX i'), 600_000],
  ['that exports', query({ timeoutMs: HOUR_MS, export: { header: true, delimiter: ',', nullText: '' } }), HOUR_MS],
];

test.each(CASES)('the time limit of a statement %s', (_, sent, limitMs) => {
  expect(timeLimitMs(withTimesOf(BUDGET, sent), sent.timeoutMs ?? 0)).toBe(limitMs);
});

test('there is no maximum where the option has none', () => {
  const budget = { timeMs: 0, maxTimeMs: 0 };
  expect(timeLimitMs(withTimesOf(budget, query({})), 0)).toBe(0);
});
