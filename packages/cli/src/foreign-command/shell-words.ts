/** A word that holds variables of the shell, quoted already. Nothing else in it means anything to a shell. */
const QUOTED = /^(?:--?[\w-]+=)?"[\w./:?&=%~+@-]*(?:\$[A-Z][A-Z0-9_]*[./:?&=%~+@-]*[\w./:?&=%~+@-]*)+"$/;

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
