/** Starts tasks and follows them to their results. */
import { signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Failure, Table, TextField } from '../elements/elements.tsx';
import { formatTime, formatValue } from '../elements/formats.ts';
import { call, callToShow, type Json, messageOf } from '../requests/request.ts';

/** Often enough to follow what happens, and no load for the service. */
const FOLLOW_MS = 1_000;

interface Task {
  readonly id: string;
  readonly name: string;
  readonly startedMs: number;
  readonly state: 'runs' | 'finished' | 'failed';
  readonly result: string;
}

interface Outcome {
  readonly id: string;
  readonly finished: boolean;
  readonly result: Json;
}

/** The tasks that this tab has started. */
const tasks = signal<readonly Task[]>([]);

/** Asks for the results of tasks that run. */
async function follow(): Promise<void> {
  for (const task of tasks.value.filter(({ state }) => state === 'runs')) {
    const change = (part: Partial<Task>): void => {
      tasks.value = tasks.value.map((each) => (each.id === task.id ? { ...each, ...part } : each));
    };
    try {
      const { response } = await callToShow('res', { id: task.id });
      const { finished, result } = response as unknown as Outcome;
      if (finished) change({ state: 'finished', result: formatValue(result) });
    } catch (problem) {
      change({ state: 'failed', result: messageOf(problem) });
    }
  }
}

export function Tasks() {
  const name = useSignal('');
  const params = useSignal('');
  const error = useSignal('');
  useEffect(() => {
    const timer = setInterval(() => void follow(), FOLLOW_MS);
    return () => clearInterval(timer);
  }, []);
  const start = async (event: Event): Promise<void> => {
    event.preventDefault();
    try {
      const args: unknown = params.value.trim() === '' ? [] : JSON.parse(params.value);
      const outcome = (await call('exe', { name: name.value, params: args, async: true })) as unknown as Outcome;
      const started = { id: outcome.id, name: name.value, startedMs: Date.now(), state: 'runs', result: '' } as const;
      tasks.value = [started, ...tasks.value];
      error.value = '';
    } catch (problem) {
      error.value = messageOf(problem);
    }
  };
  return (
    <section aria-labelledby="tasks">
      <h2 id="tasks">Tasks</h2>
      <form onSubmit={start}>
        <div class="form-row">
          <TextField label="Task" required value={name.value} onValue={(text) => (name.value = text)} />
          <TextField
            label="Arguments"
            hint={'A JSON list, such as ["a", 1].'}
            value={params.value}
            onValue={(text) => (params.value = text)}
          />
          <p class="actions">
            <button type="submit" class="primary" disabled={name.value === ''}>
              Start task
            </button>
          </p>
        </div>
        <Failure text={error.value} />
      </form>
      <Table
        caption="Tasks that this tab has started"
        columns={['Task', 'Started (UTC)', 'State', 'Result']}
        empty="This tab has started none."
        rows={tasks.value.map(({ id, name: task, startedMs, state, result }) => ({
          key: id,
          cells: [task, formatTime(startedMs), state, <code key="result">{result}</code>],
        }))}
      />
    </section>
  );
}
