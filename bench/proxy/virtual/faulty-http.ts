// A faulty member over HTTP.
// usage: faulty-http.ts PORT slow|limited (responds after 5 s | with 429)
import { createServer, type ServerResponse } from 'node:http';
import { collectBody } from '../collect-body.ts';
import { answerOf, type LooseMessage } from '../echo-tool.ts';

const SLOW_MS = 5000;

const [port, way] = process.argv.slice(2);

function answer(response: ServerResponse, body: Buffer): void {
  if (way === 'limited') {
    response.writeHead(429, { 'Retry-After': '30', 'Content-Length': 0 }).end();
    return;
  }
  // SAFETY: only the measured program sends requests.
  const message = answerOf(JSON.parse(body.toString()) as LooseMessage);
  const text = message === undefined ? '' : JSON.stringify(message);
  setTimeout(() => {
    const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) };
    response.writeHead(message === undefined ? 202 : 200, headers).end(text);
  }, SLOW_MS);
}

createServer((request, response) => {
  if (request.method === 'POST') collectBody(request, (body) => answer(response, body));
  else response.writeHead(404, { 'Content-Length': 0 }).end();
}).listen(Number(port), '127.0.0.1');
