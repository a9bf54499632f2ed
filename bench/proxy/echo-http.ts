// Backend of the HTTP proxies: streamable HTTP with sessions on plain node:http.
// usage: echo-http.ts PORT [--events] (responds with event streams) | echo-http.ts PORT --tools=500 | … PORT
// --in-container
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { collectBody } from './collect-body.ts';
import { answerOf, type LooseMessage, toolsOf } from './echo-tool.ts';

const [port, form] = process.argv.slice(2);
const [, count] = /^--tools=(\d+)$/.exec(form ?? '') ?? [];
const tools = count === undefined ? undefined : toolsOf(Number(count));
const sessions = new Set<string>();

function post(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
  // SAFETY: only this benchmark's load generator sends requests.
  const message = JSON.parse(body.toString()) as LooseMessage;
  const named = request.headers['mcp-session-id'];
  const isNew = message.method === 'initialize';
  if (!isNew && !sessions.has(String(named))) return void response.writeHead(404).end();
  const opened = isNew ? randomUUID() : undefined;
  if (opened !== undefined) sessions.add(opened);
  const session = opened === undefined ? {} : { 'Mcp-Session-Id': opened };
  const answer = answerOf(message, tools);
  if (answer === undefined) return void response.writeHead(202, { 'Content-Length': 0 }).end();
  const json = JSON.stringify(answer);
  if (form === '--events') {
    response.writeHead(200, { ...session, 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache' });
    return void response.end(`event: message\ndata: ${json}\n\n`);
  }
  const bytes = Buffer.from(json);
  const headers = { ...session, 'Content-Type': 'application/json', 'Content-Length': bytes.length };
  response.writeHead(200, headers).end(bytes);
}

const server = createServer((request, response) => {
  if (request.method === 'POST') return collectBody(request, (body) => post(request, response, body));
  if (request.method === 'GET' && request.url === '/mcp') {
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache' });
    return response.flushHeaders();
  }
  const known = request.method === 'DELETE' && sessions.delete(String(request.headers['mcp-session-id']));
  response.writeHead(known ? 204 : 404, { 'Content-Length': 0 }).end();
});
server.keepAliveTimeout = 60_000;
server.listen(Number(port), form === '--in-container' ? '0.0.0.0' : '127.0.0.1');
