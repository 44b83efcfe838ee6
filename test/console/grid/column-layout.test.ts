/** Order, widths and visibility of the columns of a table. */
import { describe, expect, test } from 'bun:test';
import {
  type ColumnLayout,
  moveColumn,
  orderedNames,
  parseLayout,
  showColumn,
  shownColumns,
  USUAL_LAYOUT,
} from '../../../src/console/rows/column-layout.ts';

const NAMES = ['ID', 'DAY', 'SHOP'];
const layout = (part: Partial<ColumnLayout>): ColumnLayout => ({ ...USUAL_LAYOUT, ...part });

describe('the columns of a table', () => {
  test.each([
    ['as they are', {}, [0, 1, 2]],
    ['in another order', { order: ['SHOP', 'ID', 'DAY'] }, [2, 0, 1]],
    ['without hidden ones', { hidden: ['DAY'] }, [0, 2]],
    ['with one that was added since, behind the one before it', { order: ['SHOP', 'ID'] }, [2, 0, 1]],
    ['without one that is gone', { order: ['GONE', 'SHOP', 'ID', 'DAY'], hidden: ['GONE'] }, [2, 0, 1]],
    ['all, where none would be left', { hidden: NAMES }, [0, 1, 2]],
  ])('are shown %s', (_, part, shown) => {
    expect(shownColumns(NAMES, layout(part))).toEqual(shown);
  });

  test('are moved to the place of another one', () => {
    const moved = moveColumn(NAMES, USUAL_LAYOUT, { name: 'SHOP', to: 'ID' });
    expect(orderedNames(NAMES, moved)).toEqual(['SHOP', 'ID', 'DAY']);
    expect(orderedNames(NAMES, moveColumn(NAMES, moved, { name: 'SHOP', to: 'DAY' }))).toEqual(['ID', 'DAY', 'SHOP']);
  });

  test('are hidden and shown again', () => {
    const hidden = showColumn(USUAL_LAYOUT, 'DAY', false);
    expect(shownColumns(NAMES, hidden)).toEqual([0, 2]);
    expect(showColumn(hidden, 'DAY', true)).toEqual(USUAL_LAYOUT);
  });

  test.each([null, '', '{', '[]', '{"order":[1],"hidden":[],"widths":{}}', '{"order":[]}'])(
    'are as they are if %p is stored',
    (text) => expect(parseLayout(text)).toEqual(USUAL_LAYOUT),
  );

  test('are stored as text', () => {
    const stored = layout({ order: ['SHOP', 'ID', 'DAY'], hidden: ['DAY'], widths: { ID: 90 } });
    expect(parseLayout(JSON.stringify(stored))).toEqual(stored);
    expect(parseLayout(JSON.stringify({ ...stored, widths: { ID: 'wide', DAY: -1 } })).widths).toEqual({});
  });
});
