/** Starts tasks, lists and ends running ones, and follows this tab's tasks to their results. */
import { signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ExeResult, TasklistResult } from '../../client/commands.ts';
import { useAttempt, useSending } from '../elements/attempt.ts';
import { Button, bound, Failure, Status, Table, TextField } from '../elements/elements.tsx';
import { formatDuration, formatValue } from '../elements/formats.ts';
import { ReadProblem } from '../elements/read-problem.tsx';
import { useLoaded } from '../requests/polling.ts';
import { call, callToShow, messageOf } from '../requests/request.ts';
import { missingFor } from './access.ts';
import { Permitted } from './controls.tsx';
import { Instant } from './instant.tsx';
import { TASK_NAMES } from './task-names.ts';

/** Often enough to follow what happens, without loading the service. */
const FOLLOW_MS = 1_000;
const LIST_MS = 2_000;

interface StartedTask {
  readonly id: string;
  readonly name: string;
  readonly startedMs: number;
  readonly endedMs: number | undefined;
  readonly state: 'runs' | 'finished' | 'failed';
  readonly result: string;
}

/** The tasks that this tab has started. */
const started = signal<readonly StartedTask[]>([]);

const STATES = { runs: 'running', finished: 'finished', failed: 'failed' } as const;

/** Asks for the results of tasks that run. */
async function follow(): Promise<void> {
  for (const task of started.value.filter(({ state }) => state === 'runs')) {
    const change = (part: Partial<StartedTask>): void => {
      started.value = started.value.map((each) => (each.id === task.id ? { ...each, ...part } : each));
    };
    try {
      const { response } = await callToShow('res', { id: task.id });
      const { finished, result } = response as unknown as ExeResult;
      if (finished) change({ state: 'finished', endedMs: Date.now(), result: formatValue(result) });
    } catch (problem) {
      change({ state: 'failed', endedMs: Date.now(), result: messageOf(problem) });
    }
  }
}

function StartForm({ onStarted }: { readonly onStarted: () => void }) {
  const name = useSignal('');
  const args = useSignal<readonly string[]>([]);
  const timeout = useSignal('');
  const { error, send } = useSending(async () => {
    const { id } = await call('exe', {
      name: name.value,
      params: args.value,
      async: true,
      ...(timeout.value !== '' && { timeout: Math.round(Number(timeout.value) * 1_000) }),
    });
    const task = { id, name: name.value, startedMs: Date.now(), endedMs: undefined, result: '' };
    started.value = [{ ...task, state: 'runs' }, ...started.value];
    onStarted();
  });
  const change = (at: number, text: string): void => {
    args.value = args.value.map((each, index) => (index === at ? text : each));
  };
  return (
    <form onSubmit={send}>
      <div class="form-row">
        <TextField
          label="Task"
          hint="A built-in task, or one from the configuration."
          required
          names={[...new Set([...TASK_NAMES, ...started.value.map((task) => task.name)])]}
          {...bound(name)}
        />
        {args.value.map((text, at) => (
          <TextField key={at} label={`Argument ${at + 1}`} value={text} onValue={(given) => change(at, given)} />
        ))}
        <TextField
          label="Time limit in seconds"
          hint="Empty: none."
          value={timeout.value}
          onValue={(text) => (timeout.value = text.replace(/[^\d.]/g, ''))}
        />
      </div>
      <p class="actions">
        <button type="submit" class="primary" disabled={name.value === ''}>
          Start task
        </button>
        <Button onClick={() => (args.value = [...args.value, ''])}>Add an argument</Button>
        {args.value.length > 0 && (
          <Button onClick={() => (args.value = args.value.slice(0, -1))}>Remove the last argument</Button>
        )}
      </p>
      <Failure text={error} />
    </form>
  );
}

export function Tasks() {
  const running = useLoaded((abort) => call('tasklist', {}, abort), 'tasks', LIST_MS);
  const status = useSignal('');
  const { error, attempt } = useAttempt();
  useEffect(() => {
    const timer = setInterval(() => void follow(), FOLLOW_MS);
    return () => clearInterval(timer);
  }, []);
  const cancel = ({ id, name }: TasklistResult): Promise<void> =>
    attempt(async () => {
      await call('taskkill', { id });
      status.value = `Cancelled ${name}`;
      await Promise.all([running.reload(), follow()]);
    });
  const mayCancel = missingFor('taskkill') === undefined;
  return (
    <section aria-labelledby="tasks">
      <h2 id="tasks">Tasks</h2>
      <Permitted command="exe" to="start tasks">
        <StartForm onStarted={() => void running.reload()} />
      </Permitted>
      <ReadProblem of={running} what="the running tasks" />
      <Failure text={error.value} />
      <Status text={status.value} />
      {running.value.value !== undefined && (
        <Table
          caption="Running tasks, oldest first"
          columns={['Task', 'User', 'Started', 'Actions']}
          empty="No task is running."
          rows={running.value.value.map((task) => ({
            key: task.id,
            cells: [
              task.name,
              task.user || '–',
              <Instant key="started" at={task.startedAt} />,
              mayCancel && (
                <Button key="cancel" class="danger" onClick={() => cancel(task)}>
                  Cancel<span class="hidden"> {task.name}</span>
                </Button>
              ),
            ],
          }))}
        />
      )}
      {started.value.length > 0 && (
        <Table
          caption="Tasks started in this tab, latest first"
          columns={['Task', 'Started', 'Took', 'State', 'Result']}
          empty=""
          rows={started.value.map(({ id, name, startedMs, endedMs, state, result }) => ({
            key: id,
            cells: [
              name,
              <Instant key="started" at={new Date(startedMs).toISOString()} />,
              endedMs === undefined ? '–' : formatDuration(endedMs - startedMs),
              <span key="state" class={state === 'failed' ? 'bad' : state === 'finished' ? 'good' : ''}>
                {STATES[state]}
              </span>,
              <code key="result">{result}</code>,
            ],
          }))}
        />
      )}
    </section>
  );
}
