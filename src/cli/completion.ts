/** `svc completion`: prints a shell's completion script, and answers that script's questions. */
import { script } from '@bomb.sh/tab';
import { Argument, Command } from 'commander';
import type { RegisteredCommand } from '../commands/command.ts';
import { COMMANDS, findCommand } from '../commands/registry.ts';
import { OPTION_ROWS } from '../configuration/options.ts';
import { type WireParameter, wireParameters } from '../documentation/command-guide.ts';
import { SCALAR_TRAITS, SCALAR_TYPES } from '../values/scalar-traits.ts';
import { plainJson } from './json-text.ts';
import type { Invocation, Subcommand } from './subcommand.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

const TYPE_NAMES: readonly string[] = SCALAR_TYPES.flatMap((type) => SCALAR_TRAITS[type].names);

/**
 * The function of the package bash-completion that the script calls, for systems without it. It returns the words of
 * the line, which bash also splits at `=` and `:`.
 */
const BASH_WORDS = `declare -F _get_comp_words_by_ref > /dev/null || _get_comp_words_by_ref() {
  local line=\${COMP_LINE:0:COMP_POINT}
  read -ra words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=('')
  cword=$((\${#words[@]} - 1))
  cur=\${words[cword]}
  prev=
  if ((cword > 0)); then prev=\${words[cword - 1]}; fi
}
`;

/** Removes the beginning of a word, if bash has split it at an equals sign or a colon. */
const BASH_VALUES = `__svc_complete_values() {
  local cur breaks=
  __svc_complete
  _get_comp_words_by_ref -n "=:" cur
  [[ $COMP_WORDBREAKS == *=* ]] && breaks+='='
  [[ $COMP_WORDBREAKS == *:* ]] && breaks+=':'
  if [[ -n $breaks && $cur == *["$breaks"]* ]]; then
    COMPREPLY=("\${COMPREPLY[@]#"\${cur%"\${cur##*["$breaks"]}"}"}")
  fi
}
complete -F __svc_complete_values svc
`;

/** A shell's actions besides offering the candidates; the numbers match the scripts. */
const DIRECTIVES = { noSpace: 2, noFiles: 4, files: 0 } as const;

/** A completion of the last word. */
interface Candidate {
  readonly value: string;
  readonly description: string;
}

interface Completion {
  readonly candidates: readonly Candidate[];
  readonly directive: number;
}

export function declareCompletion(command: Command, invocation: Invocation): void {
  command
    .addArgument(new Argument('<shell>', `the shell: ${SHELLS.join(', ')}`).choices(SHELLS))
    .argument('[question...]', 'the question of the script: complete -- WORDS')
    .addHelpText(
      'after',
      '\nbash: source <(svc completion bash)\n' +
        'zsh:  source <(svc completion zsh)\nfish: svc completion fish | source',
    )
    .passThroughOptions()
    .action(async (shell: Shell, question: readonly string[]) => {
      if (question.length === 0) {
        if (shell === 'bash') invocation.terminal.output.write(BASH_WORDS);
        script(shell, 'svc', `svc completion ${shell}`);
        if (shell === 'bash') invocation.terminal.output.write(BASH_VALUES);
        return;
      }
      const words = question.slice(question.indexOf('--') + 1);
      const { candidates, directive } = await complete(words, invocation);
      const lines = candidates.map(({ value, description }) => `${value}\t${description}\n`);
      invocation.terminal.output.write(`${lines.join('')}:${directive}\n`);
    });
}

/** Completes the last of the words after `svc`. */
async function complete(words: readonly string[], invocation: Invocation): Promise<Completion> {
  const [name = '', ...rest] = words;
  const last = rest.at(-1);
  if (last === undefined) return offered(name, [...invocation.subcommands, ...COMMANDS].map(named));
  if (name === 'help') return offered(last, [...invocation.subcommands, ...COMMANDS].map(named));
  const subcommand = invocation.subcommands.find((each) => each.name === name);
  if (subcommand !== undefined) return completeSubcommand(subcommand, rest, invocation);
  const declared = findCommand(name);
  return declared === undefined ? offered(last, []) : completeInterfaceCommand(declared, rest, invocation);
}

