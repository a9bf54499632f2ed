// A small git server for this example: creates a repository from the files in `servers`, and serves it over
// HTTP with git's own program. It has no authentication. Do not use it for anything else.
import { spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { commitServers, makeRepository } from './repository.ts';

await makeRepository();
await commitServers('The first servers');

/** Passes a request to `git http-backend` over CGI (RFC 3875): headers, an empty line, the body. */
function respond(request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? '/', 'http://localhost');
  const backend = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env['PATH'],
      GIT_PROJECT_ROOT: import.meta.dirname,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      REQUEST_METHOD: request.method,
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  request.pipe(backend.stdin);
  const chunks: Buffer[] = [];
  backend.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  backend.on('close', () => {
    const whole = Buffer.concat(chunks);
    const end = whole.indexOf('\r\n\r\n');
    for (const line of whole.subarray(0, Math.max(end, 0)).toString().split('\r\n')) {
      const [name = '', value = ''] = line.split(': ', 2);
      if (name === 'Status') response.statusCode = Number.parseInt(value, 10);
      else if (name !== '') response.setHeader(name, value);
    }
    response.end(whole.subarray(end + 4));
  });
}

const server = createServer(respond);
server.listen(Number(process.env['PORT'] ?? 9419), '127.0.0.1', () => {
  // SAFETY: a listening TCP server has an address with a port.
  const { port } = server.address() as AddressInfo;
  console.log(`the repository is at http://127.0.0.1:${port}/catalogue.git`);
});
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    server.close();
    server.closeAllConnections();
  });
