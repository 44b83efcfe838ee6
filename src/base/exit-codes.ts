/** Every exit code with its meaning. */
export const EXIT_CODES = {
  success: 0,
  /** The command was executed and failed, or what it checked is not in order. */
  failed: 1,
  /** Arguments, options or the configuration are wrong. Nothing was executed. */
  usage: 2,
  /** No service answers at the address. */
  unreachable: 3,
  /** The service rejected the credentials, or the user may not do that. */
  forbidden: 4,
  /** SIGINT or SIGTERM ended the command. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];
