/** The shape of a subcommand. */
import type { Command } from 'commander';
import type { ClientProgram, Program } from './program.ts';

/** Groups in the order in which help shows them. */
export const SUBCOMMAND_GROUPS = {
  service: 'The service',
  client: 'Clients',
  data: 'Data',
  traffic: 'Recorded requests',
  other: 'The program',
} as const;

export type SubcommandGroup = keyof typeof SUBCOMMAND_GROUPS;

interface SubcommandNames {
  readonly name: string;
  /** One sentence, third person, with a full stop. */
  readonly summary: string;
  readonly group: SubcommandGroup;
}

/** The dependencies of a subcommand's action that only sends requests to a service. */
export interface ClientInvocation extends ClientProgram {
  /** Sets the exit code, which is otherwise 0. */
  exit(code: number): void;
}

/** The dependencies of any other subcommand's action. */
export interface Invocation extends ClientInvocation, Program {
  readonly service: Program['service'];
  /** All subcommands, for those that describe the program. */
  readonly subcommands: readonly Subcommand[];
  /**
   * Returns the help of a subcommand or command, or undefined if the subcommand prints its help itself. Throws
   * CommandLineError for an unknown name.
   */
  helpOf(name: string): Promise<string | undefined>;
}

/** Adds a subcommand's arguments, options and action to the parser's command. */
export type Declare = (command: Command, invocation: Invocation) => void | Promise<void>;
/** Does so for a subcommand that only sends requests to a service. */
export type DeclareClient = (command: Command, invocation: ClientInvocation) => void | Promise<void>;

/** A subcommand whose arguments the parser reads. */
interface DeclaredSubcommand extends SubcommandNames {
  load(): Promise<Declare>;
}

/** A subcommand whose arguments the parser reads, and which only sends requests to a service. */
export interface ClientSubcommand extends SubcommandNames {
  load(): Promise<DeclareClient>;
}

/** A subcommand that reads its own arguments, because they are options of the service. */
interface ForwardedSubcommand extends SubcommandNames {
  /** Returns the exit code. */
  forward(argv: readonly string[], program: Program): Promise<number>;
}

/** The subcommand that src/main.ts runs without the command line. */
interface ServiceSubcommand extends SubcommandNames {
  readonly name: 'serve';
}

export type Subcommand = ClientSubcommand | DeclaredSubcommand | ForwardedSubcommand | ServiceSubcommand;
