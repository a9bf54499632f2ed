/** Line of a log. `time` is undefined when the line contains no time. */
export interface LogLine {
  readonly time: Date | undefined;
  readonly text: string;
}

const STAMP = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z)\t/;

export function stampLine(text: string, time: Date): string {
  return `${time.toISOString()}\t${text}`;
}

/** Splits a line of a server's log into time and text. Notices about dropped lines have no time. */
export function readStampedLine(line: string): LogLine {
  const [stamp = '', time] = STAMP.exec(line) ?? [];
  return { time: time === undefined ? undefined : new Date(time), text: line.slice(stamp.length) };
}

/** Parses the time of a log line that is a JSON document with a member `time`. */
export function readTimedDocument(line: string): LogLine {
  const [, text] = /"time":"([^"]+)"/.exec(line) ?? [];
  const time = text === undefined ? undefined : new Date(text);
  return { time: time === undefined || Number.isNaN(time.getTime()) ? undefined : time, text: line };
}
