import { expect } from 'chai';
import { isJsonBelow, readSelection } from '../src/selection.ts';

const MATCHES: readonly (readonly [pattern: string, path: string, isOne: boolean])[] = [
  ['servers/*.json', 'servers/a.json', true],
  ['servers/*.json', 'servers/b/a.json', false],
  ['servers/*.json', 'other/a.json', false],
  ['servers/*.json', 'servers/.a.json', false],
  ['servers/.*.json', 'servers/.a.json', true],
  ['servers/**/*.json', 'servers/a.json', true],
  ['servers/**/*.json', 'servers/b/c/a.json', true],
  ['servers/**/*.json', 'servers/.b/a.json', false],
  ['**/server.json', 'server.json', true],
  ['**/server.json', 'a/b/server.json', true],
  ['**/server.json', 'a/b/server.jsonx', false],
  ['**/x/**/*.json', 'a/x/y/x/z.json', true],
  ['servers/**', 'servers/a/b', true],
  ['servers/**', 'servers', false],
  ['servers/?.json', 'servers/ä.json', true],
  ['servers/[a-c].json', 'servers/d.json', false],
  ['{servers,skills}/*.json', 'skills/a.json', true],
  ['*', 'a/b', false],
];

describe('readSelection', () => {
  for (const [text, path, isOne] of MATCHES) {
    it(`${text} ${isOne ? 'matches' : 'does not match'} ${path}`, () => {
      const selection = readSelection(text);
      if (selection.kind !== 'pattern') throw new Error('no pattern');
      expect(selection.matches(path)).to.equal(isOne);
    });
  }

  it('distinguishes paths from patterns, in a normalized form', () => {
    expect(readSelection('./a/./b.json')).to.deep.equal({ kind: 'place', path: 'a/b.json' });
    expect(readSelection('a/')).to.deep.equal({ kind: 'place', path: 'a' });
    expect(readSelection('.')).to.deep.equal({ kind: 'place', path: '' });
    expect(readSelection('a/b/*.json')).to.include({ kind: 'pattern', base: 'a/b' });
  });

  it('matches in time proportional to pattern times path', () => {
    const selection = readSelection(`${'*a'.repeat(100)}/${'**/*b*/'.repeat(50)}x`);
    if (selection.kind !== 'pattern') throw new Error('no pattern');
    const path = `${'a'.repeat(400)}/${'b/'.repeat(400)}y`;
    const begun = process.cpuUsage();
    expect(selection.matches(path)).to.equal(false);
    expect(process.cpuUsage(begun).user / 1000, 'milliseconds').to.be.below(500);
  });
});

describe('isJsonBelow', () => {
  it('returns the JSON files below a folder', () => {
    expect(isJsonBelow('a')('a/b/c.json')).to.equal(true);
    expect(isJsonBelow('')('c.json')).to.equal(true);
    for (const path of ['ab/c.json', 'a/c.txt', 'a/.c.json', 'a/.b/c.json', 'a.json'])
      expect(isJsonBelow('a')(path), path).to.equal(false);
  });
});
