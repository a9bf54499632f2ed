import { wordsBeforeDashes } from './words-before-dashes.ts';

const DEBUG = /^--debug(?:=(.*))?$/s;
const TRUE = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);

/** Returns whether debug output is on: by the last `--debug` before `--`, else by PORTOLAN_DEBUG. */
export function asksForDebug(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): boolean {
  const last = wordsBeforeDashes(argv).findLast((word) => DEBUG.test(word));
  if (last === undefined) return TRUE.has(environment['PORTOLAN_DEBUG'] ?? '');
  return TRUE.has(DEBUG.exec(last)?.[1] ?? 'true');
}

/**
 * Moves `--debug` from before the name of the command to after it, because only the commands accept the flag.
 */
export function withDebugBehind(argv: readonly string[]): readonly string[] {
  const start = argv.findIndex((word) => !DEBUG.test(word));
  if (start === 0) return argv;
  if (start < 0) return [];
  const [moved, others] = [argv.slice(0, start), argv.slice(start)];
  const flag = others.findIndex((word) => word.startsWith('-'));
  const at = flag < 0 ? others.length : flag;
  return at === 0 ? others : [...others.slice(0, at), ...moved, ...others.slice(at)];
}
