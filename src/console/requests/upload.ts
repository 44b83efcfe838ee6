/** Sends a file as the body of a command, with its progress. */
import { checkConnection } from './connection-check.ts';
import { noAnswer, PREFERENCES, successIn } from './request.ts';
import { noteSent } from './sent-requests.ts';
import { serviceName, signedIn } from './session.ts';
import { signatureHeaders } from './signature.ts';

/**
 * Sends a file and returns the response of the command. `onSent` is called with the bytes sent so far. Throws
 * SvcError, also when `signal` aborts.
 */
export async function upload(
  cmd: string,
  params: Readonly<Record<string, string>>,
  file: File,
  type: string,
  signal: AbortSignal,
  onSent: (bytes: number) => void,
): Promise<object> {
  noteSent({ cmd, params, file: { name: file.name, type } }, undefined);
  const signature = await signatureHeaders();
  return new Promise((resolve, reject) => {
    // fetch reports no upload progress.
    const request = new XMLHttpRequest();
    const query = new URLSearchParams({ ...params, httpStatus: 'true', errors: 'object' });
    request.open('POST', `${serviceName}/${cmd}?${query}`);
    request.setRequestHeader('Content-Type', type);
    for (const [name, value] of Object.entries(PREFERENCES)) request.setRequestHeader(name, value);
    const token = signedIn.value?.token;
    if (token !== undefined) request.setRequestHeader('Authorization', `Bearer ${token}`);
    for (const [name, value] of Object.entries(signature)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded }) => onSent(loaded);
    request.onload = () => {
      const response = new Response(request.responseText, { status: request.status });
      successIn(response, cmd).then((envelope) => resolve(Object(envelope.response)), reject);
    };
    request.onerror = () => {
      void checkConnection();
      reject(noAnswer(cmd, 'The connection was closed before the answer.'));
    };
    request.onabort = () => reject(noAnswer(cmd, 'Cancelled.'));
    signal.addEventListener('abort', () => request.abort());
    request.send(file);
  });
}
