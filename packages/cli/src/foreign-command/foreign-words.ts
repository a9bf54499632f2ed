import { splitForShell } from './shell-words.ts';
import { unwrapLine } from './unwrap-line.ts';

/**
 * Package runners and container engines that start servers in READMEs, each with the words that must follow.
 */
const RUNNERS: readonly (readonly string[])[] = [
  ['npx'],
  ['pnpx'],
  ['bunx'],
  ['uvx'],
  ['docker', 'run'],
  ['docker', 'container', 'run'],
  ['podman', 'run'],
  ['podman', 'container', 'run'],
  ['nerdctl', 'run'],
  ['npm', 'exec'],
  ['npm', 'x'],
  ['pnpm', 'dlx'],
  ['yarn', 'dlx'],
  ['bun', 'x'],
  ['uv', 'tool', 'run'],
  ['uv', 'x'],
  ['pipx', 'run'],
  ['go', 'run'],
];

/** Programs that start a server from local files. */
const PROGRAMS: ReadonlySet<string> = new Set(
  (
    'node nodejs tsx ts-node bun deno python python3 py uv poetry pdm hatch java dotnet dnx cargo ruby php perl ' +
    'sh bash zsh pwsh powershell make go npm pnpm yarn pip pip3 fastmcp mcp docker podman nerdctl'
  ).split(' '),
);

/** A command line of another program after flags of `portolan run`. */
export interface ForeignWords {
  /** Flags of `portolan run` before the other command line, unchanged. */
  readonly own: readonly string[];
  readonly words: readonly string[];
}

/** The fields of a flag definition that say how many words the flag takes. */
type FlagShapes = Readonly<
  Record<string, { readonly type: 'boolean' | 'option'; readonly char?: string | undefined }>
>;

/** Returns the runner that a command line starts, and the number of its words; undefined for another program. */
export function findRunner(
  words: readonly string[],
): { readonly runner: string; readonly length: number } | undefined {
  const name = nameOfProgram(words);
  const matches = RUNNERS.find(
    ([first, ...rest]) => first === name && rest.every((word, at) => word === words[at + 1]),
  );
  if (matches === undefined || words.length <= matches.length) return undefined;
  return { runner: matches[0] ?? '', length: matches.length };
}

/**
 * Returns the words `CLIENT mcp add` or `EDITOR --add-mcp`, which add a server to a client; undefined for
 * others.
 */
export function findClientCommand(words: readonly string[]): readonly string[] | undefined {
  const [client = '', topic = '', command = ''] = words;
  if (!/^[\w./\\-]+$/.test(client) || words.length < 3) return undefined;
  if (topic === 'mcp' && /^(?:add|add-json|install)$/.test(command)) return words.slice(0, 3);
  return topic === '--add-mcp' ? words.slice(0, 2) : undefined;
}

/** Returns the name of the program that a command line starts: `npx` for `/usr/bin/npx` and `npx.cmd`. */
export function nameOfProgram([program = '']: readonly string[]): string {
  return program.replace(/^.*[\\/]/, '').replace(/\.(?:cmd|exe|ps1)$/i, '');
}

/**
 * Returns the command line of another program after `portolan run`: of a package runner, a container engine,
 * a client, or a program of this machine. A server or an image may have such a name. Then no word follows it,
 * or a flag of `portolan run`.
 */
export function findForeignWords(argv: readonly string[], flags: object): ForeignWords | undefined {
  // SAFETY: oclif's flag definitions have these fields.
  const shapes = flags as FlagShapes;
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    if (word === '--') return undefined;
    if (word.startsWith('-') && word !== '-') {
      if (takesNextWord(word, shapes)) at += 1;
      continue;
    }
    // A quoted command line is one word.
    const words = [...(/\s/.test(word) ? splitForShell(word) : [word]), ...argv.slice(at + 1)];
    return isForeign(unwrapLine(words).words, shapes) ? { own: argv.slice(0, at), words } : undefined;
  }
  return undefined;
}

/** Returns whether the words are a command line of a program that is not Portolan. */
export function isForeign(words: readonly string[], flags: FlagShapes = {}): boolean {
  const [, second] = words;
  if (second === undefined || second === '--') return false;
  if (findRunner(words) !== undefined || findClientCommand(words) !== undefined) return true;
  return PROGRAMS.has(nameOfProgram(words)) && !isOwnFlag(second, flags);
}

function isOwnFlag(word: string, flags: FlagShapes): boolean {
  if (word.startsWith('--')) return Object.hasOwn(flags, word.slice(2).replace(/=.*$/s, ''));
  return (
    /^-[A-Za-z]/.test(word) && Object.values(flags).some(({ char }) => char !== undefined && char === word[1])
  );
}

function takesNextWord(word: string, flags: FlagShapes): boolean {
  if (word.includes('=')) return false;
  const flag = word.startsWith('--')
    ? flags[word.slice(2)]
    : word.length === 2
      ? Object.values(flags).find(({ char }) => char === word.slice(1))
      : undefined;
  return flag?.type === 'option';
}
