/** One command of a README and its expected output. */
export type Step =
  | { readonly run: 'curl'; readonly command: string; readonly answer: Answer }
  /** A program that ends by itself. */
  | { readonly run: 'program'; readonly command: string; readonly output: Output }
  /** A program that runs during the following steps. `ready` is the output after which they begin. */
  | { readonly run: 'background'; readonly command: string; readonly ready: string }
  | { readonly run: 'serve'; readonly command: string }
  /** Variables for all later programs. */
  | { readonly run: 'export'; readonly variables: Readonly<Record<string, string>> };

export interface Answer {
  /** `json` expects the body only. `http` expects status, headers and body. */
  readonly form: 'json' | 'http';
  readonly text: string;
}

export interface Output {
  readonly form: 'json' | 'text';
  readonly text: string;
}

interface Block {
  readonly language: string;
  readonly text: string;
}

/** Programs that a step may run. Any other program needs a runner first. */
const PROGRAMS = ['portolan', 'node', 'npm', 'cat', 'tail'];

/** Programs that change a file and print nothing, so no output follows. */
const SILENT = ['sed'];

/**
 * Returns the steps of a README in order. Each `sh` block is one command, and the block after it is the
 * expected output. A command that ends with `&` runs in the background. Throws for a block that is not a
 * step, so that no command remains untested.
 */
export function readSteps(markdown: string): readonly Step[] {
  // A block in a list is indented.
  const blocks: readonly Block[] = [...markdown.matchAll(/^( *)```(\w+)\n(.*?)^\1```$/gms)].map(
    ([, indent = '', language = '', text = '']) => ({
      language,
      text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), '').trim(),
    }),
  );
  return blocks.flatMap((block, index) =>
    block.language === 'sh' ? [readStep(block.text, blocks[index + 1])] : [],
  );
}

function readStep(command: string, next: Block | undefined): Step {
  if (command.includes('\n'))
    throw new Error(`one command a block, so that its answer can follow: ${command}`);
  const [program = '', first] = splitWords(command);
  const { language, text } = next ?? { language: '', text: '' };
  if (program === 'export') return { run: 'export', variables: readVariables(command) };
  if (program === 'portolan' && first === 'serve') return { run: 'serve', command };
  if (program === 'curl' && (language === 'json' || language === 'http'))
    return { run: 'curl', command, answer: { form: language, text } };
  if (PROGRAMS.includes(program) && command.endsWith(' &') && language === 'text')
    return { run: 'background', command: command.slice(0, -2), ready: text };
  if (PROGRAMS.includes(program) && (language === 'json' || language === 'text'))
    return { run: 'program', command, output: { form: language, text } };
  if (SILENT.includes(program)) return { run: 'program', command, output: { form: 'text', text: '' } };
  throw new Error(`no answer follows, or this program is not known: ${command}`);
}

function readVariables(command: string): Readonly<Record<string, string>> {
  const [, ...words] = splitWords(command);
  return Object.fromEntries(
    words.map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]),
  );
}

/** Returns the words of a command line. Single and double quotes keep a word together. */
export function splitWords(command: string): readonly string[] {
  return [...command.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) =>
    word.replaceAll(
      /'([^']*)'|"([^"]*)"/g,
      (_all, single?: string, double?: string) => single ?? double ?? '',
    ),
  );
}
