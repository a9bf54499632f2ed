import { expect } from 'chai';
import { TemplatePattern } from '../../src/guard/template-pattern.ts';

describe('URI template pattern', () => {
  const MATCHING: readonly (readonly [template: string, uri: string])[] = [
    ['file:///{path}', 'file:///a'],
    ['file:///{path}', 'FILE:///a'],
    ['file:///{+path}', 'file:///a/b/c'],
    ['repo://{owner}/{name}{?ref}', 'repo://a/b?ref=c'],
    ['repo://{owner}/{name}{?ref}', 'repo://a/b'],
    ['note://all', 'note://all'],
    ['note://%61ll/{id}', 'note://all/1'],
    ['{x}', ''],
    ['a{x}b{y}a', 'a1b2a'],
  ];
  for (const [template, uri] of MATCHING) {
    it(`matches ${uri} when the template is ${template}`, () => {
      expect(new TemplatePattern(template).matches(uri)).to.equal(true);
    });
  }

  const OTHERS: readonly (readonly [template: string, uri: string])[] = [
    ['file:///{path}', 'http://a'],
    ['note://all', 'note://all/1'],
    ['a{x}b{y}a', 'a1a'],
    ['ab{x}ba', 'aba'],
  ];
  for (const [template, uri] of OTHERS) {
    it(`does not match ${uri} when the template is ${template}`, () => {
      expect(new TemplatePattern(template).matches(uri)).to.equal(false);
    });
  }

  it('matches narrowly only as many path segments as simple expressions have', () => {
    const pattern = new TemplatePattern('file:///{path}');
    expect(pattern.matchesNarrowly('file:///a')).to.equal(true);
    expect(pattern.matchesNarrowly('file:///a/b')).to.equal(false);
    expect(pattern.matchesNarrowly('file:///a%2fb')).to.equal(false);
    expect(new TemplatePattern('file:///{+path}').matchesNarrowly('file:///a/b')).to.equal(true);
  });

  it('takes linear time for a template that would take a backtracking matcher for ever', () => {
    const pattern = new TemplatePattern(`${'{x}a'.repeat(2000)}b`);
    expect(pattern.matches('a'.repeat(8000))).to.equal(false);
  }).timeout(2000);
});
