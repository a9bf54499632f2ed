import { expect } from 'chai';
import { matchesTemplate } from '../../src/aggregate/match-template.ts';

const ROWS: readonly (readonly [template: string, uri: string, matches: boolean])[] = [
  ['file:///{path}', 'file:///a.txt', true],
  ['file:///{path}', 'file:///a/b.txt', false],
  ['file:///{+path}', 'file:///a/b.txt', true],
  ['file:///{path*}', 'file:///a/b.txt', true],
  ['file:///{path}', 'file:///', false],
  ['demo://{id}/text', 'demo://7/text', true],
  ['demo://{id}/text', 'demo://7/blob', false],
  ['demo://{id}/text', 'demo://7/text/x', false],
  ['demo://{a}/{b}', 'demo://1/2', true],
  ['demo://x{?page,size}', 'demo://x', true],
  ['demo://x{?page,size}', 'demo://x?page=2', true],
  ['demo://fixed', 'demo://fixed', true],
  ['demo://fixed', 'demo://fixed2', false],
  ['demo://{unclosed', 'demo://{unclosed', true],
  ['', '', true],
];

describe('templates of resources', () => {
  for (const [template, uri, matches] of ROWS) {
    it(`matchesTemplate › ${matches ? 'accepts' : 'refuses'} ${uri} for ${template}`, () => {
      expect(matchesTemplate(template, uri)).to.equal(matches);
    });
  }

  it('matchesTemplate › takes linear time for a hostile template', () => {
    const template = `x${'{+a}y'.repeat(1500)}`;
    const beganMs = performance.now();
    expect(matchesTemplate(template, `x${'y'.repeat(8000)}!`)).to.equal(false);
    expect(performance.now() - beganMs).to.be.below(1000);
  });
});
