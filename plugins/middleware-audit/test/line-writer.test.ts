import {
  createRecordingLogger,
  eventually,
  FakeClock,
  inTime,
  leavesNothingOpen,
} from '@portolan/plugin-testing';
import { expect } from 'chai';
import type { Appended } from '../src/descriptor.ts';
import type { LineSink } from '../src/line-sink.ts';
import { LineWriter, type LineWriterOptions } from '../src/line-writer.ts';

/** A sink in memory that does as the test says. */
class MemorySink implements LineSink {
  readonly name = 'memory';
  readonly writes: string[] = [];
  readonly calls: string[] = [];
  /** Asked for each write; left out, all is written. */
  answer: ((lines: Buffer) => Appended | Promise<Appended>) | undefined;

  get text(): string {
    return this.writes.join('');
  }

  async append(lines: Buffer): Promise<Appended> {
    const { bytes, error } = (await this.answer?.(lines)) ?? { bytes: lines.length };
    if (bytes > 0) this.writes.push(lines.toString('utf8', 0, bytes));
    return error === undefined ? { bytes } : { bytes, error };
  }

  appendAtOnce(lines: Buffer): void {
    this.writes.push(lines.toString());
  }

  async reopen(): Promise<void> {
    this.calls.push(`reopen after ${this.writes.length}`);
  }

  async close(): Promise<void> {
    this.calls.push('close');
  }
}

const full = (): Appended => ({
  bytes: 0,
  error: Object.assign(new Error('no space left'), { code: 'ENOSPC' }),
});

