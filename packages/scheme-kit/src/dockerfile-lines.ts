/**
 * A Dockerfile instruction in exec form: no shell reads the words. The text of
 * each word is kept as it is; nothing in it is expanded.
 */
export function execLine(instruction: 'RUN' | 'ENTRYPOINT', words: readonly string[]): string {
  return `${instruction} [${words.map((word) => JSON.stringify(word)).join(', ')}]`;
}

/** One `ENV` instruction, none without variables; nothing in a value is expanded. */
export function environmentLines(variables: Readonly<Record<string, string>>): readonly string[] {
  return pairLines('ENV', variables);
}

/** One `LABEL` instruction, none without labels; nothing in a value is expanded. */
export function labelLines(labels: Readonly<Record<string, string>>): readonly string[] {
  return pairLines('LABEL', labels);
}

/** One instruction for all, since each is a step that takes its time. No line can hold a line end: it becomes a space. */
function pairLines(instruction: string, pairs: Readonly<Record<string, string>>): readonly string[] {
  const texts = Object.entries(pairs).map(([name, value]) => {
    const text = value.replaceAll(/[\r\n]+/g, ' ').replaceAll(/[\\"$]/g, String.raw`\$&`);
    return `${name}="${text}"`;
  });
  return texts.length === 0 ? [] : [`${instruction} ${texts.join(' \\\n  ')}`];
}

/** A `RUN` of a fixed script of ours; what is not fixed is an argument of it, `$1` and so on. */
export function scriptLine(script: readonly string[], words: readonly string[] = []): string {
  return execLine('RUN', ['/bin/sh', '-c', script.join('\n'), 'portolan', ...words]);
}
