/** Every exit code with its meaning. */
export const EXIT_CODES = {
  success: 0,
  /** The command ran and failed, or its check found a problem. */
  failed: 1,
  /** Arguments, options or the configuration are invalid. Nothing was executed. */
  usage: 2,
  /** No service responds at the address. */
  unreachable: 3,
  /** The service rejected the credentials, or the user lacks the permission. */
  forbidden: 4,
  /** SIGINT or SIGTERM ended the command. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];
