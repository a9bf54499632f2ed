/**
 * Formats a Dockerfile instruction in exec form, without a shell. Each word is literal; nothing is expanded.
 */
export function execLine(instruction: 'RUN' | 'ENTRYPOINT', words: readonly string[]): string {
  return `${instruction} [${words.map((word) => JSON.stringify(word)).join(', ')}]`;
}

/** Formats one `ENV` instruction, or none without variables. Values are literal. */
export function environmentLines(variables: Readonly<Record<string, string>>): readonly string[] {
  return pairLines('ENV', variables);
}

/** Formats one `LABEL` instruction, or none without labels. Values are literal. */
export function labelLines(labels: Readonly<Record<string, string>>): readonly string[] {
  return pairLines('LABEL', labels);
}

/**
 * Combines all pairs in one instruction, because each instruction is a build step. Line ends, which no line
 * can contain, become spaces.
 */
function pairLines(instruction: string, pairs: Readonly<Record<string, string>>): readonly string[] {
  const texts = Object.entries(pairs).map(([name, value]) => {
    const text = value.replaceAll(/[\r\n]+/g, ' ').replaceAll(/[\\"$]/g, String.raw`\$&`);
    return `${name}="${text}"`;
  });
  return texts.length === 0 ? [] : [`${instruction} ${texts.join(' \\\n  ')}`];
}

/** Formats a `RUN` of a fixed script. Variable parts are arguments: `$1` and so on. */
export function scriptLine(script: readonly string[], words: readonly string[] = []): string {
  return execLine('RUN', ['/bin/sh', '-c', script.join('\n'), 'portolan', ...words]);
}
