/** The budget for request bytes, including whose share they use. */
import { networkTenant } from '../service/request.ts';
import type { BufferAccount, BufferBudget } from './buffer-budget.ts';
import { NO_HEADERS } from './head/head.ts';
import type { Peer, ReceivedHead, RequestHandler } from './incoming-request.ts';

export class RequestBuffers {
  readonly #budget: BufferBudget;
  readonly #handler: Pick<RequestHandler, 'authenticates' | 'tenantOf'>;

  constructor(budget: BufferBudget, handler: Pick<RequestHandler, 'authenticates' | 'tenantOf'>) {
    this.#budget = budget;
    this.#handler = handler;
  }

  /** Opens the account for a request body that is still arriving. */
  openBody(request: ReceivedHead, isAuthenticated: boolean): BufferAccount {
    const tenant = () => this.#handler.tenantOf(request);
    return this.#budget.open({ isAuthenticated: isAuthenticated || !this.#handler.authenticates, tenant });
  }

  /** Opens the account for a client's bytes that do not form a request yet. */
  openWaiting(peer: Peer): BufferAccount {
    const tenant = () => networkTenant(peer.networkOf(NO_HEADERS));
    return this.#budget.open({ isAuthenticated: !this.#handler.authenticates, tenant });
  }
}
