/** Sends a file as the body of a command, with its progress. */
import { parseExact } from '../../client/exact-json.ts';
import { ERROR_CODE, RequestError } from './request.ts';
import { noteSent } from './sent-requests.ts';
import { serviceName, signedIn } from './session.ts';
import { signatureHeaders } from './signature.ts';

/**
 * Sends a file and returns the response of the command. `onSent` is called with the bytes sent so far. Throws
 * RequestError, also when `signal` aborts.
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
    // fetch reports no progress of what it sends.
    const request = new XMLHttpRequest();
    const query = new URLSearchParams({ ...params, httpStatus: 'true', errors: 'text' });
    request.open('POST', `${serviceName}/${cmd}?${query}`);
    request.setRequestHeader('Content-Type', type);
    const token = signedIn.value?.token;
    if (token !== undefined) request.setRequestHeader('Authorization', `Bearer ${token}`);
    for (const [name, value] of Object.entries(signature)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded }) => onSent(loaded);
    request.onload = () => {
      try {
        const envelope = parseExact(request.responseText) as unknown as {
          readonly error: string | null;
          readonly response: object;
        };
        if (envelope.error === null) resolve(envelope.response);
        else reject(new RequestError(envelope.error, request.status, request.getResponseHeader(ERROR_CODE)));
      } catch {
        reject(new RequestError(`The service answered with ${request.status}.`, request.status));
      }
    };
    request.onerror = () => reject(new RequestError('The connection was closed before the answer.', 0));
    request.onabort = () => reject(new RequestError('Cancelled.', 0));
    signal.addEventListener('abort', () => request.abort());
    request.send(file);
  });
}
