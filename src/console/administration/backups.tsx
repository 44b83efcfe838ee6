/** Lists backups, makes and verifies them, and says what can be restored and how. */
import { useSignal } from '@preact/signals';
import type { BackupsResult, BackupsResultContinuous } from '../../client/commands.ts';
import { useSending } from '../elements/attempt.ts';
import { continuousLines, NO_AGES } from '../elements/backup-lines.ts';
import { Copied } from '../elements/copied.tsx';
import { Button, bound, Dialog, Failure, Field, Status, Table, TextField, Tiles } from '../elements/elements.tsx';
import { formatBytes, formatCount, formatDuration, formatNumber } from '../elements/formats.ts';
import { openDialog } from '../elements/opened-dialog.tsx';
import { ReadProblem } from '../elements/read-problem.tsx';
import { useLoaded } from '../requests/polling.ts';
import { call, isNotSupported, messageOf } from '../requests/request.ts';
import { missingFor } from './access.ts';
import { Permitted } from './controls.tsx';
import { Instant } from './instant.tsx';
import {
  backupPath,
  checkedRestore,
  fieldOfInstant,
  instantOfField,
  KEY_FILE,
  restoreContinuousCommands,
} from './restore-commands.ts';

/** Often enough to follow a backup, without loading the service. */
const FOLLOW_MS = 2_000;

/** How to restore a backup, with the command line to copy. */
function RestoreDialog(props: { readonly title: string; readonly commands: string }) {
  return (
    <Dialog title={props.title}>
      <p>
        Run this on a machine that has svc and can read the backup. It restores to a new folder and starts a service on
        it; the running service keeps its data.
      </p>
      <Copied text={props.commands} label="Copy the commands" />
      <p class="hint">To verify or restore an encrypted backup, add --key-file and the file with its keys.</p>
    </Dialog>
  );
}

function StartForm({ onStarted }: { readonly onStarted: (text: string) => void }) {
  const name = useSignal('');
  const { error, send } = useSending(async () => {
    const started = await call('backup', { wait: false, ...(name.value !== '' && { name: name.value }) });
    onStarted(`Started the backup ${(started as unknown as { readonly name: string }).name}`);
    name.value = '';
  });
  return (
    <form onSubmit={send}>
      <div class="form-row">
        <TextField label="Name of the backup" hint="Empty: the time of the backup." {...bound(name)} />
        <p class="actions">
          <button type="submit" class="primary">
            Back up now
          </button>
        </p>
      </div>
      <Failure text={error} />
    </form>
  );
}

/** Returns the bytes that a running backup has written so far, and for how long it has run. */
function progressOf({ name, bytes, startedAt }: NonNullable<BackupsResult['running']>): string {
  const ms = Math.max(0, Date.now() - Date.parse(startedAt));
  return `${name ?? 'A client receives a backup'}: ${formatBytes(bytes)} in ${formatDuration(ms)}`;
}

function Stored({ status, onChanged }: { readonly status: BackupsResult; readonly onChanged: () => void }) {
  const { folder, running, nextAt, lastFailure, backups } = status;
  const said = useSignal('');
  const verifying = useSignal<string | undefined>(undefined);
  /** The results of the verifications made on this page. */
  const found = useSignal<ReadonlyMap<string, string>>(new Map());
  const verify = async (name: string): Promise<void> => {
    const note = (text: string): void => {
      found.value = new Map([...found.peek(), [name, text]]);
    };
    verifying.value = name;
    note('is being verified …');
    try {
      const { outcome, reason, entries, encrypted } = await call('backupverify', { name });
      const contents = formatCount(entries, 'entry', 'entries');
      const sound = `sound, ${contents}, ${encrypted === true ? 'encrypted' : 'not encrypted'}`;
      note(outcome === 'verified' ? sound : `${outcome}: ${reason ?? ''}`);
    } catch (problem) {
      note(`could not be verified: ${messageOf(problem)}`);
    }
    verifying.value = undefined;
  };
  const mayVerify = missingFor('backupverify') === undefined;
  if (folder === null) {
    return (
      <>
        <p>The service has no backup folder. Set one at startup, with an interval for regular backups:</p>
        <Copied text="SVC_BACKUP_FOLDER=/var/backups/svc SVC_BACKUP_INTERVAL=24h svc serve" />
        <p>Without one, the command line stores a backup in the current folder:</p>
        <Copied text="svc backup --to today.svcbackup" />
      </>
    );
  }
  const restore = (name: string): void =>
    openDialog(<RestoreDialog title={`Restore ${name}`} commands={checkedRestore(backupPath(folder, name))} />);
  return (
    <>
      <p class="hint">
        In <code>{folder}</code>.{' '}
        {nextAt === null ? (
          'No backup is scheduled.'
        ) : (
          <>
            Next backup: <Instant at={nextAt} />.
          </>
        )}
      </p>
      {lastFailure !== null && <Failure text={`The last backup failed: ${lastFailure.error}`} />}
      {running === null ? (
        <Permitted command="backup" to="make backups">
          <StartForm
            onStarted={(text) => {
              said.value = text;
              onChanged();
            }}
          />
        </Permitted>
      ) : (
        <p class="running">
          <span class="tag">running</span> {progressOf(running)}
        </p>
      )}
      <Status text={said.value} />
      <Table
        caption="Backups, newest first"
        columns={['Name', 'Completed', 'Size', 'Verified', 'Actions']}
        numeric={['Size']}
        empty="There are no backups yet."
        rows={backups.map(({ name, bytes, completedAt }) => ({
          key: name,
          cells: [
            <code key="name">{name}</code>,
            <Instant key="completed" at={completedAt} />,
            formatBytes(bytes),
            <span key="found" role="status">
              {found.value.get(name) ?? '–'}
            </span>,
            <span key="actions" class="actions">
              {mayVerify && (
                <Button disabled={verifying.value !== undefined} onClick={() => verify(name)}>
                  Verify<span class="hidden"> {name}</span>
                </Button>
              )}
              <Button onClick={() => restore(name)}>
                Restore<span class="hidden"> {name}</span> …
              </Button>
            </span>,
          ],
        }))}
      />
    </>
  );
}

