import path from 'node:path';

/**
 * Returns the package specification for npm, with the absolute path of a file or folder, because npm runs in
 * another working directory. A word that begins like a path, or ends like a packed package, is a file.
 * Returns other words unchanged.
 */
export function resolveSpec(word: string, workingDirectory: string): string {
  const isPath =
    /^\.{1,2}(?:[/\\]|$)/.test(word) || path.isAbsolute(word) || /^[^:]+\.(?:tgz|tar\.gz|tar)$/.test(word);
  const named = isPath ? word : /^file:(?!\/\/|~)(.+)$/.exec(word)?.[1];
  return named === undefined ? word : `file:${path.resolve(workingDirectory, named)}`;
}
