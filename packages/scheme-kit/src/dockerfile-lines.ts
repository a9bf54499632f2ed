/** Exec form, without a shell. Each word is literal. */
export function execLine(instruction: 'RUN' | 'ENTRYPOINT', words: readonly string[]): string {
  return `${instruction} [${words.map((word) => JSON.stringify(word)).join(', ')}]`;
}

/** Returns none without variables. Values are literal. */
export function environmentLines(variables: Readonly<Record<string, string>>): readonly string[] {
  return pairLines('ENV', variables);
}

/** Returns none without labels. Values are literal. */
export function labelLines(labels: Readonly<Record<string, string>>): readonly string[] {
  return pairLines('LABEL', labels);
}

/** Each instruction is a build step, so all pairs are in one. Line ends become spaces. */
function pairLines(instruction: string, pairs: Readonly<Record<string, string>>): readonly string[] {
  const texts = Object.entries(pairs).map(([name, value]) => {
    const text = value.replaceAll(/[\r\n]+/g, ' ').replaceAll(/[\\"$]/g, String.raw`\$&`);
    return `${name}="${text}"`;
  });
  return texts.length === 0 ? [] : [`${instruction} ${texts.join(' \\\n  ')}`];
}

/** The script is fixed. Variable parts are arguments: `$1` and so on. */
export function scriptLine(script: readonly string[], words: readonly string[] = []): string {
  return execLine('RUN', ['/bin/sh', '-c', script.join('\n'), 'portolan', ...words]);
}
