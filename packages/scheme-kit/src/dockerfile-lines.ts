/** Returns a Dockerfile line in exec form, without a shell. Each word is literal. */
export function execLine(instruction: 'RUN' | 'ENTRYPOINT', words: readonly string[]): string {
  return `${instruction} [${words.map((word) => JSON.stringify(word)).join(', ')}]`;
}

/** Returns the ENV line for these variables; none without variables. Values are literal. */
export function environmentLines(variables: Readonly<Record<string, string>>): readonly string[] {
  return pairLines('ENV', variables);
}

/** Returns the LABEL line for these labels; none without labels. Values are literal. */
export function labelLines(labels: Readonly<Record<string, string>>): readonly string[] {
  return pairLines('LABEL', labels);
}

/** Returns one line with all pairs, because each instruction is a build step. Line ends become spaces. */
function pairLines(instruction: string, pairs: Readonly<Record<string, string>>): readonly string[] {
  const texts = Object.entries(pairs).map(([name, value]) => {
    const text = value.replaceAll(/[\r\n]+/g, ' ').replaceAll(/[\\"$]/g, String.raw`\$&`);
    return `${name}="${text}"`;
  });
  return texts.length === 0 ? [] : [`${instruction} ${texts.join(' \\\n  ')}`];
}

/** Returns a RUN line for a fixed script. Its variable parts are arguments: `$1` and so on. */
export function scriptLine(script: readonly string[], words: readonly string[] = []): string {
  return execLine('RUN', ['/bin/sh', '-c', script.join('\n'), 'portolan', ...words]);
}
