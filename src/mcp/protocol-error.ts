/** JSON-RPC codes for invalid JSON, and for JSON that is not a message. */
export const PARSE_ERROR = -32_700;
export const INVALID_REQUEST = -32_600;
/** JSON-RPC code for invalid arguments, including names of prompts that are not offered. */
export const INVALID_PARAMS = -32_602;
/** Code of the protocol for a resource that does not exist; the SDK has no name for it. */
export const RESOURCE_NOT_FOUND = -32_002;

/** An error that the SDK sends with its code and message. Its own `McpError` repeats the code in the text. */
export class ProtocolError extends Error {
  readonly code: number;

  constructor(code: typeof INVALID_PARAMS | typeof RESOURCE_NOT_FOUND, message: string) {
    super(message);
    this.code = code;
  }
}
