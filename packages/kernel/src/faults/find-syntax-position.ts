import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface SyntaxPosition {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/**
 * Returns the position of a syntax error in an import. For ES modules, a separate process determines it
 * without running them.
 */
export async function findSyntaxPosition(
  error: SyntaxError,
  file: string,
): Promise<SyntaxPosition | undefined> {
  return parseSyntaxPosition(error.stack ?? '') ?? parseSyntaxPosition(await checkFile(file));
}

function parseSyntaxPosition(text: string): SyntaxPosition | undefined {
  const [first = '', ...rest] = text.split('\n');
  const [, place, line] = /^(.+):(\d+)$/.exec(first) ?? [];
  const pointer = rest.slice(0, 10).find((one) => /^\s*\^/.test(one));
  if (place === undefined || pointer === undefined) return undefined;
  const file = place.startsWith('file:') ? fileURLToPath(place) : place;
  return { file, line: Number(line), column: pointer.indexOf('^') + 1 };
}

function checkFile(file: string): Promise<string> {
  return new Promise((resolve) => {
    execFile(process.execPath, ['--check', file], { timeout: 5000 }, (_error, _stdout, stderr) =>
      resolve(stderr),
    );
  });
}
