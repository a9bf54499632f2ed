import { expect } from 'chai';
import { type SecretStore, PortolanError } from '@portolan/plugin-api';
import { createRunConfig, NO_USER_SETTINGS } from '@portolan/run-spec';
import { chooseProvider } from '../../src/secrets/choose-provider.ts';
import { requireSecrets, resolveHeaderSecrets, resolveSecrets } from '../../src/secrets/resolve-secrets.ts';
import { ownerOf } from '../../src/secrets/secret-owner.ts';
import { deleteOwnSecrets, storeSecrets } from '../../src/secrets/store-secrets.ts';
import { caught } from '../../../../test/support/caught.ts';
import { keepContext, MemoryStore } from '../support/keep-context.ts';

const OWNER = ownerOf('w', [], { list: () => Promise.resolve([]) });

describe('chooseProvider', () => {
  const cases = [
    {
      title: 'returns the store in the settings',
      variable: undefined,
      setting: '1password',
      expected: '1password',
    },
    {
      title: 'prefers the variable over the settings',
      variable: 'environment',
      setting: 'encrypted',
      expected: 'environment',
    },
    {
      title: 'accepts any store in the variable after the setup',
      variable: '1password',
      setting: 'encrypted',
      expected: '1password',
    },
    {
      title: 'needs no setup for the store environment',
      variable: 'environment',
      setting: undefined,
      expected: 'environment',
    },
    {
      title: 'accepts the former name of encrypted',
      variable: undefined,
      setting: 'basic',
      expected: 'encrypted',
    },
    { title: 'ignores an empty variable', variable: '', setting: 'encrypted', expected: 'encrypted' },
    {
      title: 'demands the setup for other stores',
      variable: 'encrypted',
      setting: undefined,
      expected: 'ERR_SECRETS_NOT_SET_UP',
    },
    {
      title: 'demands the setup',
      variable: undefined,
      setting: undefined,
      expected: 'ERR_SECRETS_NOT_SET_UP',
    },
  ];
  for (const { title, variable, setting, expected } of cases) {
    it(title, async () => {
      const facts = {
        environment: { PORTOLAN_SECRETS_PROVIDER: variable },
        user: { ...NO_USER_SETTINGS, secretsProvider: setting },
      };
      if (expected.startsWith('ERR_')) {
        const error = await caught(() => chooseProvider(facts));
        expect(error.code).to.equal(expected);
        expect(error.message).to.include('secrets provider not configured');
        expect(error.hint).to.include('portolan secret setup');
      } else expect(chooseProvider(facts)).to.equal(expected);
    });
  }
});

