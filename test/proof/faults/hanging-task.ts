/** A task that never ends. */
import type { TaskFunction } from 'svc';

const hangingTask: TaskFunction = () => {
  for (;;);
};

export default hangingTask;
