import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Where a text cannot be parsed; line and column count from one. */
export interface SyntaxPlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/**
 * The place of a syntax error that an import of `file` threw. What Node.js tells
 * in the error is taken; of ES modules it tells nothing, so the file is then
 * checked by a process of its own, which runs none of it. Undefined when neither
 * says where.
 */
export async function findSyntaxPlace(error: SyntaxError, file: string): Promise<SyntaxPlace | undefined> {
  return parsePlace(error.stack ?? '') ?? parsePlace(await checkFile(file));
}

/** The file and line, then lines of the text, then a line that points at the column. */
function parsePlace(text: string): SyntaxPlace | undefined {
  const [first = '', ...rest] = text.split('\n');
  const [, place, line] = /^(.+):(\d+)$/.exec(first) ?? [];
  const pointer = rest.slice(0, 10).find((one) => /^\s*\^/.test(one));
  if (place === undefined || pointer === undefined) return undefined;
  const file = place.startsWith('file:') ? fileURLToPath(place) : place;
  return { file, line: Number(line), column: pointer.indexOf('^') + 1 };
}

/** What `node --check` says of a file. */
function checkFile(file: string): Promise<string> {
  return new Promise((resolve) => {
    execFile(process.execPath, ['--check', file], { timeout: 5000 }, (_error, _stdout, stderr) =>
      resolve(stderr),
    );
  });
}
