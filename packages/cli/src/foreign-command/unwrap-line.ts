/** A command line without the words in front of its program. */
export interface ProgramLine {
  readonly words: readonly string[];
  readonly variables: readonly (readonly [name: string, value: string])[];
}

const ASSIGNMENT = /^([A-Za-z_]\w*)=(.*)$/s;

/**
 * Removes a shell prompt, `sudo`, `env`, `cmd /c` (which starts npx on Windows) and variables in front of a
 * program.
 */
export function unwrapLine(words: readonly string[]): ProgramLine {
  const variables: (readonly [string, string])[] = [];
  let rest = words;
  for (;;) {
    const [first = '', second = ''] = rest;
    const [, name, value] = ASSIGNMENT.exec(first) ?? [];
    if (name !== undefined && value !== undefined) variables.push([name, value]);
    const isWrapper = name !== undefined || first === '$' || /^(?:.*\/)?(?:env|sudo)$/.test(first);
    const isShell = /^cmd(?:\.exe)?$/i.test(first) && /^\/c$/i.test(second);
    if (rest.length < 2 || !(isWrapper || isShell))
      return { words: name === undefined ? rest : [], variables };
    rest = rest.slice(isShell ? 2 : 1);
    if (isWrapper) rest = rest.slice(rest.findIndex((word) => !/^-[A-Za-z]$/.test(word)));
  }
}