describe('LineWriter', () => {
  let sink: MemorySink;
  let logger: ReturnType<typeof createRecordingLogger>;
  let opened: LineWriter[];
  beforeEach(() => {
    sink = new MemorySink();
    logger = createRecordingLogger();
    opened = [];
  });
  afterEach(() => Promise.all(opened.map((writer) => writer.close())));

  function start(options: Partial<LineWriterOptions> = {}): LineWriter {
    const { clock } = new FakeClock();
    const formatLost: LineWriterOptions['formatLost'] = ({ count }) => `lost ${count}`;
    const writer = new LineWriter({ sink, logger, clock, formatLost, retryMs: 1, ...options });
    opened.push(writer);
    return writer;
  }

  it('writes lines in order, those of one event loop turn at once', async () => {
    const writer = start();
    for (const line of ['a', 'b', 'c']) writer.write(line);
    await eventually(() => expect(sink.writes).to.deep.equal(['a\nb\nc\n']));
    writer.write('d');
    await writer.close();
    expect(sink.writes).to.deep.equal(['a\nb\nc\n', 'd\n']);
  });

  it('splits a large batch at line ends', async () => {
    const writer = start();
    const lines = Array.from({ length: 1000 }, (_, index) => `${index} ${'x'.repeat(1000)}`);
    for (const line of lines) writer.write(line);
    await writer.close();
    expect(sink.text).to.equal(lines.map((line) => `${line}\n`).join(''));
    expect(sink.writes).to.have.length(4);
    expect(sink.writes.every((text) => text.endsWith('\n') && text.length <= 256 * 1024)).to.equal(true);
  });

  it('writes all lines and closes the file on close', async () => {
    await leavesNothingOpen(async () => {
      const listeners = process.listenerCount('exit');
      const writer = start();
      for (const line of ['a', 'b']) writer.write(line);
      await Promise.all([writer.close(), writer.close()]);
      expect(sink.text).to.equal('a\nb\n');
      expect(sink.calls).to.deep.equal(['close']);
      expect(process.listenerCount('exit')).to.equal(listeners);
    });
  });

  it('keeps lines that cannot be written, and retries until it succeeds', async () => {
    let failures = 0;
    sink.answer = (lines) => {
      failures += 1;
      return failures < 5 ? full() : { bytes: lines.length };
    };
    const writer = start();
    writer.write('a');
    await eventually(() => expect(failures).to.be.greaterThan(1));
    writer.write('b');
    await eventually(() => expect(sink.text).to.equal('a\nb\n'));
    expect(logger.lines.map(({ level, message }) => [level, message])).to.deep.equal([
      ['error', 'the audit log cannot be written'],
      ['warn', 'the audit log can be written again'],
    ]);
  });

  it('resumes a partly written line', async () => {
    let first = true;
    sink.answer = (lines) => {
      if (!first) return { bytes: lines.length };
      first = false;
      return { bytes: 'a\nb\n'.length, error: new Error('no space left') };
    };
    const writer = start();
    for (const line of ['a', 'b', 'c']) writer.write(line);
    await eventually(() => expect(sink.writes).to.deep.equal(['a\nb\n', 'c\n']));
  });

  it('limits the queue, counts lost lines, and writes a line with their number in their place', async () => {
    sink.answer = full;
    const writer = start({ maxBytes: 12 });
    for (const line of ['11111', '22222', '33333', '44444']) writer.write(line);
    await eventually(() => expect(logger.lines).not.to.be.empty);
    sink.answer = undefined;
    await eventually(() => expect(sink.text).to.equal('11111\n22222\nlost 2\n'));
    writer.write('55555');
    await writer.close();
    expect(sink.text).to.equal('11111\n22222\nlost 2\n55555\n');
    expect(logger.lines.map(({ message }) => message)).to.include.members([
      'lines of the audit log are being lost',
      'lines of the audit log were lost',
    ]);
    expect(logger.lines.find(({ message }) => message.endsWith('were lost'))?.fields).to.include({ lost: 2 });
  });

  it('never blocks on a write that hangs', async () => {
    sink.answer = () => new Promise(() => {});
    const writer = start({ maxBytes: 100, closeMs: 1 });
    for (let index = 0; index < 1000; index += 1) writer.write('x'.repeat(9));
    await inTime('the close', writer.close());
    expect(logger.lines.at(-1)).to.deep.include({
      level: 'error',
      message: 'lines of the audit log are lost',
    });
    expect(logger.lines.at(-1)?.fields).to.include({ lost: 1000 });
  });

  it('reports on close what could not be written', async () => {
    sink.answer = full;
    const writer = start();
    for (const line of ['a', 'b', 'c']) writer.write(line);
    await writer.close();
    expect(logger.lines.at(-1)?.fields).to.include({ lost: 3, file: 'memory' });
    expect(sink.calls).to.deep.equal(['close']);
  });

  it('counts a line that could not be formatted', async () => {
    const writer = start();
    writer.write('a');
    writer.lose();
    writer.write('b');
    await writer.close();
    expect(sink.text).to.equal('a\nlost 1\nb\n');
  });

  it('repeats the failure report at intervals, not each time', async () => {
    let failures = 0;
    sink.answer = () => {
      failures += 1;
      return full();
    };
    start({ retryMs: 0 }).write('a');
    await eventually(() => expect(failures).to.be.greaterThan(60));
    const told = logger.lines.filter(({ message }) => message === 'the audit log cannot be written');
    expect(told.length).to.be.within(2, 1 + failures / 60);
  });

  describe('reopen', () => {
    it('writes queued lines first', async () => {
      const writer = start();
      writer.write('a');
      await writer.reopen();
      writer.write('b');
      await writer.close();
      expect(sink.calls).to.deep.equal(['reopen after 1', 'close']);
      expect(sink.writes).to.deep.equal(['a\n', 'b\n']);
    });

    it('moves unwritten lines to the new file, and retries at once', async () => {
      sink.answer = full;
      const writer = start({ retryMs: 3_600_000 });
      writer.write('a');
      await eventually(() => expect(logger.lines).not.to.be.empty);
      sink.reopen = async () => {
        sink.answer = undefined;
      };
      await writer.reopen();
      await eventually(() => expect(sink.text).to.equal('a\n'));
    });

    it("throws the sink's error, and continues", async () => {
      sink.reopen = () => Promise.reject(new Error('no such folder'));
      const writer = start();
      const error = await writer.reopen().catch((reason: unknown) => reason);
      expect(error).to.have.property('message', 'no such folder');
      writer.write('a');
      await writer.close();
      expect(sink.text).to.equal('a\n');
    });

    it('does nothing after close', async () => {
      const writer = start();
      await writer.close();
      await writer.reopen();
      expect(sink.calls).to.deep.equal(['close']);
    });
  });

  it('reports for a line whether it is in the log', async () => {
    const troubles: boolean[] = [];
    const writer = start({ troubled: (isTroubled) => troubles.push(isTroubled), retryMs: 5, acceptMs: 1000 });
    expect(await Promise.all([writer.accept('a'), writer.accept('b')])).to.deep.equal([true, true]);
    expect(sink.text).to.equal('a\nb\n');
    sink.answer = full;
    expect(await writer.accept('c')).to.equal(false);
    expect(await writer.accept('d'), 'not taken while the log cannot be written').to.equal(false);
    sink.answer = undefined;
    await eventually(() => expect(troubles).to.deep.equal([true, false]));
    expect(await writer.accept('e')).to.equal(true);
    expect(sink.text).to.equal('a\nb\nc\ne\n');
  });

  it('times out on a slow write', async () => {
    const writer = start({ acceptMs: 20 });
    const { promise: hangs, resolve } = Promise.withResolvers<void>();
    sink.answer = async (lines) => {
      await hangs;
      return { bytes: lines.length };
    };
    expect(await writer.accept('a')).to.equal(false);
    resolve();
    await writer.close();
    expect(await writer.accept('b'), 'after its end').to.equal(false);
    expect(sink.text).to.equal('a\n');
  });
});
