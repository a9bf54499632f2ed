import {
  type LogFiles,
  logFilesOf,
  type LogLine,
  readStampedLine,
  readTimedDocument,
  type WorkloadContext,
  workloadOf,
} from '@portolan/workload';
import { readFileText } from './follow-file.ts';
import { formatNetworkLine } from './format/format-network-line.ts';

export interface LogWish {
  readonly which: keyof LogFiles;
  readonly follow: boolean;
  /** Maximum number of existing lines, counted from the end. */
  readonly tail: number | undefined;
  /** Time of the oldest line; by default, all lines. */
  readonly since?: Date | undefined;
  /** Whether to prefix the server's lines with their time. Lines of the other logs already contain it. */
  readonly timestamps?: boolean;
  /** Called with every raw line of the log, also with those that are not shown. */
  readonly seen?: (line: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Yields lines of the log of a workload, or of a member (`WORKLOAD/MEMBER`), oldest first; those of the network log are formatted. A line without a
 * time has the time of the line before it. With `follow`, ends when the signal aborts, or the workload is
 * removed. Throws ERR_WORKLOAD_UNKNOWN.
 */
export async function* readLogLines(
  name: string,
  { store, directories }: Pick<WorkloadContext, 'store' | 'directories'>,
  { which, follow, tail, since, timestamps = false, seen, signal }: LogWish,
): AsyncGenerator<string> {
  const owner = workloadOf(name);
  if ((await store.find(owner)) === undefined) throw await store.unknown(owner);
  const file = logFilesOf(name, directories)[which];
  const files = [`${file}.1`, file];
  const parse = which === 'server' ? readStampedLine : readTimedDocument;
  let skip = 0;
  if (tail !== undefined) {
    const there = files.map((one) => readFileText(one, { follow: false, signal }));
    skip = (await countOf(chosenLines(there, parse, since))) - tail;
  }
  const mayCome = async (): Promise<boolean> => (await store.find(owner)) !== undefined;
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

/** Yields the lines since a time. Lines before the first line with a time count as older. */
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
