import { expect } from 'chai';
import { type BuildSettings, NO_BUILD_SETTINGS, NO_USER_SETTINGS } from '@portolan/run-spec';
import type { OpenSecretStore } from '../../src/workload-context.ts';
import { BuildCredentials } from '../../src/build/build-credentials.ts';
import { makeRecipe, toBuildInput } from '../../src/build/recipe.ts';
import { caught } from '../../../../test/support/caught.ts';
import { planningScheme } from '../support/planning-scheme.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';
import { testWorkloadContext } from '../support/test-workload-context.ts';

const folders = new TemporaryFolders();
after(() => folders.removeAll());

async function credentials(
  settings: Partial<BuildSettings>,
  {
    secrets = {},
    environment = {},
  }: {
    readonly secrets?: Readonly<Record<string, string>>;
    readonly environment?: Readonly<Record<string, string>>;
  } = {},
): Promise<BuildCredentials | undefined> {
  const usual = testWorkloadContext(await folders.make());
  const openSecretStore = async (name: string): Promise<OpenSecretStore> => ({
    name,
    can: [],
    store: { find: async (secret) => (name === 'environment' ? undefined : secrets[secret]) },
  });
  return BuildCredentials.of(
    { authFiles: ['npmrc', 'netrc'] },
    {
      ...usual,
      environment,
      user: { ...NO_USER_SETTINGS, secretsProvider: 'memory', build: { ...NO_BUILD_SETTINGS, ...settings } },
      kinds: { ...usual.kinds, openSecretStore },
    },
  );
}

describe('BuildCredentials', () => {
  it('is undefined without settings, and with settings that the scheme does not support', async () => {
    expect(await credentials({})).to.equal(undefined);
    expect(await credentials({ authFiles: ['yarnrc'] })).to.equal(undefined);
  });

  const refused: readonly {
    readonly title: string;
    readonly settings: Partial<BuildSettings>;
    readonly given?: Parameters<typeof credentials>[1];
    readonly code?: string;
  }[] = [
    { title: 'a reserved name', settings: { values: { PATH: 't0psecret' } } },
    { title: 'a proxy variable', settings: { fromShell: ['HTTPS_PROXY'] } },
    { title: 'a value with shell syntax', settings: { values: { A: 't0psecret;id' } } },
    { title: 'one name in two sources', settings: { values: { A: 't0psecret' }, fromShell: ['A'] } },
    {
      title: 'a secret with shell syntax',
      settings: { fromSecrets: { A: 'a' } },
      given: { secrets: { a: 't0psecret`id`' } },
    },
    {
      title: 'a shell variable with shell syntax',
      settings: { fromShell: ['A'] },
      given: { environment: { A: 't0psecret\nid' } },
    },
    { title: 'a missing shell variable', settings: { fromShell: ['A', 'B'] } },
    {
      title: 'a missing secret',
      settings: { authFiles: ['npmrc'] },
      code: 'ERR_SECRET_NOT_FOUND',
    },
  ];
  for (const { title, settings, given, code = 'ERR_SETTING' } of refused) {
    it(`rejects ${title}, without the value in the message`, async () => {
      const error = await caught(async () => await (await credentials(settings, given))?.open());
      expect(error.code).to.equal(code);
      expect(`${error.message} ${error.hint}`).to.not.include('t0psecret');
    });
  }

  it('hide › shows plain values, and of secrets only the names', async () => {
    const environment = { B: 'of the shell', C: 'too', REST: 'stays' };
    const given = { secrets: { BUILD_AUTH_FILE_npmrc: 'a=1', b: 'two' }, environment };
    const settings = { values: { A: 'one' }, fromSecrets: { B: 'b' }, fromShell: ['C'] };
    const all = await credentials({ ...settings, authFiles: ['npmrc', 'yarnrc'] }, given);
    const options = { environment, home: '/', workingDirectory: '/' };
    expect(all?.prepared).to.deep.equal({ variables: ['A', 'B', 'C'], authFiles: ['npmrc'] });
    expect(all?.hide(options)).to.deep.include({
      environment: { A: 'one', REST: 'stays' },
      buildVariables: ['A', 'B', 'C'],
      authFiles: { npmrc: '' },
    });
    expect(await all?.reveal(options)).to.deep.include({
      environment: { A: 'one', B: 'two', C: 'too', REST: 'stays' },
      authFiles: { npmrc: 'a=1' },
    });
  });
});

describe('makeRecipe', () => {
  const reference = { from: 'index', name: 'a', extras: [], version: '1.0.0', pinned: true } as const;
  const request = { scheme: 'npx', reference, runtimeConfig: undefined, caCert: undefined };
  const recipeOf = async (...given: Parameters<typeof credentials>): Promise<string> => {
    const found = await credentials(...given);
    const input = toBuildInput(request, reference, undefined, found?.prepared);
    const options = { environment: {}, home: '/', workingDirectory: '/' };
    return (await makeRecipe('npx', input, planningScheme(), options, found?.values)).hashes.recipe;
  };

  it('has another hash when a name or a plain value changes, but not when a secret changes', async () => {
    const plain = await recipeOf({ values: { A: '1' } });
    const secret = await recipeOf({ fromSecrets: { A: 'a' } }, { secrets: { a: 'one' } });
    expect(await recipeOf({ fromSecrets: { A: 'a' } }, { secrets: { a: 'two' } })).to.equal(secret);
    const all = [plain, secret, await recipeOf({}), await recipeOf({ values: { A: '2' } })];
    expect(new Set([...all, await recipeOf({ authFiles: ['npmrc'] })]).size).to.equal(5);
  });
});
