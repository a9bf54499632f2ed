import { expect } from 'chai';
import { parseLockTargets } from '../../src/command-line/lock-targets.ts';

describe('parseLockTargets', () => {
  it('parseLockTargets › returns the items of each workload', () => {
    const targets = parseLockTargets(['one', 'two/search', 'two/member/read', 'three/a', 'three']);
    expect([...targets]).to.deep.equal([
      ['one', undefined],
      ['two', ['search', 'member/read']],
      ['three', undefined],
    ]);
  });

  it('parseLockTargets › returns the whole workload when it is named before an item of it', () => {
    expect([...parseLockTargets(['one', 'one/search'])]).to.deep.equal([['one', undefined]]);
  });

  for (const target of ['', '/search', 'one/']) {
    it(`parseLockTargets › throws ERR_BAD_ARGUMENT when the target is ${JSON.stringify(target)}`, () => {
      expect(() => parseLockTargets([target])).to.throw('expected NAME or NAME/TOOL');
    });
  }
});
