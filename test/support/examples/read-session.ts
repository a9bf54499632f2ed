/** A command of a recorded session, and what it printed on either output. */
export interface SessionStep {
  readonly command: string;
  readonly output: string;
}

/**
 * The commands of the `console` blocks of a page below one of its headings: a
 * line that begins with `$ ` is a command, the lines up to the next one are what
 * it printed. Throws when there are none.
 */
export function readSession(markdown: string, heading: string): readonly SessionStep[] {
  const lines = markdown.split('\n');
  const start = lines.findIndex((line) => /^#+ /.test(line) && line.replace(/^#+ /, '') === heading);
  const level = /^#+/.exec(lines[start] ?? '')?.[0].length ?? 0;
  const end = lines.findIndex(
    (line, index) => index > start && (/^#+(?= )/.exec(line)?.[0].length ?? 99) <= level,
  );
  const section = lines.slice(start, end === -1 ? undefined : end).join('\n');
  const blocks = [...section.matchAll(/^```console\n(.*?)^```$/gms)].map(([, text = '']) => text);
  const steps = blocks.flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((step) => {
        const [command = '', ...output] = step.trimEnd().split('\n');
        return { command, output: output.join('\n') };
      }),
  );
  if (start === -1 || steps.length === 0) throw new Error(`no session below "${heading}"`);
  return steps;
}
