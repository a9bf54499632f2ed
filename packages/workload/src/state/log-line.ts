/** A line of a log, and when it was written; undefined where the log does not say. */
export interface LogLine {
  readonly time: Date | undefined;
  readonly text: string;
}

const STAMP = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z)\t/;

/** How a line of a server stands in its log. */
export function stampLine(text: string, time: Date): string {
  return `${time.toISOString()}\t${text}`;
}

/**
 * A line of a server's log, in two. Lines that say how many are missing, and
 * those of before there were times, have none.
 */
export function readStampedLine(line: string): LogLine {
  const [stamp = '', time] = STAMP.exec(line) ?? [];
  return { time: time === undefined ? undefined : new Date(time), text: line.slice(stamp.length) };
}

/** A line of a log whose lines are JSON documents with a member `time`. */
export function readTimedDocument(line: string): LogLine {
  const [, text] = /"time":"([^"]+)"/.exec(line) ?? [];
  const time = text === undefined ? undefined : new Date(text);
  return { time: time === undefined || Number.isNaN(time.getTime()) ? undefined : time, text: line };
}
