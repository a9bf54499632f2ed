import { expect } from 'chai';
import { AppNames } from '../../src/names/app-names.ts';

const toolWith = (ui: unknown): string => JSON.stringify({ name: 'x', _meta: { ui } });

describe('names that apps use', () => {
  const rows: readonly (readonly [ui: unknown, isForApps: boolean])[] = [
    [{ resourceUri: 'ui://x' }, true],
    [{ visibility: ['app'] }, true],
    [{ visibility: ['model', 'app'] }, true],
    [{ visibility: ['model'] }, false],
    [{ visibility: 'app' }, false],
    ['app', false],
    [undefined, false],
  ];
  for (const [ui, isForApps] of rows) {
    it(`AppNames › ${isForApps ? 'accepts' : 'refuses'} an own name when _meta.ui is ${JSON.stringify(ui)}`, () => {
      const names = new AppNames();
      names.learn('a', 'x', toolWith(ui));
      expect(names.resolve('x')).to.deep.equal(isForApps ? { member: 'a', own: 'x' } : undefined);
    });
  }

  it('AppNames › refuses a name for good once two members have listed it', () => {
    const names = new AppNames();
    names.learn('a', 'x', toolWith({ visibility: ['app'] }));
    names.learn('b', 'x', '{"name":"x"}');
    expect(names.resolve('x')).to.equal(undefined);
    names.learn('a', 'x', toolWith({ visibility: ['app'] }));
    expect(names.resolve('x')).to.equal(undefined);
  });

  it('AppNames › ignores names of object properties', () => {
    expect(new AppNames().resolve('constructor')).to.equal(undefined);
  });
});
