/** How the value of a cell is changed: which field has its type, and which text the field stands for. */

export interface ValueInput {
  readonly type: 'text' | 'date' | 'time' | 'datetime-local' | 'boolean';
  readonly value: string;
}

const DATE = /^\d{4}-\d\d-\d\d$/;
const TIME = /^\d\d:\d\d:\d\d$/;
/** Fields of browsers have no more digits of a second. */
const TIMESTAMP = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d(?:\.\d{1,3})?)$/;

/** Returns the field for a type of arguments. A value that a field of the browser cannot show is changed as text. */
export function inputOf(argument: string, text: string | null): ValueInput {
  if (argument === 'boolean') return { type: 'boolean', value: text ?? '' };
  if (argument === 'date' && (text === null || text === '' || DATE.test(text)))
    return { type: 'date', value: text ?? '' };
  if (argument === 'time' && (text === null || text === '' || TIME.test(text)))
    return { type: 'time', value: text ?? '' };
  if (argument === 'timestamp') {
    if (text === null || text === '') return { type: 'datetime-local', value: '' };
    const [, day, time] = TIMESTAMP.exec(text) ?? [];
    if (day !== undefined && time !== undefined) return { type: 'datetime-local', value: `${day}T${time}` };
  }
  return { type: 'text', value: text ?? '' };
}

/** Returns the value that a field stands for. Dates and booleans without a value are NULL. */
export function textOfInput(argument: string, value: string): string | null {
  if (['boolean', 'date', 'time', 'timestamp'].includes(argument) && value === '') return null;
  const withSeconds = /(?:^|T)\d\d:\d\d$/.test(value) ? `${value}:00` : value;
  return argument === 'timestamp' ? withSeconds.replace('T', ' ') : argument === 'time' ? withSeconds : value;
}
