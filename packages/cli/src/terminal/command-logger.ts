import type { Logger } from '@portolan/plugin-api';
import { printable } from './printable.ts';

export interface CommandLoggerOptions {
  readonly debug: boolean;
  readonly write: (text: string) => unknown;
  /** Takes out of a text what nobody may see. */
  readonly mask: (text: string) => string;
}

/**
 * A logger for commands that people run: warnings and errors as lines that say
 * what they are, with `debug` everything. Much smaller than that of servers.
 */
export function createCommandLogger({ debug, write, mask }: CommandLoggerOptions): Logger {
  const line =
    (level: string) =>
    (fields: object, message: string): void => {
      write(`${printable(mask(`${level}: ${message}${textOf(fields)}`))}\n`);
    };
  const nothing = (): void => undefined;
  return {
    debug: debug ? line('debug') : nothing,
    info: debug ? line('info') : nothing,
    warn: line('warning'),
    error: line('error'),
  };
}

function textOf(fields: object): string {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  const parts = given.map(([name, value]) => `${name}=${shown(value)}`);
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

function shown(value: unknown): string {
  if (value instanceof Error) return JSON.stringify(value.message);
  return (typeof value === 'string' ? value : JSON.stringify(value)) ?? String(value);
}
