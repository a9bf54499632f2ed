import { fstatSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { type Appended, DescriptorAppender } from './descriptor.ts';
import type { LineSink } from './line-sink.ts';

export type StandardOutput = Writable & { readonly fd?: number; readonly isTTY?: boolean };

/**
 * Opens standard output. If it is redirected to a file, lines are written with file calls: the stream would
 * block the process for each write and end it on a full disk.
 */
export function openStandardOutput(stream: StandardOutput): LineSink {
  const { fd, isTTY } = stream;
  if (fd === undefined || isTTY === true) return new StreamSink(stream);
  const stats = fstatSync(fd);
  if (!stats.isFile() && !stats.isCharacterDevice()) return new StreamSink(stream);
  const appender = new DescriptorAppender(fd, stats.size);
  return {
    name: NAME,
    append: (lines) => appender.append(lines),
    appendAtOnce: (lines) => appender.appendAtOnce(lines),
    reopen: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

const NAME = 'standard output';

class StreamSink implements LineSink {
  readonly name = NAME;
  readonly #stream: Writable;

  constructor(stream: Writable) {
    this.#stream = stream;
    stream.on('error', ignore);
  }

  append(lines: Buffer): Promise<Appended> {
    return new Promise((resolve) => {
      this.#stream.write(lines, (error) => resolve(error ? { bytes: 0, error } : { bytes: lines.length }));
    });
  }

  appendAtOnce(lines: Buffer): void {
    this.#stream.write(lines);
  }

  reopen(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.#stream.off('error', ignore);
    return Promise.resolve();
  }
}

/** The writer gets the error too. Without a listener, it would end the process. */
function ignore(): void {
  // without a listener, the error would end the process
}
