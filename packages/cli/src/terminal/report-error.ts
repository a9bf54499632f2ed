import { isPortolanError } from '@portolan/plugin-api';
import { printableLines } from './printable.ts';

/**
 * Formats an error for people: `error: message`, then its hint, or the list of problems of a configuration;
 * with `debug`, also the stacks of it and its causes. Ends with a line break. Text of containers and servers
 * in it cannot move the cursor.
 */
export function describeError(error: unknown, { debug }: { readonly debug: boolean }): string {
  const lines = [isProblemList(error) ? error.message : `error: ${messageOf(error)}`];
  if (isPortolanError(error)) {
    if (error.hint !== undefined) lines.push(`hint: ${error.hint}`);
  } else if (!debug) {
    lines.push('hint: this is an unexpected error; run the command again with --debug for details');
  }
  if (debug) lines.push(...stacksOf(error));
  return `${printableLines(lines.join('\n'))}\n`;
}

/**
 * Returns whether an error lists problems of a configuration. Its message begins with the file and already
 * contains the hints.
 */
function isProblemList(error: unknown): error is Error {
  return isPortolanError(error) && error.code === 'ERR_CONFIG_INVALID';
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message === '' ? error.name : error.message;
}

function stacksOf(error: unknown): readonly string[] {
  const stacks: string[] = [];
  const seen = new Set<unknown>();
  for (let cause = error; cause instanceof Error && !seen.has(cause); cause = cause.cause) {
    seen.add(cause);
    stacks.push(seen.size === 1 ? (cause.stack ?? cause.name) : `caused by ${cause.stack ?? cause.name}`);
  }
  return stacks;
}
