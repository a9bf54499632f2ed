import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type Duplex, PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { Channel } from '../../src/relay/socket-bridge.ts';

interface Pair {
  readonly left: Channel;
  readonly right: Channel;
  /** Bytes from the left side to the right. */
  readonly wire: PassThrough;
  readonly close: () => void;
}

/** Returns two connected channels. `serve` handles the streams that the left side opens. */
function makePair(serve: (name: string, stream: Duplex) => boolean): Pair {
  const [wire, back] = [new PassThrough(), new PassThrough()];
  const writeTo =
    (stream: PassThrough) =>
    async (bytes: Buffer): Promise<void> => {
      if (!stream.write(bytes)) await once(stream, 'drain');
    };
  const left = new Channel({ isFirst: true, write: writeTo(wire), read: back, onOpen: () => false });
  const right = new Channel({ isFirst: false, write: writeTo(back), read: wire, onOpen: serve });
  return {
    left,
    right,
    wire,
    close: () => {
      left.close();
      right.close();
      wire.destroy();
      back.destroy();
    },
  };
}

const echo = (_name: string, stream: Duplex): boolean => {
  stream.pipe(stream);
  return true;
};

describe('Channel', () => {
  it('carries many streams at once, each complete and in order', async () => {
    const pair = makePair(echo);
    const sent = Array.from({ length: 20 }, (_, at) => randomBytes(at * 50_000));
    const received = await Promise.all(
      sent.map(async (bytes) => {
        const stream = pair.left.open('echo');
        stream.end(bytes);
        return await buffer(stream);
      }),
    );
    expect(received.every((bytes, at) => bytes.equals(sent[at] ?? Buffer.alloc(0)))).to.equal(true);
    pair.close();
  });

  it('ends one direction and keeps the other open', async () => {
    const pair = makePair((_name, stream) => {
      void buffer(stream).then((bytes) => stream.end(`${bytes.length} bytes`));
      return true;
    });
    const stream = pair.left.open('count');
    stream.end('hello');
    expect((await buffer(stream)).toString()).to.equal('5 bytes');
    pair.close();
  });

  it('pauses a stream without a reader, and no other', async () => {
    let arrived = 0;
    const pair = makePair((name, stream) => {
      if (name === 'echo') return echo(name, stream);
      stream.once('readable', () => {
        arrived = stream.readableLength;
      });
      return true;
    });
    const stalled = pair.left.open('stalled');
    let isTaken = false;
    stalled.write(randomBytes(4 * 1024 * 1024), () => {
      isTaken = true;
    });
    const other = pair.left.open('echo');
    other.end('hello');
    expect((await buffer(other)).toString()).to.equal('hello');
    expect(isTaken).to.equal(false);
    expect(arrived).to.be.within(1, 262_144);
    pair.close();
  });

  it('resets a stream without a destination', async () => {
    const pair = makePair(() => false);
    const stream = pair.left.open('nowhere');
    const [error] = await once(stream, 'error');
    expect(error.code).to.equal('ECONNRESET');
    pair.close();
  });

  it('informs the other side when a stream is cut', async () => {
    const cut = Promise.withResolvers<unknown>();
    const pair = makePair((_name, stream) => {
      stream.once('error', cut.resolve).resume();
      return true;
    });
    const stream = pair.left.open('one');
    stream.write('x');
    stream.destroy();
    expect(await cut.promise).to.have.property('code', 'ECONNRESET');
    pair.close();
  });

  it('cuts every stream when the other side is gone', async () => {
    const pair = makePair(echo);
    const stream = pair.left.open('one');
    const gone = once(stream, 'error');
    pair.close();
    await Promise.all([gone, pair.left.closed, pair.right.closed]);
    expect(stream.destroyed).to.equal(true);
    expect(pair.left.open('later').destroyed).to.equal(true);
  });

  const frame = (kind: number, id: number, length: number): Buffer => {
    const head = Buffer.alloc(9);
    head[0] = kind;
    head.writeUInt32BE(id, 1);
    head.writeUInt32BE(length, 5);
    return Buffer.concat([head, Buffer.alloc(Math.min(length, 1000))]);
  };
  const faults: readonly (readonly [string, readonly Buffer[]])[] = [
    ['a frame that is too long', [frame(2, 1, 0x7fff_ffff)]],
    ['a stream with a number of ours', [frame(1, 2, 0)]],
    ['a stream that is opened twice', [frame(1, 1, 0), frame(1, 1, 0)]],
    ['a frame of an unknown type', [frame(1, 1, 0), frame(9, 1, 0)]],
    [
      'more bytes than the window allows',
      [frame(1, 1, 0), ...Array.from({ length: 300 }, () => frame(2, 1, 1000))],
    ],
  ];
  for (const [title, frames] of faults) {
    it(`ends with ${title}`, async () => {
      const pair = makePair(() => true);
      for (const one of frames) pair.wire.write(one);
      await pair.right.closed;
      pair.close();
    });
  }
});
