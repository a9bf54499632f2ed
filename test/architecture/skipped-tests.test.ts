import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { chooseTests } from '../../scripts/tests/choose-tests.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** Tests that Mocha leaves out without a word: the reason stands in the title where `skipTest` and `skipSuite` do it. */
const SILENT = /\b(?:this|context|it|describe)\.skip\(/;
/** A test that ends before it begins passes, and has seen nothing. */
const PASSES = /^\s*(?:it\(.*|\) =>|async \(\) =>) \{\n(?:\s*\/\/.*\n)*\s*if \(.*\) return;/gm;

describe('a test that cannot run here', () => {
  const files = chooseTests(root, 'all');
  const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

  it('is skipped with a reason (skipTest, skipSuite)', () => {
    expect(files.filter((file) => SILENT.test(read(file)))).to.deep.equal([]);
  });

  it('does not return at its beginning, as if it had passed', () => {
    const found = files.flatMap((file) =>
      [...read(file).matchAll(PASSES)].map(([text]) => `${file}: ${text.trim()}`),
    );
    expect(found).to.deep.equal([]);
  });
});
