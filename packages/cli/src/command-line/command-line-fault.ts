import { isPortolanError, nearest, type PortolanError } from '@portolan/plugin-api';
import { stripVTControlCharacters } from 'node:util';
import { badArgument } from '../terminal/terminal-errors.ts';
import { unknownFlag } from './command-line-errors.ts';

/** What the parser's errors carry, as far as it is looked at here; the classes are not exported. */
interface ParserFault extends Error {
  readonly oclif: object;
  readonly flags?: unknown;
  readonly args?: unknown;
  readonly parse?: { readonly input?: { readonly flags?: Readonly<Record<string, unknown>> } };
}

/** The parser's error in the words of this command line; undefined when the error is not the parser's. */
export async function commandLineFault(error: unknown): Promise<PortolanError | undefined> {
  const bad = faultOfValue(error);
  if (bad !== undefined) return bad;
  if (!isParserFault(error)) return undefined;
  const [words] = Array.isArray(error.flags) ? error.flags : [];
  if (typeof words === 'string') {
    const unknown = words.replace(/=.*$/s, ''); // what stands behind it may be a secret
    const known = Object.keys(error.parse?.input?.flags ?? {});
    // Without the dashes: they are alike in all flags, and would make far ones look near.
    const meant = nearest(unknown.replace(/^-+/, ''), known);
    return unknownFlag(unknown, meant === undefined ? undefined : `--${meant}`);
  }
  const missing = missingArguments(error);
  if (missing.length > 0) return badArgument(missing.join('; '));
  const lines = stripVTControlCharacters(error.message)
    .split('\n')
    .map((line) => line.trim())
    .filter(
      (line) => line !== '' && !line.startsWith('See more help') && !line.startsWith('The following error'),
    );
  return badArgument(
    lines
      .map(lowerFirst)
      .join('; ')
      .replace(/^(missing required flag) (?!--)/, '$1 --'),
  );
}

/** The error of a flag type, around which the parser has written in its own way. */
function faultOfValue(error: unknown): PortolanError | undefined {
  if (!isPortolanError(error)) return undefined;
  const match = /^Parsing (--\S+) \n\t(.*)\nSee more help with --help$/s.exec(error.message);
  return match === null
    ? undefined
    : badArgument(`${match[1]}: ${lowerFirst(match[2] ?? '').replace(/\.$/, '')}`);
}

/** What the parser writes as a table, with advice about `--` that does not hold here. */
function missingArguments({ message, args }: ParserFault): readonly string[] {
  if (!Array.isArray(args) || !/^Missing \d+ required arg/.test(stripVTControlCharacters(message))) return [];
  return args.flatMap((arg: unknown) => {
    if (typeof arg !== 'object' || arg === null || !('name' in arg) || !('description' in arg)) return [];
    return [`missing ${String(arg.name).toUpperCase()}: ${String(arg.description)}`];
  });
}

function isParserFault(error: unknown): error is ParserFault {
  return (
    error instanceof Error && 'oclif' in error && typeof error.oclif === 'object' && error.oclif !== null
  );
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
