/** The changes by key that wait for a statement that holds the write lock. */
export interface ChangeQueue {
  /** Reports whether changes have to wait now. */
  isHeld(): boolean;
  /** Adds a change of the claimant with this key. Returns what to call when the change has ended. Throws OVERLOADED. */
  enter(key: string): () => void;
}
