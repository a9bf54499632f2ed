import { expect } from 'chai';
import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { HTTP_CODES } from '../../../scripts/reference/http-codes.ts';
import {
  type ErrorCode,
  readErrorCodes,
  readFileCodes,
} from '../../../scripts/reference/read-error-codes.ts';
import { REMEDIES } from '../../../scripts/reference/remedies.ts';

const root = path.resolve(import.meta.dirname, '../../..');

/** Codes of Node.js that the sources compare with. They have the same prefix. */
const OF_NODE = [
  'ERR_HTTP_REQUEST_TIMEOUT',
  'ERR_MODULE_NOT_FOUND',
  'ERR_SQLITE_ERROR',
  'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING',
];

/** Maximum number of error codes. Errors on which no caller acts differently share a code. */
const MAX_CODES = 323;

/** Returns a message with the codes that only the file that makes them and at most one test name. */
async function listUnread(uses: readonly ErrorCode[]): Promise<string> {
  const makers = Map.groupBy(uses, ({ code }) => code);
  const readers = new Map<string, Set<string>>();
  for await (const file of glob('{packages,plugins,test,examples,bench}/**/*.ts', {
    cwd: root,
    exclude: ['**/{node_modules,dist}/**'],
  })) {
    const text = await readFile(path.join(root, file), 'utf8');
    for (const [code] of text.matchAll(/\bERR_[A-Z0-9_]*[A-Z0-9]\b/g)) {
      const isMaker = makers.get(code)?.some((use) => use.file === file) ?? true;
      if (!isMaker) readers.set(code, (readers.get(code) ?? new Set()).add(file));
    }
  }
  const unread = [...makers.keys()].filter((code) => (readers.get(code)?.size ?? 0) <= 1);
  return `let a new error share a code, or let some of these share one (only their own test reads them): ${unread.join(', ')}`;
}

describe('error codes', () => {
  let uses: readonly ErrorCode[];
  let made: readonly string[];
  let documented: readonly string[];
  before(async () => {
    uses = await readErrorCodes(root);
    made = [...new Set(uses.map(({ code }) => code))];
    const page = await readFile(path.join(root, 'docs/reference/errors.md'), 'utf8');
    documented = [...page.matchAll(/^## (ERR_\w+)$/gm)].map(([, code]) => String(code));
  });

  it('are documented, and the documentation contains no other codes', () => {
    expect(documented).to.deep.equal(made);
  });

  it('exist when a source file names them', async () => {
    const strangers: string[] = [];
    for await (const file of glob('{packages,plugins}/*/src/**/*.ts', { cwd: root })) {
      const text = await readFile(path.join(root, file), 'utf8');
      for (const [, code] of text.matchAll(/'(ERR_[A-Z0-9_]*[A-Z0-9])'/g)) {
        if (!made.includes(String(code)) && !OF_NODE.includes(String(code)))
          strangers.push(`${file}: ${code}`);
      }
    }
    expect(strangers).to.deep.equal([]);
  });

  it('for HTTP responses are in the file that the table names', async () => {
    for (const { code, file } of HTTP_CODES) {
      expect(await readFile(path.join(root, file), 'utf8')).to.include(`'${code}'`);
    }
  });

  it('have remedies, in a hint or in remedies.ts', () => {
    const silent = uses.filter(({ code, remedy }) => remedy === undefined && REMEDIES[code] === undefined);
    expect(silent.map(({ code, file }) => `${code} in ${file}`)).to.deep.equal([]);
    expect(Object.keys(REMEDIES).filter((code) => !made.includes(code))).to.deep.equal([]);
  });

  it('stay within the maximum number of codes', async () => {
    expect(made.length, await listUnread(uses)).to.be.at.most(MAX_CODES);
  });

  it('have one error class each', () => {
    const classes = Map.groupBy(uses, ({ code }) => code);
    const several = [...classes].filter(
      ([, places]) => new Set(places.map((use) => use.errorClass)).size > 1,
    );
    expect(several.map(([code]) => code)).to.deep.equal([]);
  });
});

describe('readFileCodes', () => {
  const file = 'packages/maps/src/errors.ts';

  it('reads message, cause and remedy from the function that creates the error', () => {
    const text = `
      /** Creates the error for a chart that is older
       * than the coast. */
      export function chartOutdated(chart: string, cause: unknown): PortolanError {
        return new PortolanError('ERR_CHART_OUTDATED', 'fault', \`The chart "\${chart}" is old: \${textOf(cause)}.\`, {
          hint: 'Draw ' + 'it anew.',
          cause,
        });
      }`;
    expect(readFileCodes(file, text)).to.deep.equal([
      {
        code: 'ERR_CHART_OUTDATED',
        errorClass: 'fault',
        message: 'The chart "<chart>" is old: <cause>.',
        cause: 'Creates the error for a chart that is older than the coast.',
        remedy: 'Draw it anew.',
        madeIn: 'packages/maps',
        file,
      },
    ]);
  });

  it('reads no cause from the docstring of a function that does more', () => {
    const text = `
      /** Opens a chart. */
      export function openChart(): Chart {
        throw new PortolanError('ERR_CHART_OUTDATED', 'fault', 'The chart is old.');
      }`;
    expect(readFileCodes(file, text).map(({ cause }) => cause)).to.deep.equal([undefined]);
  });

  it('shows both branches of a conditional', () => {
    const text = `export const lost = (near: boolean) => new PortolanError('ERR_LOST', 'absent', 'lost', { hint: near ? 'Wait.' : 'Turn.' });`;
    expect(readFileCodes(file, text)[0]).to.include({ remedy: 'Wait. — or: Turn.', cause: undefined });
  });

  it('throws for a code that is not a literal', () => {
    const text = `export const lost = (code: string) => new PortolanError(code, 'absent', 'lost');`;
    expect(() => readFileCodes(file, text)).to.throw(TypeError, 'has no literal code');
  });

  it('throws for a class that is not a literal', () => {
    const text = `export const lost = (how: ErrorClass) => new PortolanError('ERR_LOST', how, 'lost');`;
    expect(() => readFileCodes(file, text)).to.throw(TypeError, 'has no literal class');
  });
});
