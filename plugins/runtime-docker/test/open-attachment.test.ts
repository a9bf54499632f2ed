import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Attachment } from '@portolan/plugin-api';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { openAttachment } from '../src/container/open-attachment.ts';
import { createEngineClient } from '../src/engine/engine-client.ts';
import { engineConnection } from '../src/engine/engine-connection.ts';

const STDOUT = 1;
const STDERR = 2;
const LARGE = 4 * 1024 * 1024; // more than both outputs hold

function frame(stream: number, bytes: Uint8Array): Buffer {
  const header = Buffer.alloc(8);
  header[0] = stream;
  header.writeUInt32BE(bytes.length, 4);
  return Buffer.concat([header, bytes]);
}

function streamOf(output: AsyncIterable<Uint8Array>): Readable {
  if (output instanceof Readable) return output;
  throw new TypeError('no stream');
}

describe('openAttachment (simulated engine)', () => {
  let folder: string;
  let close: () => void;
  let engine: Socket;
  let attachment: Attachment;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-attachment-'));
    const server = createServer();
    const socketPath = path.join(folder, 'engine.sock');
    server.listen(socketPath);
    await once(server, 'listening');
    const connected = once(server, 'connection') as Promise<[Socket]>;
    const connection = engineConnection({ over: 'socket', path: socketPath });
    const client = await createEngineClient({
      connection,
      address: 'unix:///engine.sock',
      from: 'a test',
      podman: false,
    });
    const opening = openAttachment(client, 'weather');
    [engine] = await connected;
    engine.on('error', () => undefined);
    await once(engine, 'data');
    engine.write('HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n');
    attachment = await opening;
    close = () => {
      attachment.close();
      engine.destroy();
      server.close();
    };
  });
  afterEach(async () => {
    close();
    await rm(folder, { recursive: true, force: true });
  });

  it('returns both outputs complete and in order, at any length', async () => {
    const long = Buffer.alloc(LARGE, 'abcdefg');
    engine.write(frame(STDOUT, Buffer.from('first ')));
    engine.write(frame(STDERR, Buffer.from('said ')));
    engine.write(frame(STDOUT, long));
    engine.end(frame(STDERR, long));
    const [out, err] = await Promise.all([buffer(attachment.stdout), buffer(attachment.stderr)]);
    expect(out.equals(Buffer.concat([Buffer.from('first '), long]))).to.equal(true);
    expect(err.equals(Buffer.concat([Buffer.from('said '), long]))).to.equal(true);
    expect(await attachment.ended).to.equal(undefined);
  });

  it('applies back-pressure, and resumes when readers read', async () => {
    for (const stream of [STDOUT, STDERR, STDOUT]) engine.write(frame(stream, Buffer.alloc(LARGE, stream)));
    await eventually(() => expect(streamOf(attachment.stdout).readableLength).to.be.above(1024 * 1024));
    for (let turn = 0; turn < 100; turn += 1) await nextTurn(); // both ends are of this process
    expect(streamOf(attachment.stdout).readableLength, 'held').to.be.below(LARGE / 2);
    engine.end();
    const [out, err] = await Promise.all([buffer(attachment.stdout), buffer(attachment.stderr)]);
    expect([out.length, err.length]).to.deep.equal([2 * LARGE, LARGE]);
  });

  it('does not wait for an output without a reader', async () => {
    engine.write(frame(STDERR, Buffer.alloc(LARGE)));
    await eventually(() => expect(streamOf(attachment.stderr).readableLength).to.be.above(0));
    streamOf(attachment.stderr).destroy();
    engine.write(frame(STDERR, Buffer.alloc(LARGE)));
    engine.end(frame(STDOUT, Buffer.from('still there')));
    expect(String(await buffer(attachment.stdout))).to.equal('still there');
  });
});
