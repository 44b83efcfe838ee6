/** The baseline: an HTTP server of the same runtime that answers every request with one fixed envelope. */
const ANSWER =
  '{"successStatus":0,"affinityNodeId":"3f0c1c9e-6c55-4a0e-8a8e-0d3f7a4b2c11","error":null,"response":"value-123456",' +
  '"sessionToken":null,"securitySubjectId":null}';
const HEADERS = { 'Content-Type': 'application/json;charset=utf-8' };

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.env.BARE_PORT ?? 0),
  fetch: () => new Response(ANSWER, { headers: HEADERS }),
});
process.stdout.write(`listening on http://127.0.0.1:${server.port}/svc\n`);
