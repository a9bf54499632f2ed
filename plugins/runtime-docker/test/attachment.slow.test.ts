import { leavesNothingOpen } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { codeOf } from './support/code-of.ts';
import { useEngine } from './support/test-engine.ts';

async function readAll(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all).toString('utf8');
}

/** What comes up to and with the first line end. */
async function readLine(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  let text = '';
  const iterator = chunks[Symbol.asyncIterator]();
  while (!text.includes('\n')) {
    const { done, value } = await iterator.next();
    if (done) break;
    text += Buffer.from(value).toString('utf8');
  }
  return text;
}

describe('attachContainer', function () {
  this.timeout(180_000);
  const engine = useEngine();
  // It ends when all is written: an exit alone would cut off what the pipe has not taken yet.
  const echo =
    "process.stdin.pipe(process.stdout); process.stdin.on('end', () => process.stdout.write('', () => process.exit(7)))";

  it('loses no output of a process that ends at once', async () => {
    const script = "process.stdout.write('out'); process.stderr.write('err')";
    await engine.withContainer(engine.spec(script, { stdin: 'once' }), async (id) => {
      const attachment = await engine.runtime.attachContainer(id);
      await engine.runtime.startContainer(id);
      const [out, err] = await Promise.all([readAll(attachment.stdout), readAll(attachment.stderr)]);
      expect([out, err, await attachment.ended]).to.deep.equal(['out', 'err', undefined]);
    });
  });

  it('transfers a line of 4 MiB in both directions, written before the process reads', async () => {
    await engine.withContainer(engine.spec(echo, { stdin: 'once' }), async (id) => {
      const attachment = await engine.runtime.attachContainer(id);
      await engine.runtime.startContainer(id);
      const sent = `${'é'.repeat(2 * 1024 * 1024)}\n`;
      const received = readAll(attachment.stdout);
      await attachment.write(Buffer.from(sent));
      attachment.endInput();
      expect((await received) === sent).to.equal(true);
      expect(await engine.runtime.waitForExit(id)).to.include({ exitCode: 7 });
    });
  });

  it('ends the input of a per-session process on close', async () => {
    await engine.withContainer(engine.spec(echo, { stdin: 'once' }), async (id) => {
      const attachment = await engine.runtime.attachContainer(id);
      await engine.runtime.startContainer(id);
      await attachment.write(Buffer.from('ping\n'));
      expect(await readLine(attachment.stdout)).to.equal('ping\n');
      attachment.close();
      expect(await engine.runtime.waitForExit(id)).to.include({ exitCode: 7 });
      expect(await codeOf(attachment.write(Buffer.from('x')))).to.equal('ERR_RUNTIME_ANSWER');
    });
  });

  it('can be attached again when the input stays open', async () => {
    await engine.withContainer(engine.spec(echo, { stdin: 'open' }), async (id) => {
      const first = await engine.runtime.attachContainer(id);
      await engine.runtime.startContainer(id);
      await first.write(Buffer.from('one\n'));
      expect(await readLine(first.stdout)).to.equal('one\n');
      first.close();
      const second = await engine.runtime.attachContainer(id);
      await second.write(Buffer.from('two\n'));
      expect(await readLine(second.stdout)).to.equal('two\n');
      second.close();
      expect((await engine.runtime.inspectContainer(id))?.state.running).to.equal(true);
    });
  });

  it('waits for a slow reader and loses nothing', async () => {
    const script =
      "for (let line = 0; line < 100_000; line += 1) process.stdout.write('x'.repeat(99) + '\\n')";
    await engine.withContainer(engine.spec(script, { stdin: 'once' }), async (id) => {
      const attachment = await engine.runtime.attachContainer(id);
      await engine.runtime.startContainer(id);
      let bytes = 0;
      for await (const chunk of attachment.stdout) {
        bytes += chunk.length;
        await new Promise(setImmediate);
      }
      expect(bytes).to.equal(10_000_000);
    });
  });

  it('rejects for a missing container, and leaves nothing open', async () => {
    await leavesNothingOpen(async () => {
      expect(await codeOf(engine.runtime.attachContainer(engine.name()))).to.equal('ERR_CONTAINER_NOT_FOUND');
    });
  });
});

describe('readLogs', function () {
  this.timeout(180_000);
  const engine = useEngine();
  const logs = { maxBytes: 1_000_000, files: 1 };

  it('joins lines that the engine splits, and separates the streams', async () => {
    const script =
      "console.log('é'.repeat(20_000)); console.error('2020-01-01T00:00:00Z mine'); process.stdout.write('no end')";
    await engine.withContainer(engine.spec(script, { logs }), async (id) => {
      await engine.runtime.startContainer(id);
      await engine.runtime.waitForExit(id);
      const lines = { stdout: [] as string[], stderr: [] as string[] };
      for await (const line of engine.runtime.readLogs(id, {})) {
        expect(line.at.getFullYear()).to.be.greaterThan(2020);
        lines[line.stream].push(line.text);
      }
      expect(lines.stdout.map((text) => [text.length, text.at(-1)])).to.deep.equal([
        [20_000, 'é'],
        [6, 'd'],
      ]);
      expect(lines.stderr).to.deep.equal(['2020-01-01T00:00:00Z mine']);
    });
  });

  it('follows until the container ends', async () => {
    const script = "console.log('a'); setTimeout(() => console.log('b'), 200)";
    const { output } = await engine.runToEnd(engine.spec(script));
    expect(output).to.equal('a\nb');
  });

  it('returns only the last lines', async () => {
    const script = "console.log('a\\nb\\nc')";
    await engine.withContainer(engine.spec(script, { logs }), async (id) => {
      await engine.runtime.startContainer(id);
      await engine.runtime.waitForExit(id);
      const texts: string[] = [];
      for await (const { text } of engine.runtime.readLogs(id, { tail: 2 })) texts.push(text);
      expect(texts).to.deep.equal(['b', 'c']);
    });
  });

  it('rejects with the reason of its signal', async () => {
    await engine.withContainer(
      engine.spec("console.log('a'); setInterval(() => {}, 1000)", { logs }),
      async (id) => {
        await engine.runtime.startContainer(id);
        const reason = new Error('enough');
        const controller = new AbortController();
        const read = async (): Promise<void> => {
          for await (const line of engine.runtime.readLogs(id, { follow: true, signal: controller.signal })) {
            expect(line.text).to.equal('a');
            controller.abort(reason);
          }
        };
        expect(await read().catch((error: unknown) => error)).to.equal(reason);
      },
    );
  });
});