function named({ name, summary }: { readonly name: string; readonly summary: string }): Candidate {
  return { value: name, description: summary };
}

/** Returns the candidates that begin with a word. */
function offered(word: string, all: readonly Candidate[], directive: number = DIRECTIVES.noFiles): Completion {
  const seen = new Set<string>();
  const candidates = all.filter(({ value }) => value.startsWith(word) && !seen.has(value) && seen.add(value));
  return { candidates, directive };
}

async function completeSubcommand(
  subcommand: Subcommand,
  words: readonly string[],
  invocation: Invocation,
): Promise<Completion> {
  if (!('load' in subcommand)) return completeServiceOption(words);
  const command = new Command();
  await (await subcommand.load())(command, invocation);
  return completeDeclared(command, words, invocation);
}

/** Completes options and arguments known to the parser. */
async function completeDeclared(
  command: Command,
  words: readonly string[],
  invocation: Invocation,
): Promise<Completion> {
  const last = words.at(-1) ?? '';
  const before = words.at(-2) ?? '';
  const previous = command.options.find(({ long, short }) => long === before || short === before);
  if (previous !== undefined && (previous.required || previous.optional)) {
    const known = await valuesInService(previous.long ?? '', invocation);
    if (known !== undefined) return valuesOf(last, known, '');
    if (/^--(?:key|value)-type$/.test(previous.long ?? '')) return valuesOf(last, TYPE_NAMES, '');
    return valuesOf(last, previous.argChoices ?? [], previous.flags);
  }
  if (last.startsWith('-')) {
    const options = command.options.flatMap(({ long, description }) =>
      long === undefined || long === null ? [] : [{ value: long, description }],
    );
    return offered(last, options);
  }
  const [argument] = command.registeredArguments;
  const inService = await valuesInService(argument?.name() ?? '', invocation);
  if (inService !== undefined) return valuesOf(last, inService, '');
  return valuesOf(last, argument?.argChoices ?? [], argument?.name() ?? '');
}

function valuesOf(word: string, choices: readonly string[], shown: string): Completion {
  const wantsFile = /\b(?:file|folder)\b/i.test(shown);
  const candidates = choices.map((value) => ({ value, description: '' }));
  return offered(word, candidates, wantsFile ? DIRECTIVES.files : DIRECTIVES.noFiles);
}

/** Completes options of the service, by the table of options. */
function completeServiceOption(words: readonly string[]): Completion {
  const last = words.at(-1) ?? '';
  const previous = OPTION_ROWS.find(({ flag }) => flag !== undefined && flag === words.at(-2));
  if (previous !== undefined && previous.option.kind !== 'boolean') {
    const { kind, allowed } = previous.option;
    return valuesOf(last, kind === 'choice' ? allowed.split(', ') : [], kind === 'path' ? 'file' : '');
  }
  const options = OPTION_ROWS.flatMap(({ flag, option }) =>
    flag === undefined ? [] : [{ value: flag, description: option.help.replaceAll('`', '') }],
  );
  return offered(last, options);
}

async function completeInterfaceCommand(
  declared: RegisteredCommand,
  words: readonly string[],
  invocation: Invocation,
): Promise<Completion> {
  const last = words.at(-1) ?? '';
  const parameters = wireParameters(declared, 'svc');
  const [, name, value] = NAMED_VALUE.exec(last) ?? [];
  if (name !== undefined && value !== undefined) {
    const found = parameters.find((each) => each.name === (each.numbered ? name.replace(/\d+$/, '') : name));
    const values =
      found?.choices ?? (await valuesInService(name, invocation)) ?? (await valuesOfEntries(found, words, invocation));
    // Any other type can also be meant.
    const isOther = found?.kind === 'typeName' && !values.some((each) => each.startsWith(value));
    return offered(
      last,
      (isOther ? TYPE_NAMES : values).map((each) => ({ value: `${name}=${each}`, description: '' })),
    );
  }
  if (last.startsWith('-')) {
    const command = new Command();
    const { declareInterfaceCommand } = await import('./interface-command.ts');
    await declareInterfaceCommand(declared)(command, invocation);
    return completeDeclared(command, words, invocation);
  }
  const names = parameters.map(({ name: each, numbered, summary }) => ({
    value: `${each}${numbered ? '1' : ''}=`,
    description: summary.replaceAll('`', ''),
  }));
  const named = offered(last, names, DIRECTIVES.noSpace | DIRECTIVES.noFiles);
  const { positions } = await import('./interface-command.ts');
  const given = withoutNames(words.slice(0, -1)).length;
  const own = positions(declared);
  const position = own[given] ?? (own.at(-1)?.numbered === true ? own.at(-1) : undefined);
  const inService = (await valuesInService(position?.name ?? '', invocation)) ?? [];
  const values = [...inService, ...(await valuesOfEntries(position, words, invocation))];
  const plain = valuesOf(last, values, '');
  if (named.candidates.length === 0) return plain;
  return { ...named, candidates: [...plain.candidates, ...named.candidates] };
}

