import { badArgument } from '../terminal/terminal-errors.ts';

interface FlagShape {
  readonly type: 'boolean' | 'option';
  readonly char?: string | undefined;
}

export interface SplitArguments {
  /** The words before `--`, in a form that oclif parses correctly. */
  readonly own: string[];
  readonly rest: readonly string[];
  /** Names of boolean flags whose last value is `=false`; `own` does not contain them. */
  readonly off: ReadonlySet<string>;
}

const TRUE = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const FALSE = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);

/**
 * Splits the words at the first `--`, and removes `--flag=VALUE` of boolean flags (also `-f=VALUE`), which
 * oclif would parse as the flag followed by an argument. Accepts the values of Go's `strconv.ParseBool`.
 * Throws ERR_BAD_ARGUMENT for any other.
 */
export function splitArguments(
  argv: readonly string[],
  flags: Readonly<Record<string, unknown>>,
): SplitArguments {
  // SAFETY: oclif's flag definitions all have these fields.
  const shapes = flags as Readonly<Record<string, FlagShape>>;
  const own: string[] = [];
  const inputs = new Map<string, { on: boolean; words: number[] }>();
  let index = 0;
  for (; index < argv.length; index += 1) {
    const word = argv[index]!;
    if (word === '--') break;
    const flag = findFlag(word, shapes);
    if (flag === undefined) {
      own.push(word);
    } else if (shapes[flag.name]?.type === 'boolean') {
      refuseNextValue(word, flag.value, argv[index + 1]);
      const words = [...(inputs.get(flag.name)?.words ?? []), own.length];
      inputs.set(flag.name, { on: flag.value === undefined || readTruth(flag.value, word), words });
      own.push(`--${flag.name}`);
    } else {
      own.push(word);
      const next = argv[index + 1];
      if (flag.value === undefined && next !== undefined && next !== '--') own.push(argv[(index += 1)]!);
    }
  }
  const off = [...inputs].filter(([, { on }]) => !on);
  const dropped = new Set(off.flatMap(([, { words }]) => words));
  return {
    own: own.filter((_, at) => !dropped.has(at)),
    rest: argv.slice(index + 1),
    off: new Set(off.map(([name]) => name)),
  };
}

/** Returns the flag of a word and the text after its `=`; undefined when the word is not a single flag. */
function findFlag(
  word: string,
  flags: Readonly<Record<string, FlagShape>>,
): { readonly name: string; readonly value: string | undefined } | undefined {
  const long = /^--([^=]+)(?:=(.*))?$/s.exec(word);
  if (long !== null) {
    const [, name = '', value] = long;
    return Object.hasOwn(flags, name) ? { name, value } : undefined;
  }
  const short = /^-([A-Za-z])(?:=(.*))?$/s.exec(word);
  if (short === null) return undefined;
  const matches = Object.entries(flags).find(([, { char }]) => char === short[1]);
  return matches === undefined ? undefined : { name: matches[0], value: short[2] };
}

/** Throws ERR_BAD_ARGUMENT for `--flag true`: oclif would take the value for an argument of the command. */
function refuseNextValue(word: string, value: string | undefined, next: string | undefined): void {
  if (value !== undefined || (next !== 'true' && next !== 'false')) return;
  throw badArgument(`${word} ${next}: found a value after a space; expected ${word}=${next}`);
}

function readTruth(value: string, word: string): boolean {
  if (TRUE.has(value)) return true;
  if (FALSE.has(value)) return false;
  const flag = word.slice(0, word.indexOf('='));
  throw badArgument(`${flag}: found ${JSON.stringify(value)}; expected true or false`);
}
