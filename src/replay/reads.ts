/** Recognizes the requests that change nothing. */
import { findCommand } from '../commands/registry.ts';
import { analyze } from '../sql/analysis/analysis.ts';
import type { RequestParameters } from './exchange.ts';

/** Reports whether a request changes nothing. An unknown command counts as one that does. */
export function isRead({ cmd, params }: RequestParameters): boolean {
  const command = findCommand(cmd);
  if (command === undefined || command.access === 'write') return false;
  if (command.rightsOn !== 'statement') return true;
  const { kind, writes } = analyze(params.get(command.subject ?? '') ?? '');
  return (kind === 'query' || kind === 'explain') && writes.length === 0;
}
