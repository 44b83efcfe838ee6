/** Preloaded into a service: no SQLite extension can be loaded, as on other platforms or a disk without execution. */
import { Database } from 'bun:sqlite';

Database.prototype.loadExtension = () => {
  throw new Error('extensions cannot be loaded here');
};
