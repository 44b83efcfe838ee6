/** Combines the queries of many histories into one request. */

/** How long a query waits for others. */
const WAIT_MS = 15;

export class Together<Question, Answer> {
  readonly #most: number;
  readonly #answer: (questions: readonly Question[]) => Promise<readonly Answer[]>;
  #waiting: Array<{ readonly question: Question; readonly promise: PromiseWithResolvers<Answer> }> = [];

  /** `answer` answers up to `most` queries, in order. */
  constructor(most: number, answer: (questions: readonly Question[]) => Promise<readonly Answer[]>) {
    this.#most = most;
    this.#answer = answer;
  }

  ask(question: Question): Promise<Answer> {
    const promise = Promise.withResolvers<Answer>();
    this.#waiting.push({ question, promise });
    if (this.#waiting.length >= this.#most) this.#send();
    else if (this.#waiting.length === 1) setTimeout(() => this.#send(), WAIT_MS);
    return promise.promise;
  }

  async #send(): Promise<void> {
    const asked = this.#waiting;
    this.#waiting = [];
    if (asked.length === 0) return;
    try {
      const answers = await this.#answer(asked.map(({ question }) => question));
      if (answers.length !== asked.length) throw new Error(`${answers.length} answers to ${asked.length} questions`);
      for (const [index, answer] of answers.entries()) asked[index]?.promise.resolve(answer);
    } catch (error) {
      for (const { promise } of asked) promise.reject(error);
    }
  }
}
