/** The Commands screen: a form for every command, its response, and the same request in several languages. */
import { type Signal, useSignal } from '@preact/signals';
import { parseAsSent } from '../../client/exact-json.ts';
import { address, linkHere, stateField } from '../elements/address.ts';
import { useSending } from '../elements/attempt.ts';
import { offerFile } from '../elements/download.ts';
import { Button, boundText, Failure, SelectField, TextField } from '../elements/elements.tsx';
import { formatBytes, writeJson } from '../elements/formats.ts';
import { Marked } from '../elements/marked.tsx';
import { useLoaded } from '../requests/polling.ts';
import { messageOf, type Parameters, send } from '../requests/request.ts';
import { type CommandDescription, type CommandParameter, readCommands } from './declarations.ts';
import { groupsOf } from './groups.ts';
import { Help } from './help.tsx';
import { parametersOf } from './parameters.ts';
import { favourites, keepValues, lastValues, toggleFavourite } from './remembered.ts';
import { Samples } from './samples-view.tsx';

function ParameterField(props: {
  readonly parameter: CommandParameter;
  readonly texts: Signal<Readonly<Record<string, string>>>;
}) {
  const { parameter, texts } = props;
  const { name, isRequired, type, choices } = parameter;
  // A field's hint is plain text.
  const description = parameter.description.replaceAll('`', '');
  if (choices.length > 0) {
    return (
      <SelectField
        label={name}
        hint={description}
        {...boundText(texts, name)}
        options={[['', isRequired ? 'Choose' : 'not set'], ...choices]}
      />
    );
  }
  const hint = type === 'array' ? `${description} A JSON list, such as ["a", 1].` : description;
  const isLong = ['qry', 'val', 'val2'].includes(name) || type === 'array';
  return (
    <TextField
      label={name}
      hint={hint}
      required={isRequired && !isLong}
      {...boundText(texts, name)}
      {...(isLong && { rows: 3 })}
    />
  );
}

function Form({ command }: { readonly command: CommandDescription }) {
  const texts = useSignal<Readonly<Record<string, string>>>(lastValues(command.name));
  const answer = useSignal<string | undefined>(undefined);
  const isFavourite = favourites.value.includes(command.name);
  let params: Parameters = {};
  let problem = '';
  try {
    params = parametersOf(command.parameters, texts.value);
  } catch (cause) {
    problem = `A list is not JSON: ${messageOf(cause)}`;
  }
  const {
    error,
    isSending,
    send: submit,
  } = useSending(async () => {
    keepValues(command.name, texts.value);
    let text: string | undefined;
    try {
      text = await sendCommand(command, params);
    } finally {
      answer.value = text;
    }
  });
  return (
    <section class="command" aria-labelledby="command">
      <header class="command-head">
        <h2 id="command" class="mono">
          {command.name}
        </h2>
        <Button aria-pressed={isFavourite} onClick={() => toggleFavourite(command.name)}>
          {isFavourite ? '★ Favourite' : '☆ Add to favourites'}
        </Button>
      </header>
      <p class="command-summary">
        <Marked text={command.summary} />
      </p>
      <Help command={command} />
      {command.hasFileBody ? (
        <p>This command takes a file as its body. Import files on the screen Caches and tables.</p>
      ) : (
        <form onSubmit={submit}>
          <div class="form-row">
            {command.parameters.map((parameter) => (
              <ParameterField key={parameter.name} parameter={parameter} texts={texts} />
            ))}
          </div>
          <Failure text={problem || error} />
          <p class="actions">
            <button type="submit" class="primary" disabled={problem !== '' || isSending}>
              Send {command.name}
            </button>
            {Object.values(texts.value).some((text) => text !== '') && (
              <Button onClick={() => (texts.value = {})}>Clear the fields</Button>
            )}
            {command.access === 'write' && <span class="hint">This command makes changes.</span>}
          </p>
        </form>
      )}
      <div role="status">
        {answer.value !== undefined && (
          <>
            <h3>Response</h3>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it */}
            <pre tabIndex={0}>{answer.value}</pre>
          </>
        )}
      </div>
      {!command.hasFileBody && <Samples request={{ cmd: command.name, params }} />}
    </section>
  );
}

/** Sends a command and returns its response as text. Anything but JSON becomes a file. Throws SvcError. */
async function sendCommand({ name }: CommandDescription, params: Parameters): Promise<string> {
  const response = await send(name, params);
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('application/json')) return writeJson(parseAsSent(await response.text()), 2);
  const content = await response.arrayBuffer();
  offerFile(name === 'backup' ? 'backup.svcbackup' : 'export.txt', [content], type);
  return `A file of ${formatBytes(content.byteLength)}.`;
}

function List({ commands, chosen }: { readonly commands: readonly CommandDescription[]; readonly chosen: string }) {
  const search = stateField('search');
  const groups = groupsOf(commands, search.value, favourites.value);
  const count = groups.reduce((sum, group) => sum + group.commands.length, 0);
  return (
    <section class="command-list" aria-labelledby="command-list">
      <h2 id="command-list">All commands</h2>
      <TextField label="Search" {...search} />
      <p class="hint" role="status">
        {count} of {commands.length} commands
      </p>
      {groups.map((group) => (
        <section key={group.title} aria-label={group.title}>
          <h3>{group.title}</h3>
          <ul>
            {group.commands.map(({ name, summary }) => (
              <li key={name}>
                <a class="mono" href={linkHere({ name })} aria-current={name === chosen ? 'true' : undefined}>
                  {name}
                </a>{' '}
                <span class="hint">
                  <Marked text={summary} />
                </span>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </section>
  );
}

export function Commands() {
  const { value, error } = useLoaded(readCommands, 'commands');
  const commands = value.value ?? [];
  const chosen = commands.find(({ name }) => name === address.value.params.get('name'));
  return (
    <>
      <h1>Commands</h1>
      <Failure text={error.value} />
      <div class={chosen === undefined ? 'commands' : 'commands commands-chosen'}>
        {chosen !== undefined && <Form key={chosen.name} command={chosen} />}
        <List commands={commands} chosen={chosen?.name ?? ''} />
      </div>
    </>
  );
}
