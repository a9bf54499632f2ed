import {
  type LogFiles,
  logFilesOf,
  type LogLine,
  readStampedLine,
  readTimedDocument,
  type WorkloadContext,
} from '@portolan/workload';
import { readFileText } from './follow-file.ts';
import { formatNetworkLine } from './format/format-network-line.ts';

export interface LogWish {
  readonly which: keyof LogFiles;
  readonly follow: boolean;
  /** Only so many of the lines that are there. */
  readonly tail: number | undefined;
  /** Only lines from then on; left out, all. */
  readonly since?: Date | undefined;
  /** Lines of the server with the time at which they were written; those of the others have theirs. */
  readonly timestamps?: boolean;
  /** Hears every line as it stands in the log, also those that are not shown. */
  readonly seen?: (line: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Lines of a workload's log, oldest first; those of its network as people read
 * them. A line without a time is as old as the one before it. With `follow` it
 * ends when the signal aborts, or the workload is removed. Throws
 * ERR_WORKLOAD_UNKNOWN.
 */
export async function* readLogLines(
  name: string,
  { store, directories }: Pick<WorkloadContext, 'store' | 'directories'>,
  { which, follow, tail, since, timestamps = false, seen, signal }: LogWish,
): AsyncGenerator<string> {
  if ((await store.find(name)) === undefined) throw await store.unknown(name);
  const file = logFilesOf(name, directories)[which];
  const files = [`${file}.1`, file];
  const parse = which === 'server' ? readStampedLine : readTimedDocument;
  let skip = 0;
  if (tail !== undefined) {
    const there = files.map((one) => readFileText(one, { follow: false, signal }));
    skip = (await countOf(chosenLines(there, parse, since))) - tail;
  }
  const mayCome = async (): Promise<boolean> => (await store.find(name)) !== undefined;
  const texts = files.map((one) =>
    readFileText(one, one === file ? { follow, signal, mayCome } : { follow: false, signal }),
  );
  for await (const { time, text } of chosenLines(texts, parse, since, seen)) {
    skip -= 1;
    if (skip >= 0) continue;
    if (which === 'network') yield formatNetworkLine(text);
    else yield timestamps && which === 'server' ? `${time?.toISOString() ?? '-'} ${text}` : text;
  }
}

/** Those from a time on; what was written before there were times counts as older than all. */
async function* chosenLines(
  texts: readonly AsyncIterable<string>[],
  parse: (line: string) => LogLine,
  since: Date | undefined,
  seen?: (line: string) => void,
): AsyncGenerator<LogLine> {
  let last: Date | undefined;
  for (const text of texts) {
    for await (const line of linesOf(text)) {
      seen?.(line);
      const { time = last, text: content } = parse(line);
      last = time;
      if (since === undefined || (time !== undefined && time >= since)) yield { time, text: content };
    }
  }
}

async function* linesOf(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const text of texts) {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

async function countOf(lines: AsyncGenerator<LogLine>): Promise<number> {
  let count = 0;
  while ((await lines.next()).done !== true) count += 1;
  return count;
}
