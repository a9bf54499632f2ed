import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { chooseTests } from '../../scripts/tests/choose-tests.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** Expectation that a text does not contain a number, which a port or a process id in it contains by chance. */
const SHORT_NUMBER = /not\.(?:to\.)?(?:include|contain)\((['"`])\d{1,3}\1\)/;

describe('tests whose result depends on chance', () => {
  const files = chooseTests(root, 'all');
  const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

  it('do not expect that a text lacks a short number', () => {
    expect(files.filter((file) => SHORT_NUMBER.test(read(file)))).to.deep.equal([]);
  });

  it('SHORT_NUMBER › matches the forms of chai when a status is looked for', () => {
    const found = ['401', '7'].map((number) => `expect(text).to.not.include('${number}')`);
    const others = ["expect(text).to.not.include('with 401')", "expect(text).to.include('401')"];
    expect([...found, ...others].map((text) => SHORT_NUMBER.test(text))).to.deep.equal([
      true,
      true,
      false,
      false,
    ]);
  });
});
