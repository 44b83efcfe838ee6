/** The same request in several languages. */
import { LANGUAGES, programOf } from '../../samples/samples.ts';
import type { SentRequest } from '../requests/sent-requests.ts';

export interface Sample {
  readonly language: string;
  readonly text: string;
}

/** Returns a request in several languages, without the session: programs have their own credentials. */
export function samplesOf(
  endpoint: string,
  { cmd, params, file }: SentRequest,
  needsLogin: boolean,
): readonly Sample[] {
  const body = file === undefined ? {} : { body: { type: file.type, rows: { file: file.name } } };
  return LANGUAGES.map((language) => ({
    language: language.name,
    text: programOf(language, endpoint, [{ cmd, params, ...body }], needsLogin),
  }));
}
