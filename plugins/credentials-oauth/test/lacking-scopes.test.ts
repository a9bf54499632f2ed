import { createRecordingLogger } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { LackingScopes } from '../src/lacking-scopes.ts';

describe('LackingScopes', () => {
  let told: (readonly string[])[];
  let asked: (readonly string[])[];
  beforeEach(() => {
    told = [];
    asked = [];
  });

  function lacking(answer: 'nobody' | 'agrees' | 'declines'): LackingScopes {
    const stepUp = async (scopes: readonly string[]): Promise<void> => {
      asked.push(scopes);
      await Promise.resolve();
      if (answer === 'declines') throw new Error('no');
    };
    const scopes = (all: readonly string[]): unknown => told.push(all);
    return new LackingScopes(scopes, answer === 'nobody' ? undefined : stepUp, createRecordingLogger());
  }

  it('reports missing scopes once when no prompt is possible', async () => {
    const scopes = lacking('nobody');
    for (const one of [['a'], ['a'], ['b', 'a'], []]) expect(await scopes.ask(one)).to.equal(false);
    expect(told).to.deep.equal([['a'], ['a', 'b']]);
    scopes.forget();
    scopes.forget();
    expect(told.at(-1)).to.deep.equal([]);
    expect(told).to.have.lengthOf(3);
  });

  it('prompts once for all waiting requests', async () => {
    const scopes = lacking('agrees');
    const given = await Promise.all(Array.from({ length: 100 }, () => scopes.ask(['a'])));
    expect(new Set(given)).to.deep.equal(new Set([true]));
    expect(asked).to.deep.equal([['a']]);
  });

  it('prompts at most twice for the same scopes that a remote still refuses, and for all missing ones', async () => {
    const scopes = lacking('agrees');
    const given = [];
    for (const one of ['a', 'a', 'a', 'b']) given.push(await scopes.ask([one]));
    expect(given).to.deep.equal([true, true, false, true]);
    expect(asked).to.deep.equal([['a'], ['a'], ['a', 'b']]);
  });

  it('does not prompt again for refused scopes', async () => {
    const scopes = lacking('declines');
    expect([await scopes.ask(['a', 'b']), await scopes.ask(['b', 'a'])]).to.deep.equal([false, false]);
    expect(asked).to.have.lengthOf(1);
  });

  it('does not prompt when a remote does not name the missing scopes', async () => {
    expect(await lacking('agrees').ask([])).to.equal(false);
    expect(asked).to.deep.equal([]);
  });
});
