// Makes connection attempts and prints their outcomes as a JSON array: `probe-program.ts '["tcp 203.0.113.7
// 80"]'`, or `probe-program.ts --from FILE`. It also runs in containers, so it imports only Node's own
// modules.
import { execFile } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns';
import { readFileSync } from 'node:fs';
import { get as getHttp } from 'node:http';
import { get as getHttps } from 'node:https';
import { connect } from 'node:net';

const PATIENCE_MS = 5000;
const SILENCE_MS = 1000;
const [, , list = '[]', listFile = ''] = process.argv;
// SAFETY: tests pass a list of strings.
const attempts = JSON.parse(list === '--from' ? readFileSync(listFile, 'utf8') : list) as readonly string[];

type Attempt = (host: string, port: number, rest: string) => Promise<string>;

function code(error: unknown): string {
  // SAFETY: Node throws errors; some have a numeric code.
  const { code: own, cause, message } = error as { code?: unknown; cause?: unknown; message: string };
  if (typeof own === 'string') return own;
  return cause === undefined ? message : code(cause);
}

/** Sends text over TCP and returns the response. */
function say(host: string, port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    const socket = connect({ host, port, autoSelectFamily: false }, () => {
      if (text !== '') socket.write(text);
      // without text, the server may wait for the client
      else setTimeout(() => resolve('connected'), SILENCE_MS).unref();
    });
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      received += chunk;
      if (/^HTTP\/1.1 200 Conn/.test(received)) socket.end();
    });
    socket
      .on('error', (error) => resolve(code(error)))
      .on('close', () => resolve(received.split('\r\n')[0] || 'closed'));
  });
}

const request = (get: typeof getHttp, host: string, port: number): Promise<string> =>
  new Promise((resolve) => {
    get({ host, port, path: '/', agent: false }, (response) => {
      let text = '';
      response
        .setEncoding('utf8')
        .on('data', (chunk: string) => (text += chunk))
        .on('end', () => resolve(`${response.statusCode} ${text}`));
    }).on('error', (error) => resolve(code(error)));
  });

const KINDS: Readonly<Record<string, Attempt>> = {
  tcp: (host, port) => say(host, port, ''),
  connect: (host, port) => say('127.0.0.1', 3128, `CONNECT ${host}:${port} HTTP/1.1\r\n\r\n`),
  get: (host, port) =>
    say('127.0.0.1', 3128, `GET http://${host}:${port}/ HTTP/1.1\r\nConnection: close\r\n\r\n`),
  http: (host, port) => request(getHttp, host, port),
  https: (host, port) => request(getHttps, host, port),
  fetch: async (url) => {
    try {
      const response = await fetch(url);
      return `${response.status} ${await response.text()}`;
    } catch (error) {
      return code(error);
    }
  },
  udp: (host, port) =>
    new Promise((resolve) => {
      const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
      socket.on('message', (bytes) => resolve(String(bytes))).on('error', (error) => resolve(code(error)));
      socket.send('?', port, host, (error) => error && resolve(code(error)));
      setTimeout(() => socket.close(), PATIENCE_MS).unref();
    }),
  // Exit codes 1 and 2 mean that no reply came. Without a ping program, the outcome is `no ping`.
  ping: async (host) => {
    const words = ['-c1', '-W2', host];
    for (const command of [
      ['ping', ...words],
      ['busybox', 'ping', ...words],
    ]) {
      const [file = '', ...rest] = command;
      const ended = await new Promise<unknown>((resolve) =>
        execFile(file, rest, (error) => resolve(error?.code ?? 'reached')),
      );
      if (ended !== 'ENOENT') return ended === 'reached' ? 'reached' : `ended with ${String(ended)}`;
    }
    return 'no ping';
  },
  dns: (name, _port, rest) => {
    const [, type = 'A', server] = rest.split(' ');
    const resolver = new Resolver({ timeout: 2000, tries: 1 });
    if (server !== undefined) resolver.setServers([server]);
    return new Promise((resolve) =>
      resolver.resolve(name, type, (error, found) =>
        resolve(error === null ? JSON.stringify(found) : code(error)),
      ),
    );
  },
};

const results = await Promise.all(
  attempts.map((attempt) => {
    const [kind = '', host = '', port] = attempt.split(' ');
    const late = new Promise<string>((resolve) => setTimeout(() => resolve('no answer'), PATIENCE_MS));
    return Promise.race([
      KINDS[kind]?.(host, Number(port), attempt.slice(kind.length + 1)) ?? 'unknown',
      late,
    ]);
  }),
);
process.stdout.write(JSON.stringify(results), () => process.exit(0));