describe('resolveSecrets', () => {
  it('opens no store without references', async () => {
    const context = keepContext('/none', { provider: undefined });
    expect(await resolveSecrets([], context, OWNER)).to.deep.equal({});
    expect(await resolveHeaderSecrets({}, context, OWNER)).to.deep.equal({});
  });

  it('returns values by variable; the last reference to a variable wins', async () => {
    const context = keepContext('/none', { store: new MemoryStore({ a: '1', b: '2' }) });
    expect(
      await resolveSecrets(['a,target=A', 'b,target=B', 'a,target=C', 'b,target=A'], context, OWNER),
    ).to.deep.equal({
      A: '2',
      B: '2',
      C: '1',
    });
    expect(await resolveHeaderSecrets({ 'X-Key': 'a' }, context, OWNER)).to.deep.equal({ 'X-Key': '1' });
  });

  it('names all missing secrets in one error', async () => {
    const context = keepContext('/none', { store: new MemoryStore({ a: '1' }) });
    const error = await caught(() =>
      resolveSecrets(['x,target=X', 'a,target=A', 'y,target=Y', 'x,target=Z'], context, OWNER),
    );
    expect(error.code).to.equal('ERR_SECRET_NOT_FOUND');
    expect(error.message).to.equal('The secrets "x", "y" were not found (encrypted).');
    expect(error.hint).to.equal('Store them with `portolan secret set x`, `portolan secret set y`.');
  });

  it("quotes names in the hint's commands for a shell", async () => {
    const context = keepContext('/none', { store: new MemoryStore({}) });
    const error = await caught(() => resolveSecrets(["my key's,target=X"], context, OWNER));
    expect(error.hint).to.equal(`Store it with \`portolan secret set 'my key'\\''s'\`.`);
  });

  it('names missing secrets of variables and headers in one error', async () => {
    const context = keepContext('/none', { store: new MemoryStore({ a: '1' }) });
    const config = createRunConfig({
      secrets: ['x,target=X', 'a,target=A'],
      header_forward: { add_plaintext_headers: {}, add_headers_from_secret: { 'X-Key': 'y' } },
    });
    const { signal } = new AbortController();
    const error = await caught(() => requireSecrets(config, context, OWNER, signal));
    expect(error.message).to.equal('The secrets "x", "y" were not found (encrypted).');
  });

  it('names all names that the store rejects, without a lookup in the environment', async () => {
    const store: SecretStore = {
      find: () =>
        Promise.reject(
          new PortolanError('ERR_SECRET_NAME', 'mistake', 'No reference.', { hint: 'Write op://…' }),
        ),
    };
    const environment = { PORTOLAN_SECRET_key: 'v' };
    const context = keepContext('/none', { provider: '1password', store, can: ['list'], environment });
    const error = await caught(() => resolveSecrets(['key,target=K', 'other,target=O'], context, OWNER));
    expect(error.code).to.equal('ERR_SECRET_NAME');
    expect(error.message).to.include('"key"').and.include('"other"');
  });

  const fallback = [
    {
      title: 'falls back to the environment',
      environment: {},
      expected: 'of the variable',
    },
    {
      title: 'does not fall back to the environment when PORTOLAN_DISABLE_ENV_FALLBACK is set',
      environment: { PORTOLAN_DISABLE_ENV_FALLBACK: 'true' },
      expected: 'ERR_SECRET_NOT_FOUND',
    },
    {
      title: 'does not fall back to the environment when TOOLHIVE_DISABLE_ENV_FALLBACK is set',
      environment: { TOOLHIVE_DISABLE_ENV_FALLBACK: 'TRUE' },
      expected: 'ERR_SECRET_NOT_FOUND',
    },
  ];
  for (const { title, environment, expected } of fallback) {
    it(title, async () => {
      const context = keepContext('/none', {
        environment: { PORTOLAN_SECRET_key: 'of the variable', ...environment },
      });
      const found = await resolveSecrets(['key,target=K'], context, OWNER).then(
        ({ K }) => K,
        (error: unknown) => (error instanceof PortolanError ? error.code : error),
      );
      expect(found).to.equal(expected);
    });
  }

  it('passes on other errors of the store', async () => {
    const store: SecretStore = {
      find: () => Promise.reject(new PortolanError('ERR_SECRET_STORE_LOCKED', 'refused', 'Locked.')),
    };
    expect(
      (await caught(() => resolveSecrets(['a,target=A'], keepContext('/none', { store }), OWNER))).code,
    ).to.equal('ERR_SECRET_STORE_LOCKED');
  });
});

describe('storeSecrets', () => {
  it("keeps secrets of workloads apart from the user's, and references find them first", async () => {
    const store = new MemoryStore({ BEARER_TOKEN_w: 'of a person' });
    const context = keepContext('/none', { store });
    await storeSecrets([{ name: 'BEARER_TOKEN_w', value: 'of the workload' }], context, {
      scope: 'workloads',
    });
    expect([...store.secrets]).to.deep.equal([
      ['BEARER_TOKEN_w', 'of a person'],
      ['__portolan_workloads_BEARER_TOKEN_w', 'of the workload'],
    ]);
    const resolve = async (): Promise<object> =>
      await resolveSecrets(['BEARER_TOKEN_w,target=T'], context, OWNER);
    expect(await resolve()).to.deep.equal({ T: 'of the workload' });
    await deleteOwnSecrets(['BEARER_TOKEN_w', 'none'], 'workloads', context);
    expect(await resolve()).to.deep.equal({ T: 'of a person' });
  });

  it('rejects a read-only store, and stores nothing', async () => {
    const context = keepContext('/none', { provider: 'environment' });
    const error = await caught(() => storeSecrets([{ name: 'a', value: 'b' }], context));
    expect(error.code).to.equal('ERR_SECRET_STORE_READ_ONLY');
    expect(error.message).to.not.include('b"');
  });
});
