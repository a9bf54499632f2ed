import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { chooseTests } from '../../scripts/tests/choose-tests.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** Tests that Mocha leaves out without a word: the reason stands in the title where `skipTest` and `skipSuite` do it. */
const SILENT = /\b(?:this|context|it|describe)\.skip\(/;
/** A test that ends before it begins passes, and has seen nothing. */
const PASSES = /^\s*(?:it\(.*|\) =>|async \(\) =>) \{\n(?:\s*\/\/.*\n)*\s*if \(.*\) return;/gm;

describe('tests that cannot run in this environment', () => {
  const files = chooseTests(root, 'all');
  const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

  it('use skipTest or skipSuite, which put the reason into the title', () => {
    expect(files.filter((file) => SILENT.test(read(file)))).to.deep.equal([]);
  });

  it('do not pass by returning early', () => {
    const found = files.flatMap((file) =>
      [...read(file).matchAll(PASSES)].map(([text]) => `${file}: ${text.trim()}`),
    );
    expect(found).to.deep.equal([]);
  });
});
