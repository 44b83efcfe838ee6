/** Makes one read of a recorded history stale, as a cache without invalidation would. */

interface Operation {
  readonly fields: readonly string[];
  readonly key: string;
  readonly call: number;
  readonly end: number;
  readonly name: string;
  readonly argument: string;
}

function parse(line: string): Operation {
  const fields = line.split('\t');
  const [key = '', , call = '', end = '', name = '', argument = ''] = fields;
  return { fields, key, call: Number(call), end: Number(end), name, argument };
}

/** Two writes of a key, one after the other, both answered before a read began: the read returns the first value. */
export function plantStaleRead(history: string): { readonly history: string; readonly key: string } {
  const lines = history.trimEnd().split('\n');
  const written = new Map<string, Operation[]>();
  for (const [index, line] of lines.entries()) {
    const operation = parse(line);
    const { key, call, end, name, fields } = operation;
    const writes = written.get(key) ?? [];
    written.set(key, writes);
    if (name === 'put' && end >= 0) writes.push(operation);
    if (name !== 'read') continue;
    const last = writes.findLast((write) => write.end < call);
    const before = last && writes.findLast((write) => write.end < last.call);
    // Well into the history, so that the checker has to follow it.
    if (before === undefined || index < lines.length / 2) continue;
    lines[index] = [...fields.slice(0, 7), before.argument].join('\t');
    return { history: `${lines.join('\n')}\n`, key };
  }
  throw new Error('the history has no read after two writes');
}
