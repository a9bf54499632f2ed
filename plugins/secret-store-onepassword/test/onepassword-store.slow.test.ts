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

describe('OnePasswordStore with a stand-in for the program op', () => {
  const store = new OnePasswordStore({ program, environment });

  it('reads the value behind a reference, line breaks included', async () => {
    expect(await store.find('op://Team/Weather/key')).to.equal('sunny\n');
  });

  it('has no value for a reference that leads nowhere', async () => {
    expect(await store.find('op://Team/Nothing/key')).to.equal(undefined);
  });

  it('runs nothing for what is no reference', async () => {
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

  it('lists the fields that have a value, with vault and item', async () => {
    expect(await store.list()).to.deep.equal([
      { name: 'op://Team/Weather/key', description: 'Team :: Weather :: key' },
    ]);
  });

  it('says that nobody is signed in', async () => {
    const { OP_SERVICE_ACCOUNT_TOKEN: _, ...rest } = environment;
    const out = new OnePasswordStore({ program, environment: rest });
    expect(await faultOf(out.find('op://Team/Weather/key'))).to.have.property(
      'code',
      'ERR_SECRET_STORE_LOCKED',
    );
    expect(await faultOf(out.list())).to.have.property('code', 'ERR_SECRET_STORE_LOCKED');
  });

  it('passes on what the program says about another failure', async () => {
    const fault = await faultOf(store.find('op://Team/Broken/key'));
    expect(fault).to.have.property('code', 'ERR_SECRET_PROGRAM');
    expect(fault).to.have.property('message').that.includes('(500) Internal Server Error');
  });

  it('ends with the reason of its signal, and the program with it', async () => {
    const controller = new AbortController();
    const finding = faultOf(store.find('op://Team/Slow/key', controller.signal));
    controller.abort(new Error('enough'));
    expect(await finding).to.have.property('message', 'enough');
  });

  it('says that the program is missing', async () => {
    const none = new OnePasswordStore({
      program: path.join(import.meta.dirname, 'no-such-program'),
      environment,
    });
    expect(await faultOf(none.find('op://Team/Weather/key'))).to.have.property('code', 'ERR_SECRET_PROGRAM');
  });
});
