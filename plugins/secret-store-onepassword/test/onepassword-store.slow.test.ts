import { expect } from 'chai';
import path from 'node:path';
import { OnePasswordStore } from '../src/onepassword-store.ts';

const program = path.join(import.meta.dirname, 'support', 'fake-op.mjs');
const environment = { ...process.env, OP_SERVICE_ACCOUNT_TOKEN: 'ops_x', PORTOLAN_SECRETS_PASSWORD: 'ours' };

async function faultOf(promise: Promise<unknown>): Promise<unknown> {
  return await promise.then(
    () => 'nothing was thrown',
    (error: unknown) => error,
  );
}

describe('OnePasswordStore (fake op program)', () => {
  const store = new OnePasswordStore({ program, environment });

  it('reads the value of a reference, including line breaks', async () => {
    expect(await store.find('op://Team/Weather/key')).to.equal('sunny\n');
  });

  it('returns undefined for a dangling reference', async () => {
    expect(await store.find('op://Team/Nothing/key')).to.equal(undefined);
  });

  it('runs nothing for an invalid reference', async () => {
    for (const name of [
      '',
      'key',
      'op://Team',
      'op://Team/Weather',
      'op://a/b/c/d/e',
      'OP://a/b/c',
      'op://a/b/c\n',
      '--help',
    ]) {
      expect(await faultOf(store.find(name)), name).to.have.property('code', 'ERR_SECRET_NAME');
    }
  });

  it('lists the fields with a value, by vault and item', async () => {
    expect(await store.list()).to.deep.equal([
      { name: 'op://Team/Weather/key', description: 'Team :: Weather :: key' },
    ]);
  });

  it('reports that no account is signed in', async () => {
    const { OP_SERVICE_ACCOUNT_TOKEN: _, ...rest } = environment;
    const out = new OnePasswordStore({ program, environment: rest });
    expect(await faultOf(out.find('op://Team/Weather/key'))).to.have.property(
      'code',
      'ERR_SECRET_STORE_LOCKED',
    );
    expect(await faultOf(out.list())).to.have.property('code', 'ERR_SECRET_STORE_LOCKED');
  });

  it("passes on the program's message about another failure", async () => {
    const fault = await faultOf(store.find('op://Team/Broken/key'));
    expect(fault).to.have.property('code', 'ERR_SECRET_PROGRAM');
    expect(fault).to.have.property('message').that.includes('(500) Internal Server Error');
  });

  it('rejects with the reason of its signal, and ends the program', async () => {
    const controller = new AbortController();
    const finding = faultOf(store.find('op://Team/Slow/key', controller.signal));
    controller.abort(new Error('enough'));
    expect(await finding).to.have.property('message', 'enough');
  });

  it('reports a missing program', async () => {
    const none = new OnePasswordStore({
      program: path.join(import.meta.dirname, 'no-such-program'),
      environment,
    });
    expect(await faultOf(none.find('op://Team/Weather/key'))).to.have.property('code', 'ERR_SECRET_PROGRAM');
  });
});
