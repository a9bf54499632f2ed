/**
 * Returns the basic form of an English word, so that `issues` matches `issue`, and `creating` matches `create`. The form
 * need not be a word. Returns other words unchanged.
 */
export function stemWord(word: string): string {
  if (word.length <= 3 || !/^[a-z]+$/.test(word)) return word;
  const stem = withoutEnding(withoutPlural(word));
  return stem.length > 3 && stem.endsWith('e') ? stem.slice(0, -1) : stem;
}

function withoutPlural(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (/(?:ss|x|ch|sh|z)es$/.test(word)) return word.slice(0, -2);
  return word.endsWith('s') && !/(?:ss|us|is)$/.test(word) ? word.slice(0, -1) : word;
}

function withoutEnding(word: string): string {
  for (const ending of ['ing', 'ed']) {
    const rest = word.slice(0, -ending.length);
    if (word.endsWith(ending) && rest.length > 2 && /[aeiouy]/.test(rest)) {
      // `running` becomes `run`, but `calling` becomes `call`.
      return rest.replace(/([^aeioulsz])\1$/, '$1');
    }
  }
  return word;
}
