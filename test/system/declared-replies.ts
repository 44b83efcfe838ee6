/**
 * Checks recorded replies against the declarations of their commands. The declarations are the only source code that
 * tests of the running program import.
 */
import { findCommand } from '../../src/commands/registry.ts';
import { type Schema, schemaErrors } from '../json-schema.ts';

/** One request with its reply, as record-replies.mjs writes it. */
export interface RecordedReply {
  readonly method: string;
  readonly path: string;
  /** Body of the request. */
  readonly body: string;
  readonly http: number;
  /** Body of the response. */
  readonly text: string;
}

/** The members of every envelope (docs/spec/contract.md 2.1, docs/spec/ignite-data.md 2). */
const ENVELOPE: Schema = {
  type: 'object',
  required: ['successStatus', 'sessionToken', 'securitySubjectId', 'error', 'response'],
  properties: {
    successStatus: { enum: [0, 1, 2, 3, 4] },
    sessionToken: { type: ['string', 'null'] },
    securitySubjectId: { type: ['string', 'null'] },
    error: { type: ['string', 'null'] },
    affinityNodeId: { type: ['string', 'null'] },
    response: {},
  },
  additionalProperties: false,
};

/** Returns the name of the requested command, or undefined if there is no such command. */
export function commandOf({ path, body }: RecordedReply): string | undefined {
  const query = path.split('?')[1] ?? '';
  for (const text of [query, body]) {
    const name = new URLSearchParams(text).get('cmd');
    if (name !== null) return findCommand(name)?.name;
  }
  return undefined;
}

/** Returns the contradictions between a reply and the declaration of its command. */
export function misfitsOf(reply: RecordedReply): string[] {
  const name = commandOf(reply);
  const command = name === undefined ? undefined : findCommand(name);
  if (command === undefined || reply.http >= 400 || !['GET', 'POST'].includes(reply.method)) return [];
  const envelope = JSON.parse(reply.text) as { successStatus: number; error: string | null; response: unknown };
  const found = schemaErrors(ENVELOPE, envelope);
  if (envelope.successStatus === 0) {
    if (envelope.error !== null) found.push(`a success with the error ${envelope.error}`);
    found.push(...schemaErrors(command.reply.schema, envelope.response));
  } else if (envelope.error === null || envelope.response !== null) found.push('a failure without an error text');
  return found.map((sentence) => `${command.name}: ${sentence} (${reply.path.slice(0, 200)})`);
}
