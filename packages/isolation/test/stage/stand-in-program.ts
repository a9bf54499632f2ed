// Plays every server behind an address; each response names the server's role. Usage: `stand-in-program.ts
// WHO CERT KEY`
import { createSocket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { RCODE, readMessage, TYPE_A, writeAnswer } from '../../src/relay/relay.ts';

const [, , who = '', cert = '', key = ''] = process.argv;
const report = (kind: string, to: string | undefined): boolean =>
  process.stdout.write(`${JSON.stringify({ hit: who, kind, to })}\n`);
const answer: RequestListener = (request, response) => {
  report('http', request.socket.localAddress);
  response.setHeader('Connection', 'close');
  response.end(`${who} ${request.headers.host}`);
};
/** Data of AAAA (RFC 3596) and TXT (RFC 1035) records, by type. */
const RECORDS: Readonly<Record<number, Buffer>> = {
  28: Buffer.from('20010db8000000000000000000000007', 'hex'),
  16: Buffer.from('\x04text', 'latin1'),
};
const servers = [
  createHttpServer(answer).listen(80, '::'),
  createHttpsServer({ cert: readFileSync(cert), key: readFileSync(key) }, answer).listen(443, '::'),
  createServer((socket) => {
    report('tcp', socket.localAddress);
    socket.on('error', () => undefined).end(who);
  }).listen(8080, '::'),
];

/** Returns the response of a name server that has a record of every kind for every name. */
function answerName(bytes: Buffer): Buffer | undefined {
  const read = readMessage(bytes);
  if (read?.kind !== 'question') return undefined;
  const { question } = read;
  if (question.type === TYPE_A) return writeAnswer(question, RCODE.none, '203.0.113.7');
  const data = RECORDS[question.type];
  const empty = writeAnswer({ ...question, hasOptions: false }, RCODE.none);
  if (data === undefined) return empty;
  empty.writeUInt16BE(1, 6);
  const head = Buffer.from([0xc0, 12, 0, question.type, 0, 1, 0, 0, 0, 60, 0, data.length]);
  return Buffer.concat([empty, head, data]);
}

/**
 * Addresses with a UDP socket each, so that a response comes from the requested address. `::` serves the
 * others.
 */
const addresses = Object.values(networkInterfaces())
  .flatMap((list) => list ?? [])
  .flatMap(({ address }) => (address.startsWith('fe80:') ? [] : [address]));
const udp = [53, 8080].flatMap((port) => [...new Set([...addresses, '::'])].map((one) => openUdp(one, port)));

function openUdp(address: string, port: number): Promise<void> {
  const socket = createSocket({ type: address.includes(':') ? 'udp6' : 'udp4', reuseAddr: true });
  socket.on('message', (bytes, from) => {
    report('udp', `${address} ${port}`);
    socket.send((port === 53 ? answerName(bytes) : undefined) ?? who, from.port, from.address);
  });
  return new Promise<void>((bound) => socket.bind(port, address, bound));
}

const listening = servers.map((server) => new Promise((resolve) => server.once('listening', resolve)));
await Promise.all([...udp, ...listening]);
process.stdout.write('{"up":true}\n');
