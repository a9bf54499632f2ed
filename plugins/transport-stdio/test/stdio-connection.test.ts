import { PassThrough } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Attachment } from '@portolan/plugin-api';
import { expect } from 'chai';
import { openStdioConnection } from '../src/index.ts';

interface FakeAttachment extends Attachment {
  readonly stdout: PassThrough;
  readonly stderr: PassThrough;
  readonly written: string[];
  end(failure?: Error): void;
}

function attach(): FakeAttachment {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const { promise: ended, resolve } = Promise.withResolvers<Error | undefined>();
  const written: string[] = [];
  const end = (failure?: Error): void => {
    stdout.end();
    stderr.end();
    resolve(failure);
  };
  return {
    stdout,
    stderr,
    written,
    ended,
    end,
    write: (bytes) => {
      written.push(Buffer.from(bytes).toString());
      return Promise.resolve();
    },
    endInput: () => written.push('(end)'),
    close: () => end(),
  };
}

async function readAll<One>(lines: AsyncIterable<One>): Promise<readonly One[]> {
  const all: One[] = [];
  for await (const line of lines) all.push(line);
  return all;
}

setFlagsFromString('--expose-gc');
const collectGarbage: unknown = runInNewContext('gc');

/** Returns the bytes that are still in use after a garbage collection. */
function memoryInUse(): number {
  if (typeof collectGarbage === 'function') collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

const bytes = Buffer.from('{"a":"Fähre \u2028"}\n');
const CASES: readonly { title: string; chunks: readonly (string | Buffer)[]; received: readonly string[] }[] =
  [
    { title: 'one message a line', chunks: ['{"a":1}\n{"b":2}\n'], received: ['{"a":1}', '{"b":2}'] },
    { title: 'a message in pieces', chunks: ['{"a"', ':1', '}', '\n'], received: ['{"a":1}'] },
    {
      title: 'several messages in one piece and a half',
      chunks: ['{}\n{"b"', ':2}\n'],
      received: ['{}', '{"b":2}'],
    },
    { title: 'lines that end with CR LF', chunks: ['{"a":1}\r', '\n'], received: ['{"a":1}'] },
    { title: 'no empty lines', chunks: ['\n\r\n  \n{}\n'], received: ['{}'] },
    {
      title: 'characters that are cut, and line breaks that are none',
      chunks: [...bytes].map((byte) => Buffer.of(byte)),
      received: ['{"a":"Fähre \u2028"}'],
    },
    { title: 'what comes after the last line end', chunks: ['{}\n{"b":2}'], received: ['{}', '{"b":2}'] },
  ];

describe('openStdioConnection', () => {
  for (const { title, chunks, received } of CASES) {
    it(`receives ${title}`, async () => {
      const attachment = attach();
      const connection = openStdioConnection(attachment, { maxMessageBytes: 100 });
      for (const chunk of chunks) attachment.stdout.write(chunk);
      attachment.end();
      expect(await readAll(connection.received)).to.deep.equal(received);
    });
  }

  it('yields the beginning of an overlong message at once, and continues after it', async () => {
    const attachment = attach();
    const { received } = openStdioConnection(attachment, { maxMessageBytes: 10 });
    const messages = received[Symbol.asyncIterator]();
    attachment.stdout.write(`{}\n{"id":1,`);
    expect((await messages.next()).value).to.equal('{}');
    attachment.stdout.write('"result":');
    expect((await messages.next()).value).to.deep.equal({ beginning: '{"id":1,"result":' });
    for (const part of ['x'.repeat(100), '{"a":1}', 'yy\n{"b":2}\r\n']) attachment.stdout.write(part);
    expect((await messages.next()).value).to.equal('{"b":2}');
    attachment.stdout.write(`${'z'.repeat(11)}\n{}`);
    attachment.end();
    expect((await messages.next()).value).to.deep.equal({ beginning: 'z'.repeat(11) });
    expect((await messages.next()).value).to.equal('{}');
    expect(await messages.next()).to.deep.equal({ done: true, value: undefined });
  });

  it('keeps 64 KiB of an overlong message', async () => {
    const attachment = attach();
    const connection = openStdioConnection(attachment, { maxMessageBytes: 1024 * 1024 });
    attachment.stdout.write('x'.repeat(2 * 1024 * 1024));
    attachment.end();
    expect(await readAll(connection.received)).to.deep.equal([{ beginning: 'x'.repeat(64 * 1024) }]);
  });

  it('needs no more memory than its bytes for a partial line that arrives byte by byte', async function () {
    this.timeout(180_000);
    const length = 1_000_000;
    let grownBy = 0;
    async function* trickle(): AsyncGenerator<Uint8Array> {
      const before = memoryInUse();
      for (let at = 0; at < length; at += 1) yield Uint8Array.of(0x78);
      grownBy = memoryInUse() - before;
    }
    const attachment = { ...attach(), stdout: trickle(), ended: Promise.resolve(undefined) };
    const { received } = openStdioConnection(attachment, { maxMessageBytes: 64 * length });
    expect(await readAll(received)).to.deep.equal(['x'.repeat(length)]);
    // A buffer for each byte takes more than 100 times as much.
    expect(grownBy).to.be.lessThan(50 * length);
  });

  it('ends with the error of the broken connection', async () => {
    const attachment = attach();
    const connection = openStdioConnection(attachment, { maxMessageBytes: 10 });
    const failure = new Error('reset');
    attachment.end(failure);
    expect(await readAll(connection.received).catch((error: unknown) => error)).to.equal(failure);
  });

  it("yields the server's stderr line by line, and truncates a long line", async () => {
    const attachment = attach();
    const connection = openStdioConnection(attachment, { maxMessageBytes: 10 });
    attachment.stderr.write(`ready\n${'y'.repeat(20_000)}\ndone`);
    attachment.end();
    const [first, second, third] = await readAll(connection.logged);
    expect([first, third]).to.deep.equal(['ready', 'done']);
    expect(second).to.have.length(16_384);
  });

  it('sends each message as one line', async () => {
    const attachment = attach();
    const connection = openStdioConnection(attachment, { maxMessageBytes: 10 });
    await connection.send('{"a":1}');
    await connection.send('{\r\n"a": 1\n}');
    await connection.close();
    expect(attachment.written).to.deep.equal(['{"a":1}\n', '{  "a": 1 }\n', '(end)']);
  });

  it('yields to other work while it skips blank lines', async () => {
    const attachment = attach();
    const { received } = openStdioConnection(attachment, { maxMessageBytes: 1000 });
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    count();
    const lines = readAll(received);
    attachment.stdout.write('\n'.repeat(100_000));
    attachment.stdout.write('{}\n');
    attachment.end();
    expect(await lines).to.deep.equal(['{}']);
    isOver = true;
    expect(turns).to.be.greaterThan(100);
  });
});
