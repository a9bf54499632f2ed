/** Programs of README lines, each with the words that have to follow so that it runs a package or an image. */
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

/** A command line of another program, behind flags of `portolan run`. */
export interface ForeignWords {
  /** Flags of `portolan run` before it, as they were typed. */
  readonly own: readonly string[];
  readonly words: readonly string[];
}

/** Form of a flag, as far as it decides how many words it takes. */
type FlagShapes = Readonly<
  Record<string, { readonly type: 'boolean' | 'option'; readonly char?: string | undefined }>
>;

/** Returns the runner that a command line starts, and the number of its words; undefined for another program. */
export function findRunner(
  words: readonly string[],
): { readonly runner: string; readonly length: number } | undefined {
  const [program = ''] = words;
  const name = program.replace(/^.*[\\/]/, '').replace(/\.(?:cmd|exe|ps1)$/i, '');
  const found = RUNNERS.find(
    ([first, ...rest]) => first === name && rest.every((word, at) => word === words[at + 1]),
  );
  if (found === undefined || words.length <= found.length) return undefined;
  return { runner: found[0] ?? '', length: found.length };
}

/**
 * Returns the command line of a package runner or a container engine that somebody put behind `portolan run`.
 * A server or an image may have the name of a runner: then nothing follows it that a runner would run.
 */
export function findForeignWords(argv: readonly string[], flags: object): ForeignWords | undefined {
  // The parser's definitions have these fields.
  const shapes = flags as FlagShapes;
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    if (word === '--') return undefined;
    if (word.startsWith('-') && word !== '-') {
      if (takesNextWord(word, shapes)) at += 1;
      continue;
    }
    // A line that is quoted as a whole is one word.
    const words = [...(/\s/.test(word) ? word.trim().split(/\s+/) : [word]), ...argv.slice(at + 1)];
    if (findRunner(words) === undefined || words[1] === '--') return undefined;
    return { own: argv.slice(0, at), words };
  }
  return undefined;
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
