/** The argument that makes the program run statements for the service that started it. */
export const STATEMENT_PROCESS_ARGUMENT = '--statement-process';
