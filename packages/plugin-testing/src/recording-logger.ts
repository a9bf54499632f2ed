import type { Logger } from '@portolan/plugin-api';

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly fields: object;
  readonly message: string;
}

export interface RecordingLogger extends Logger {
  readonly lines: readonly LogLine[];
}

/** Creates a logger that prints nothing and records every line. */
export function createRecordingLogger(): RecordingLogger {
  const lines: LogLine[] = [];
  const record =
    (level: LogLine['level']) =>
    (fields: object, message: string): void => {
      lines.push({ level, fields, message });
    };
  return {
    lines,
    debug: record('debug'),
    info: record('info'),
    warn: record('warn'),
    error: record('error'),
  };
}
