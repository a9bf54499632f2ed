import type { Logger } from '@portolan/plugin-api';
import { printable } from './printable.ts';

export interface CommandLoggerOptions {
  readonly debug: boolean;
  readonly write: (text: string) => unknown;
  readonly mask: (text: string) => string;
}

/**
 * Creates a logger for interactive commands: warnings and errors as lines with their level, everything with
 * `debug`. Much smaller than the servers' logger.
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
  const inputs = Object.entries(fields).filter(([, value]) => value !== undefined);
  const parts = inputs.map(([name, value]) => `${name}=${shown(value)}`);
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

function shown(value: unknown): string {
  if (value instanceof Error) return JSON.stringify(value.message);
  return (typeof value === 'string' ? value : JSON.stringify(value)) ?? String(value);
}
