import { expect } from 'chai';
import fc from 'fast-check';
import { execFile } from 'node:child_process';
import { type AddressInfo, createServer } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { readFirstBytes } from '../../src/proxy/client-hello.ts';
import { skipTest } from '../../../../test/support/skip-suite.ts';
import { trials } from '../../../../test/support/soak.ts';

/** Returns the first bytes that a client sends to a port that does not respond. */
async function capture(start: (port: number) => () => void): Promise<Buffer> {
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  const server = createServer((socket) => {
    let bytes: Buffer = Buffer.alloc(0);
    socket
      .on('error', () => undefined)
      .on('data', (chunk: Buffer) => {
        bytes = Buffer.concat([bytes, chunk]);
        if (readFirstBytes(bytes).kind === 'more') return;
        resolve(bytes);
        socket.destroy();
      });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  // SAFETY: the server listens on a TCP port.
  const stop = start((server.address() as AddressInfo).port);
  try {
    return await promise;
  } finally {
    stop();
    server.close();
  }
}

const node = (options: ConnectionOptions) => (port: number) => {
  const socket = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options });
  socket.on('error', () => undefined);
  return () => socket.destroy();
};

const program =
  (file: string, ...words: readonly string[]) =>
  (port: number) => {
    const child = execFile(
      file,
      words.map((word) => word.replace('PORT', String(port))),
      () => undefined,
    );
    child.stdin?.end();
    return () => child.kill('SIGKILL');
  };

async function has(file: string): Promise<boolean> {
  return new Promise((resolve) =>
    execFile(file, ['--version'], (error) => resolve(error === null || error.code !== 'ENOENT')),
  );
}

describe('readFirstBytes', () => {
  const clients: readonly (readonly [string, (port: number) => () => void, string | undefined, string?])[] = [
    ['Node with TLS 1.3', node({ servername: 'api.acme.example' }), 'api.acme.example'],
    [
      'Node with TLS 1.2',
      node({ servername: 'api.acme.example', maxVersion: 'TLSv1.2' }),
      'api.acme.example',
    ],
    ['Node with ALPN', node({ servername: 'a.example', ALPNProtocols: ['h2', 'http/1.1'] }), 'a.example'],
    ['Node without a name', node({}), undefined],
    [
      'curl',
      program(
        'curl',
        '-sk',
        '--noproxy',
        '*',
        '--resolve',
        'api.acme.example:PORT:127.0.0.1',
        'https://api.acme.example:PORT/',
      ),
      'api.acme.example',
      'curl',
    ],
    [
      'curl to an address',
      program('curl', '-sk', '--noproxy', '*', 'https://127.0.0.1:PORT/'),
      undefined,
      'curl',
    ],
    [
      'openssl',
      program('openssl', 's_client', '-connect', '127.0.0.1:PORT', '-servername', 'api.acme.example'),
      'api.acme.example',
      'openssl',
    ],
  ];
  for (const [title, start, serverName, file] of clients) {
    it(`returns the server name of ${title}`, async function () {
      if (file !== undefined && !(await has(file))) skipTest(this, `${file} is not installed`);
      expect(readFirstBytes(await capture(start))).to.deep.equal({ kind: 'hello', serverName });
    });
  }

  describe('with a recorded ClientHello', () => {
    let hello: Buffer;
    before(async () => {
      hello = await capture(node({ servername: 'api.acme.example' }));
    });

    it('returns "more" until the last byte', () => {
      for (let length = 0; length < hello.length; length += 1) {
        expect(readFirstBytes(hello.subarray(0, length)).kind).to.equal('more');
      }
    });

    it('parses a ClientHello that is split into many TLS records', () => {
      const message = hello.subarray(5);
      for (const size of [1, 2, 3, 7, 100]) {
        const records: Buffer[] = [];
        for (let at = 0; at < message.length; at += size) {
          const part = message.subarray(at, at + size);
          records.push(Buffer.from([22, 3, 1, part.length >> 8, part.length & 255]), part);
        }
        const read = readFirstBytes(Buffer.concat(records));
        expect(read).to.deep.equal({ kind: 'hello', serverName: 'api.acme.example' });
      }
    });

    it('returns the number of bytes that it needs next', () => {
      const message = hello.subarray(5);
      const records = Array.from(message, (byte) => Buffer.from([22, 3, 1, 0, 1, byte]));
      const all = Buffer.concat(records);
      let [reads, length] = [0, 1];
      for (; ; reads += 1) {
        const read = readFirstBytes(all.subarray(0, length));
        if (read.kind !== 'more') {
          expect(read).to.deep.equal({ kind: 'hello', serverName: 'api.acme.example' });
          break;
        }
        expect(read.atLeast).to.be.greaterThan(length).and.at.most(all.length);
        length = read.atLeast;
      }
      expect(reads).to.be.lessThan(100);
    });

    it('never returns a wrong server name for a damaged ClientHello without a mark, and never throws', () => {
      fc.assert(
        fc.property(fc.nat(hello.length - 1), fc.nat(255), (at, byte) => {
          const damaged = Buffer.from(hello);
          damaged[at] = byte;
          const read = readFirstBytes(damaged);
          if (read.kind === 'hello' && read.serverName !== undefined)
            expect(read.serverName).to.have.lengthOf.at.most(300);
        }),
        trials({ short: 2000 }),
      );
    });

    it('does not accept two server names as TLS', () => {
      const name = Buffer.from('api.acme.example');
      // skips type, length, length of the list, kind and length of the name
      const at = hello.indexOf(name) - 9;
      const extension = hello.subarray(at, at + 9 + name.length);
      const twice = Buffer.concat([hello.subarray(0, at), extension, hello.subarray(at)]);
      const grow = (place: number, size: 2 | 3): void => {
        twice.writeUIntBE(twice.readUIntBE(place, size) + extension.length, place, size);
      };
      grow(3, 2);
      grow(6, 3);
      let extensions = 5 + 4 + 2 + 32;
      extensions += 1 + (twice[extensions] ?? 0);
      extensions += 2 + twice.readUInt16BE(extensions);
      extensions += 1 + (twice[extensions] ?? 0);
      grow(extensions, 2);
      expect(readFirstBytes(twice)).to.deep.equal({ kind: 'not-tls' });
    });
  });

  for (const text of [
    'GET / HTTP/1.1\r\n',
    'SSH-2.0-x\r\n',
    '\u0016\u0002\u0001',
    '\u0016\u0003\u0001\u0000\u0000',
    '\u0016\u0003\u0001\u0000\u0004\u0002',
  ]) {
    it(`detects that ${JSON.stringify(text)} is not TLS`, () => {
      expect(readFirstBytes(Buffer.from(text, 'latin1')).kind).to.equal('not-tls');
    });
  }

  it('does not throw on any bytes', () => {
    const bytes = fc
      .uint8Array({ maxLength: 200 })
      .map((rest) => Buffer.concat([Buffer.from([22, 3, 1]), rest]));
    fc.assert(
      fc.property(bytes, (one) => void readFirstBytes(one)),
      trials({ short: 2000 }),
    );
  });
});
