// Stands for whatever could be reached at an address: every answer says who it is. `stand-in-program.ts WHO CERT KEY`
import { createSocket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer } from 'node:net';

const [, , who = '', cert = '', key = ''] = process.argv;
const report = (kind: string, to: string | undefined): boolean =>
  process.stdout.write(`${JSON.stringify({ hit: who, kind, to })}\n`);
const answer: RequestListener = (request, response) => {
  report('http', request.socket.localAddress);
  response.setHeader('Connection', 'close');
  response.end(`${who} ${request.headers.host}`);
};
const servers = [
  createHttpServer(answer).listen(80, '::'),
  createHttpsServer({ cert: readFileSync(cert), key: readFileSync(key) }, answer).listen(443, '::'),
  createServer((socket) => {
    report('tcp', socket.localAddress);
    socket.on('error', () => undefined).end(who);
  }).listen(8080, '::'),
];
const udp = [53, 8080].map((port) => {
  const socket = createSocket('udp6');
  socket.on('message', (_, from) => {
    report('udp', String(port));
    socket.send(who, from.port, from.address);
  });
  return new Promise<void>((bound) => socket.bind(port, '::', bound));
});
const listening = servers.map((server) => new Promise((resolve) => server.once('listening', resolve)));
await Promise.all([...udp, ...listening]);
process.stdout.write('{"up":true}\n');