const NAMED_VALUE = /^([A-Za-z][\w.]*)=(.*)$/s;

function withoutNames(words: readonly string[]): readonly string[] {
  return words.filter((word) => !NAMED_VALUE.test(word) && !word.startsWith('-'));
}

/** Words that a shell reads literally. */
const PLAIN_WORD = /^[\w.:@%+,/-]{1,100}$/;

/**
 * Returns the keys, the types, or the values of the given key, among the first entries of the named cache, or nothing
 * for any other parameter.
 */
async function valuesOfEntries(
  parameter: WireParameter | undefined,
  words: readonly string[],
  invocation: Invocation,
): Promise<readonly string[]> {
  const { name, kind, typedBy } = parameter ?? {};
  if (kind !== 'typeName' && typedBy === undefined) return [];
  const given = (wanted: string) => words.find((word) => word.startsWith(`${wanted}=`))?.slice(wanted.length + 1);
  try {
    const { readEntrySamples } = await import('./entry-samples.ts');
    const samples = await readEntrySamples(given('cacheName') ?? 'default', invocation, AbortSignal.timeout(LOOKUP_MS));
    const key = given('key') ?? withoutNames(words.slice(0, -1))[0];
    const ofKey = samples.filter((each) => each.key === key);
    const values = (): readonly string[] => {
      if (typedBy === 'keyType') return samples.map((each) => each.key);
      if (typedBy === 'valueType') return ofKey.map((each) => each.value);
      return (ofKey.length === 0 ? samples : ofKey).map((each) => (name === 'keyType' ? each.keyType : each.valueType));
    };
    return values().filter((value) => PLAIN_WORD.test(value));
  } catch {
    return [];
  }
}

/** How long a shell waits for a service while the user types. */
const LOOKUP_MS = 1_000;

/** The parameters, options and arguments that name something in the service. */
const NAMED_IN_SERVICE: Readonly<Record<string, 'caches' | 'tables'>> = {
  cacheName: 'caches',
  '--cache': 'caches',
  table: 'tables',
  '--table': 'tables',
};

/**
 * Returns the names of caches or tables of the service that the environment and `svc login` select, or none if it does
 * not respond. Undefined for a parameter, option or argument that names neither.
 */
async function valuesInService(parameter: string, invocation: Invocation): Promise<readonly string[] | undefined> {
  const kind = NAMED_IN_SERVICE[parameter];
  if (kind === undefined) return undefined;
  try {
    const { connect } = await import('./connection.ts');
    const client = await connect({}, invocation);
    const signal = AbortSignal.timeout(LOOKUP_MS);
    if (kind === 'caches') {
      const { response } = await client.command('cachelist', {}, { signal });
      return plainJson<ReadonlyArray<{ readonly cacheName: string }>>(response).map(({ cacheName }) => cacheName);
    }
    const { readCatalog } = await import('./sql/schema-catalog.ts');
    const { writtenPart } = await import('../mcp/table-definitions.ts');
    const catalog = await readCatalog(client, signal);
    return catalog
      .filter(({ schema }) => schema !== 'SYS')
      .map(({ schema, name }) => (schema === 'PUBLIC' ? [name] : [schema, name]).map(writtenPart).join('.'))
      .map((written) => (written.includes('"') ? `'${written}'` : written));
  } catch {
    return [];
  }
}
