import { isPortolanError, nearest, type PortolanError } from '@portolan/plugin-api';
import { stripVTControlCharacters } from 'node:util';
import { badArgument } from '../terminal/terminal-errors.ts';
import { flagOfArgument, unknownFlag } from './command-line-errors.ts';

/** The fields of oclif's parser errors that this file reads. oclif does not export the classes. */
interface ParserFault extends Error {
  readonly oclif: object;
  readonly flags?: unknown;
  readonly args?: unknown;
  readonly parse?: { readonly input?: ParserInput };
}

/** Flags and arguments of the command, by name. */
interface ParserInput {
  readonly flags?: Readonly<Record<string, unknown>>;
  readonly args?: Readonly<Record<string, unknown>>;
}

/** Translates an error of oclif's parser into a Portolan error; undefined for any other error. */
export async function commandLineFault(error: unknown): Promise<PortolanError | undefined> {
  const bad = faultOfValue(error);
  if (bad !== undefined) return bad;
  if (!isParserFault(error)) return undefined;
  const [words] = Array.isArray(error.flags) ? error.flags : [];
  if (typeof words === 'string') {
    const unknown = words.replace(/=.*$/s, ''); // the text after `=` may be a secret
    const known = Object.keys(error.parse?.input?.flags ?? {});
    // Compare names without the dashes, which all flags share and which would make unrelated names look
    // similar.
    const name = unknown.replace(/^-+/, '');
    if (Object.hasOwn(error.parse?.input?.args ?? {}, name)) return flagOfArgument(unknown, name);
    const meant = nearest(name, known);
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

/** Returns the Portolan error that a flag's own parser threw, which oclif wraps. */
function faultOfValue(error: unknown): PortolanError | undefined {
  if (!isPortolanError(error)) return undefined;
  const match = /^Parsing (--\S+) \n\t(.*)\nSee more help with --help$/s.exec(error.message);
  return match === null
    ? undefined
    : badArgument(`${match[1]}: ${lowerFirst(match[2] ?? '').replace(/\.$/, '')}`);
}

/** Returns the missing arguments. oclif prints them as a table, with advice about `--` that is wrong here. */
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
