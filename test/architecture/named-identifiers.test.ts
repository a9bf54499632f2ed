import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';

const ROOT = path.resolve(import.meta.dirname, '../..');
const OUTSIDE = { cwd: ROOT, exclude: ['**/node_modules/**', '**/dist/**'] };
/** Names in titles that are products or kinds, not identifiers of the code. */
const PRODUCTS = new Set(['OpenAPI', 'PostgreSQL', 'OAuth', 'SQLite', 'GitHub', 'OpenTelemetry', 'ToolHive']);
/** A suite with the name of a function or a class as its first word, such as `describe('openProxy with policies'`. */
const SUITE = /\bdescribe\('([A-Za-z]*[a-z][A-Z]\w*)[ ']/g;
const THROWS = /[Tt]hrows? (?:an? )?`?([A-Z][a-z]+[A-Z]\w+)/g;

function read(patterns: string): readonly { readonly file: string; readonly text: string }[] {
  return globSync(patterns, OUTSIDE).map((file) => ({
    file,
    text: readFileSync(path.join(ROOT, file), 'utf8'),
  }));
}

/** Returns `file: name` of each name that a pattern finds in the files and that no line of code contains. */
function missingNames(files: ReturnType<typeof read>, pattern: RegExp, identifiers: ReadonlySet<string>) {
  return files.flatMap(({ file, text }) =>
    [...text.matchAll(pattern)]
      .map(([, name = '']) => name)
      .filter((name) => !identifiers.has(name) && !PRODUCTS.has(name))
      .map((name) => `${file}: ${name}`),
  );
}

describe('names of functions and classes in texts', () => {
  const sources = read('{packages,plugins}/*/src/**/*.ts');
  const tests = read('{packages,plugins,test}/**/*.test.ts');
  const support = read('{test,scripts,examples,bench}/**/*.{ts,mjs,js}').filter(
    ({ file }) => !file.endsWith('.test.ts'),
  );
  const identifiers = new Set(
    [...sources, ...support, ...tests]
      .flatMap(
        ({ text }) =>
          text
            .replaceAll(/^\s*(?:\*|\/\/|\/\*).*$/gm, '')
            .replaceAll(SUITE, '')
            .match(/\w+/g) ?? [],
      )
      .concat(['TypeError', 'RangeError', 'SyntaxError']),
  );

  it('exist in the code when the title of a suite begins with them', () => {
    expect(missingNames(tests, SUITE, identifiers)).to.deep.equal([]);
  });

  it('exist in the code when a docstring says that they are thrown', () => {
    expect(missingNames(sources, THROWS, identifiers)).to.deep.equal([]);
  });
});
