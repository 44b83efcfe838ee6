// Loaded before replay.mjs (`node --import`): writes every request and its reply as a line of JSON to SVC_RECORD_FILE.
import { appendFileSync } from 'node:fs';
import http from 'node:http';

const file = process.env.SVC_RECORD_FILE;
const send = http.request;
const lines = [];

http.request = (options, onResponse) => {
  const sent = [];
  const request = send(options, (response) => {
    const received = [];
    response.on('data', (chunk) => received.push(chunk));
    response.on('end', () => {
      const text = Buffer.concat(received).toString('utf8');
      lines.push(
        JSON.stringify({ method: options.method, path: options.path, body: sent.join(''), http: response.statusCode, text }),
      );
    });
    onResponse(response);
  });
  const write = request.write.bind(request);
  request.write = (chunk, ...rest) => {
    sent.push(String(chunk));
    return write(chunk, ...rest);
  };
  return request;
};

process.on('exit', () => {
  if (file !== undefined) appendFileSync(file, lines.map((line) => `${line}\n`).join(''));
});
