/** The tools for language models as the client of the protocol's official SDK calls them. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';

export interface Tools extends AsyncDisposable {
  readonly client: Client;
  /** Calls a tool and returns its text; an error has the prefix `error: `. */
  call(name: string, given: Record<string, unknown>): Promise<string>;
}

export async function connectTools(transport: Transport): Promise<Tools> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(transport);
  return {
    client,
    async call(name, given) {
      const { content, isError } = await client.callTool({ name, arguments: given });
      const [first] = content as ReadonlyArray<{ readonly text: string }>;
      return `${isError === true ? 'error: ' : ''}${first?.text}`;
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}
