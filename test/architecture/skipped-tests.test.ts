import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { chooseTests } from '../../scripts/tests/choose-tests.ts';

const root = path.resolve(import.meta.dirname, '../..');

/**
 * Mocha's own ways to skip a test, which give no reason. `skipTest` and `skipSuite` put the reason into the
 * title.
 */
const SILENT = /\b(?:this|context|it|describe)\.skip\(/;
/** A test that returns early passes without a check. */
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