/** A field for a time between the first and last restorable ones, and the command line that restores it. */
function RestoreContinuous(props: {
  readonly url: string;
  readonly isEncrypted: boolean;
  readonly fromMs: number;
  readonly toMs: number;
}) {
  const { url, isEncrypted, fromMs, toMs } = props;
  const field = useSignal('');
  const at = field.value === '' ? undefined : instantOfField(field.value);
  const atMs = at === undefined ? undefined : Date.parse(at);
  const isOutside = atMs !== undefined && (atMs < Math.floor(fromMs / 1_000) * 1_000 || atMs > toMs + 1_000);
  return (
    <>
      <h4>How to restore it</h4>
      <div class="form-row">
        <Field
          label="State at (your local time)"
          hint={isOutside ? 'This time is not in the range above.' : 'Empty: the newest.'}
        >
          {(attributes) => (
            <input
              {...attributes}
              type="datetime-local"
              step={1}
              min={fieldOfInstant(fromMs)}
              max={fieldOfInstant(toMs)}
              value={field.value}
              onInput={({ currentTarget }) => (field.value = currentTarget.value)}
            />
          )}
        </Field>
      </div>
      <Copied text={restoreContinuousCommands({ url, isEncrypted, at })} label="Copy the commands" />
      {isEncrypted && <p class="hint">It is encrypted: replace {KEY_FILE} with the file that has its keys.</p>}
    </>
  );
}

function Continuous({ status }: { readonly status: BackupsResultContinuous }) {
  const { url, restorable } = status;
  const ranges = restorable?.ranges ?? [];
  const first = ranges[0];
  const last = ranges.at(-1);
  return (
    <>
      <p>
        To <code>{url}</code>.
      </p>
      <Tiles tiles={continuousLines(status, NO_AGES, Date.now())} />
      {restorable !== null && (
        <Table
          caption="States that can be restored, oldest first"
          columns={['From', 'To', 'States', 'Longest step']}
          empty="Nothing can be restored yet."
          rows={ranges.map(({ from, to, points, longestStepMs }) => ({
            key: from,
            cells: [
              <Instant key="from" at={from} />,
              <Instant key="to" at={to} />,
              formatNumber(points),
              longestStepMs === 0 ? '–' : formatDuration(longestStepMs),
            ],
          }))}
        />
      )}
      {first !== undefined && last !== undefined && (
        <RestoreContinuous
          url={url}
          isEncrypted={restorable?.encrypted === true}
          fromMs={Date.parse(first.from)}
          toMs={Date.parse(last.to)}
        />
      )}
    </>
  );
}

/** Null if the engine makes no backups, for the given reason. */
type Read = { readonly status: BackupsResult } | { readonly reason: string };

async function readStatus(restorable: boolean, abort: AbortSignal): Promise<Read> {
  try {
    return { status: await call('backups', { restorable }, abort) };
  } catch (problem) {
    if (isNotSupported(problem)) return { reason: messageOf(problem) };
    throw problem;
  }
}

export function Backups() {
  // The range is read from the destination: once, and when the user asks again.
  const whole = useLoaded((abort) => readStatus(true, abort), 'range');
  const followed = useLoaded((abort) => readStatus(false, abort), 'backups', FOLLOW_MS);
  const read = followed.value.value ?? whole.value.value;
  const ranges = whole.value.value;
  const status = read !== undefined && 'status' in read ? read.status : undefined;
  const continuous = status?.continuous ?? null;
  const restorable = ranges !== undefined && 'status' in ranges ? (ranges.status.continuous?.restorable ?? null) : null;
  return (
    <section aria-labelledby="backups">
      <h2 id="backups">Backups</h2>
      <ReadProblem of={followed.error.value === '' ? whole : followed} what="the backups" />
      {read !== undefined && 'reason' in read && <p>{read.reason}</p>}
      {status !== undefined && (
        <>
          <Stored status={status} onChanged={() => void followed.reload()} />
          <div class="part-head">
            <h3>Continuous backup</h3>
            {continuous !== null && <Button onClick={() => void whole.reload()}>Refresh the range</Button>}
          </div>
          {continuous === null ? (
            <>
              <p>
                There is no continuous backup. It ships every commit to another disk or a bucket, so any second of the
                last day can be restored:
              </p>
              <Copied text="SVC_BACKUP_CONTINUOUS_URL=file:///var/backups/svc svc serve" />
            </>
          ) : (
            <Continuous status={{ ...continuous, restorable }} />
          )}
        </>
      )}
    </section>
  );
}
