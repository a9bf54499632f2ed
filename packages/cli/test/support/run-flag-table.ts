import { readFileSync } from 'node:fs';
import path from 'node:path';

/** A row of `fixtures/run-flags.md`. */
export interface FlagRow {
  /** Name without dashes: `label`. */
  readonly name: string;
  readonly char: string | undefined;
  readonly type: 'string' | 'stringArray' | 'strings' | 'int' | 'float' | 'duration' | 'boolean';
  /** Empty when the flag has no default. */
  readonly fallback: string;
}

/** Returns every flag of `run` in `fixtures/run-flags.md`. */
export function readFlagTable(): readonly FlagRow[] {
  const text = readFileSync(path.join(import.meta.dirname, '../fixtures/run-flags.md'), 'utf8');
  return text.split('\n').flatMap((line) => {
    const row = /^\| (?:`-([a-z])`, )?`--([a-z-]+)` \| (\w+) \| (.*) \|$/.exec(line);
    if (row === null) return [];
    const [, char, name = '', type, fallback = ''] = row;
    // SAFETY: the test of the table checks that the file has only these types.
    return [{ name, char, type: type as FlagRow['type'], fallback: fallback.trim() }];
  });
}

/** A flag in the output of `--help`. */
export interface ShownFlag {
  readonly char: string | undefined;
  readonly takesValue: boolean;
  readonly isRepeatable: boolean;
  readonly fallback: string;
}

/** Returns the flags in a help text without line breaks in its descriptions. */
export function readShownFlags(help: string): ReadonlyMap<string, ShownFlag> {
  const shown = new Map<string, ShownFlag>();
  const pattern =
    /^ +(?:-([a-z]), +)?--([a-z-]+)(?:=(\S+?)(\.\.\.)?)? {2,}(?:\[env: \w+\] )?(?:\[default: ([^\]]*)\])?/gm;
  for (const [, char, name = '', value, repeated, fallback = ''] of help.matchAll(pattern)) {
    shown.set(name, {
      char,
      takesValue: value !== undefined,
      isRepeatable: repeated !== undefined,
      fallback,
    });
  }
  return shown;
}
