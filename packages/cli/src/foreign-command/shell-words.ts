/** Matches a quoted word with shell variables and no other special characters. */
const QUOTED =
  /^(?:(?:--?[\w-]+|[A-Za-z_]\w*)=)?"[\w./:?&=%~+@-]*(?:\$[A-Z][A-Z0-9_]*[./:?&=%~+@-]*[\w./:?&=%~+@-]*)+"$/;

export function isQuotedForShell(word: string): boolean {
  return QUOTED.test(word);
}

/** Quotes a word for a POSIX shell. A word in double quotes with `$NAME` in it keeps its variables. */
export function quoteForShell(word: string): string {
  if (QUOTED.test(word)) return word;
  return /^[\w@%+=:,./~^-]+$/.test(word) || /^[\w@+.:/-]+#[\w.-]+$/.test(word)
    ? word
    : `'${word.replaceAll("'", `'\\''`)}'`;
}

export function joinForShell(words: readonly string[]): string {
  return words.map(quoteForShell).join(' ');
}

const PIECE = /\\\r?\n|\s+|\\([\s\S])|'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|[^\s\\'"]+|[\s\S]/g;

/** Splits a command line into words as a POSIX shell does, without expansion. */
export function splitForShell(line: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (const [piece, escaped, single, double] of line.matchAll(PIECE)) {
    if (/^\\\r?\n$/.test(piece) || (word === undefined && /^\s+$/.test(piece))) continue;
    if (/^\s+$/.test(piece)) {
      words.push(word ?? '');
      word = undefined;
      continue;
    }
    word = `${word ?? ''}${escaped ?? single ?? double?.replaceAll(/\\(["\\$`])/g, '$1') ?? piece}`;
  }
  return word === undefined ? words : [...words, word];
}
