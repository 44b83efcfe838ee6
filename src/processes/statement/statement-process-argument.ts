/** The argument that has the program run statements for the service that started it. */
export const QUERY_PROCESS_ARGUMENT = '--query-process';
