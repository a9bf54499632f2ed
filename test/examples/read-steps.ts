/** One command of a README and the answer that it promises below it. */
export type Step =
  | { readonly run: 'curl'; readonly command: string; readonly answer: Answer }
  | {
      readonly run: 'portolan';
      readonly command: string;
      readonly args: readonly string[];
      readonly output: string;
    }
  | { readonly run: 'serve'; readonly command: string; readonly args: readonly string[] };

export interface Answer {
  /** `json` promises the body, `http` the status, headers and body. */
  readonly form: 'json' | 'http';
  readonly text: string;
}

interface Block {
  readonly language: string;
  readonly text: string;
}

/**
 * The steps of a README, in order: every `sh` block is one command, and the
 * block after it is its answer. Throws for a block that it cannot make a step
 * of, so that no command stands in a README untried.
 */
export function readSteps(markdown: string): readonly Step[] {
  const blocks: readonly Block[] = [...markdown.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(
    ([, language, text]) => ({
      language: language ?? '',
      text: (text ?? '').trim(),
    }),
  );
  return blocks.flatMap((block, index) =>
    block.language === 'sh' ? [readStep(block.text, blocks[index + 1])] : [],
  );
}

function readStep(command: string, next: Block | undefined): Step {
  if (command.includes('\n'))
    throw new Error(`one command a block, so that its answer can follow: ${command}`);
  const [program, ...args] = splitWords(command);
  if (program === 'portolan' && args[0] === 'serve') return { run: 'serve', command, args };
  if (program === 'portolan' && next?.language === 'text')
    return { run: 'portolan', command, args, output: next.text };
  if (program === 'curl' && (next?.language === 'json' || next?.language === 'http')) {
    return { run: 'curl', command, answer: { form: next.language, text: next.text } };
  }
  throw new Error(`no answer follows, or this program is not known: ${command}`);
}

/** Words of a command line; single quotes keep one together. */
export function splitWords(command: string): readonly string[] {
  return [...command.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word);
}
