import { expect } from 'chai';
import type { SecretStore } from '@portolan/plugin-api';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { findSecretUsers } from '../../src/secrets/find-secret-users.ts';
import {
  deleteSecret,
  getSecret,
  importSecrets,
  listSecrets,
  setSecret,
} from '../../src/secrets/manage-secrets.ts';
import { chooseSecretsProvider } from '../../src/secrets/set-up-provider.ts';
import { caught } from '../../../../test/support/caught.ts';
import { keepContext, MemoryStore, runningWorkload } from '../support/keep-context.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';

const OWN = '__portolan_workloads_x';

describe('portolan secret', () => {
  it("list › shows the user's secrets, and with `system` also those of Portolan and ToolHive", async () => {
    const context = keepContext('/none', {
      store: new MemoryStore({ b: '1', a: '2', [OWN]: '3', __thv_auth_y: '4' }),
    });
    expect((await listSecrets(context)).map(({ name }) => name)).to.deep.equal(['a', 'b']);
    expect(await listSecrets(context, { system: true })).to.have.length(4);
  });

  it("get, set and delete › reject Portolan's own secrets without `system`", async () => {
    const context = keepContext('/none', { store: new MemoryStore({ [OWN]: '3' }) });
    for (const action of [
      () => getSecret(OWN, context),
      () => setSecret(OWN, 'v', context),
      () => deleteSecret(OWN, context),
    ]) {
      expect((await caught(action)).code).to.equal('ERR_SECRET_NAME');
    }
    expect(await getSecret(OWN, context, { system: true })).to.equal('3');
    await deleteSecret(OWN, context, { system: true });
    expect((await caught(() => deleteSecret(OWN, context, { system: true }))).code).to.equal(
      'ERR_SECRET_NOT_FOUND',
    );
  });

  it('set › rejects names that no reference can contain', async () => {
    const context = keepContext('/none');
    for (const name of ['', 'a,b', ' a', 'a\nb']) {
      expect((await caught(() => setSecret(name, 'v', context))).code, name).to.equal('ERR_SECRET_NAME');
    }
  });

  it('list, set and delete › reject a read-only store', async () => {
    const context = keepContext('/none', {
      provider: 'environment',
      environment: { PORTOLAN_SECRET_a: 'v' },
    });
    expect(await getSecret('a', context)).to.equal('v');
    for (const action of [
      () => listSecrets(context),
      () => setSecret('a', 'v', context),
      () => deleteSecret('a', context),
    ]) {
      expect((await caught(action)).code).to.equal('ERR_SECRET_STORE_READ_ONLY');
    }
  });

  it("import › stores secrets, renames the other program's own ones, and keeps existing ones", async () => {
    const store = Object.assign(new MemoryStore({ a: 'ours' }), {
      readForeign: () =>
        Promise.resolve(
          new Map([
            ['a', 'theirs'],
            ['b', '2'],
            ['__thv_workloads_c', '3'],
          ]),
        ),
    });
    const context = keepContext('/none', { store });
    const imported = await importSecrets(new Uint8Array(), context, { replace: false });
    expect(imported).to.deep.equal({ imported: ['b', '__portolan_workloads_c'], kept: ['a'] });
    expect(await getSecret('a', context)).to.equal('ours');
    expect(await getSecret('__portolan_workloads_c', context, { system: true })).to.equal('3');
    await importSecrets(new Uint8Array(), context, { replace: true });
    expect(await getSecret('a', context)).to.equal('theirs');
  });
});

describe('with files', () => {
  const folders = new TemporaryFolders();
  afterEach(() => folders.removeAll());

  it('chooseSecretsProvider › tests a store and leaves no probe in it', async () => {
    const folder = await folders.make();
    const store = new MemoryStore();
    const context = keepContext(folder, { provider: undefined, store });
    await chooseSecretsProvider('encrypted', context);
    expect(store.secrets.size).to.equal(0);
    const text = await readFile(path.join(context.directories.config, 'config.yaml'), 'utf8');
    expect(text).to.equal('secrets:\n  provider_type: encrypted\n  setup_completed: true\n');
  });

  const unusable: readonly {
    readonly title: string;
    readonly provider: string;
    readonly store: SecretStore;
    readonly code: string;
  }[] = [
    { title: 'of an unknown type', provider: 'bogus', store: new MemoryStore(), code: 'ERR_SETTING' },
    {
      title: 'that loses its secrets',
      provider: 'encrypted',
      store: {
        find: () => Promise.resolve(undefined),
        set: () => Promise.resolve(),
        delete: () => Promise.resolve(true),
      },
      code: 'ERR_SECRETS_PROVIDER_TEST',
    },
  ];
  for (const { title, provider, store, code } of unusable) {
    it(`chooseSecretsProvider › rejects a store ${title}`, async () => {
      const context = keepContext(await folders.make(), { provider: undefined, store });
      expect((await caught(() => chooseSecretsProvider(provider, context))).code).to.equal(code);
      const found = await readFile(path.join(context.directories.config, 'config.yaml')).catch(() => 'none');
      expect(found).to.equal('none');
    });
  }

  it('findSecretUsers › finds references in variables, headers and other fields', async () => {
    const context = keepContext(await folders.make());
    await runningWorkload(context, 'one', { secrets: ['key,target=A'] });
    await runningWorkload(context, 'two', {
      header_forward: { add_plaintext_headers: {}, add_headers_from_secret: { 'X-Key': 'key' } },
    });
    await runningWorkload(context, 'three', {
      remote_auth_config: { client_secret: 'key,target=oauth_secret' },
    });
    await runningWorkload(context, 'four', { secrets: ['keys,target=key'] });
    expect(await findSecretUsers('key', context.store)).to.deep.equal(['one', 'three', 'two']);
  });
});
