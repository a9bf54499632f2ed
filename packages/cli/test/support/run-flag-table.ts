import { readFileSync } from 'node:fs';
import path from 'node:path';

/** One row of `fixtures/run-flags.md`. */
export interface FlagRow {
  /** `label` */
  readonly name: string;
  readonly char: string | undefined;
  readonly type: 'string' | 'stringArray' | 'strings' | 'int' | 'float' | 'duration' | 'boolean';
  /** Empty when there is none. */
  readonly fallback: string;
}

/** Every flag that the mission has for `run`. */
export function readFlagTable(): readonly FlagRow[] {
  const text = readFileSync(path.join(import.meta.dirname, '../fixtures/run-flags.md'), 'utf8');
  return text.split('\n').flatMap((line) => {
    const row = /^\| (?:`-([a-z])`, )?`--([a-z-]+)` \| (\w+) \| (.*) \|$/.exec(line);
    if (row === null) return [];
    const [, char, name = '', type, fallback = ''] = row;
    // The file holds these only, which the test of the table shows.
    return [{ name, char, type: type as FlagRow['type'], fallback: fallback.trim() }];
  });
}

/** A flag as `--help` shows it. */
export interface ShownFlag {
  readonly char: string | undefined;
  readonly takesValue: boolean;
  readonly isRepeatable: boolean;
  readonly fallback: string;
}

/** The flags in a help text whose lines are not broken. */
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
