/** A task that ends its process. */
import type { TaskFunction } from 'svc';

const crashingTask: TaskFunction = () => process.exit(1);

export default crashingTask;
