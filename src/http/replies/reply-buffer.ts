/**
 * A buffer in which short replies are put together. It costs less to send than a text, which the runtime puts
 * together and copies each time.
 */

/** Replies with longer bodies are sent as texts. */
export const BUFFERED_BYTES = 4 * 1024;
const HEAD_BYTES = 2 * 1024;

export class ReplyBuffer {
  readonly bytes = Buffer.alloc(HEAD_BYTES + BUFFERED_BYTES);
  /** The head at the start of the buffer: many replies after each other have the same. */
  #head = '';
  #headBytes = 0;

  /** Writes head and body, both of ASCII. Returns their length; 0 if they are too long. */
  set(head: string, body: string): number {
    if (head.length > HEAD_BYTES || body.length > BUFFERED_BYTES) return 0;
    if (head !== this.#head) {
      this.#head = head;
      this.#headBytes = this.bytes.write(head, 0, 'latin1');
    }
    return this.#headBytes + this.bytes.write(body, this.#headBytes, 'latin1');
  }
}
