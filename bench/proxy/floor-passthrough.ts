// Lower bound of an HTTP proxy in Node.js: plain node:http, a keep-alive agent, both bodies piped. It has
// none of a product's duties.
// usage: floor-passthrough.ts PORT BACKEND-URL
import { Agent, createServer, request as ask } from 'node:http';

const [port, backend = ''] = process.argv.slice(2);
const target = new URL(backend);
const agent = new Agent({ keepAlive: true, maxSockets: 1024, maxFreeSockets: 1024 });
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'upgrade']);

function passedOn(raw: readonly string[]): string[] {
  const headers: string[] = [];
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] ?? '';
    if (!HOP_BY_HOP.has(name.toLowerCase())) headers.push(name, raw[at + 1] ?? '');
  }
  return headers;
}

const server = createServer((request, response) => {
  const upstream = ask({
    agent,
    host: target.hostname,
    port: target.port,
    method: request.method ?? 'GET',
    path: request.url ?? '/',
    headers: passedOn(request.rawHeaders),
  });
  upstream.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, passedOn(answer.rawHeaders));
    answer.pipe(response);
  });
  upstream.on('error', () => {
    if (!response.headersSent) response.writeHead(502);
    response.end();
  });
  response.on('close', () => {
    if (!upstream.destroyed && !response.writableFinished) upstream.destroy();
  });
  request.pipe(upstream);
});
server.keepAliveTimeout = 60_000;
server.listen(Number(port), '127.0.0.1');
