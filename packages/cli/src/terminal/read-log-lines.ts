import { type LogFiles, logFilesOf, type WorkloadContext, workloadUnknown } from '@portolan/workload';
import { readFileText } from './follow-file.ts';
import { formatNetworkLine } from './format-network-line.ts';

export interface LogWish {
  readonly which: keyof LogFiles;
  readonly follow: boolean;
  /** Only so many of the lines that are there. */
  readonly tail: number | undefined;
  /** Hears every line as it stands in the log, also those that are not shown. */
  readonly seen?: (line: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Lines of a workload's log, oldest first; those of its network as people read
 * them. With `follow` it ends when the signal aborts, or the workload is
 * removed. Throws ERR_WORKLOAD_UNKNOWN.
 */
export async function* readLogLines(
  name: string,
  { store, directories }: Pick<WorkloadContext, 'store' | 'directories'>,
  { which, follow, tail, seen, signal }: LogWish,
): AsyncGenerator<string> {
  if ((await store.find(name)) === undefined) throw workloadUnknown(name);
  const file = logFilesOf(name, directories)[which];
  const older = `${file}.1`;
  const format = which === 'network' ? formatNetworkLine : (line: string): string => line;
  let skip = tail === undefined ? 0 : (await countLines([older, file], signal)) - tail;
  const mayCome = async (): Promise<boolean> => (await store.find(name)) !== undefined;
  const texts = [
    readFileText(older, { follow: false, signal }),
    readFileText(file, { follow, signal, mayCome }),
  ];
  for (const text of texts) {
    for await (const line of linesOf(text)) {
      seen?.(line);
      skip -= 1;
      if (skip < 0) yield format(line);
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

async function countLines(files: readonly string[], signal: AbortSignal): Promise<number> {
  let count = 0;
  for (const file of files) {
    const lines = linesOf(readFileText(file, { follow: false, signal }));
    while ((await lines.next()).done !== true) count += 1;
  }
  return count;
}
