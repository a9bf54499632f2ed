import { UndoStack } from '@portolan/plugin-api';
import { expect } from 'chai';
import { createRunConfig, type RunConfig } from '@portolan/run-spec';
import { uniquifySecretNames } from '../../src/run/steps/uniquify-secret-names.ts';
import { ownSecretsOf, storeRunSecrets } from '../../src/run/steps/run-secrets.ts';
import type { SettledRun } from '../../src/run/steps/settled-run.ts';
import type { WorkloadContext } from '../../src/workload-context.ts';
import { keepContext, MemoryStore, runningWorkload } from '../support/keep-context.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';

const folders = new TemporaryFolders();
const { signal } = new AbortController();

const KEY = 'registry-user-key';
const OWN = `__portolan_workloads_${KEY}`;

const settled = (name: string, value: string, fields?: Partial<RunConfig>): SettledRun => ({
  config: createRunConfig({ name, image: 'acme/a', secrets: [`${KEY},target=KEY`], ...fields }),
  secrets: [{ name: KEY, value }],
  imageDigest: '',
  isAnyPort: true,
});

async function withOther(
  value: string,
): Promise<{ readonly context: WorkloadContext; readonly store: MemoryStore }> {
  const store = new MemoryStore({ [OWN]: value });
  const context = keepContext(await folders.make(), { store });
  await runningWorkload(context, 'other', { secrets: [`${KEY},target=KEY`] });
  return { context, store };
}

describe('uniquifySecretNames', () => {
  afterEach(() => folders.removeAll());

  it('keeps the name when another workload has the same value', async () => {
    const { context } = await withOther('one');
    const run = settled('mine', 'one');
    expect(await uniquifySecretNames(run, context, signal)).to.equal(run);
  });

  it('gives a workload with another value a name of its own, in variables and headers', async () => {
    const { context } = await withOther('one');
    const forward = { add_plaintext_headers: { 'X-A': KEY }, add_headers_from_secret: { 'X-Key': KEY } };
    const run = await uniquifySecretNames(
      settled('mine', 'two', { header_forward: forward }),
      context,
      signal,
    );
    expect(run.secrets).to.deep.equal([{ name: `${KEY}@mine`, value: 'two' }]);
    expect(run.config.secrets).to.deep.equal([`${KEY}@mine,target=KEY`]);
    expect(run.config.header_forward).to.deep.equal({
      add_plaintext_headers: { 'X-A': KEY },
      add_headers_from_secret: { 'X-Key': `${KEY}@mine` },
    });
  });

  it('gives a name of its own when another workload refers to a secret that is not stored', async () => {
    const context = keepContext(await folders.make(), { store: new MemoryStore() });
    await runningWorkload(context, 'other', { secrets: [`${KEY},target=KEY`] });
    const run = await uniquifySecretNames(settled('mine', 'two'), context, signal);
    expect(run.secrets).to.deep.equal([{ name: `${KEY}@mine`, value: 'two' }]);
  });

  it('lets a workload that replaces itself change its own secret', async () => {
    const { context } = await withOther('one');
    const run = settled('other', 'two');
    expect(await uniquifySecretNames(run, context, signal)).to.equal(run);
  });

  it('reuses the name of a value without users', async () => {
    const context = keepContext(await folders.make(), { store: new MemoryStore({ [OWN]: 'left' }) });
    const run = settled('mine', 'two');
    expect(await uniquifySecretNames(run, context, signal)).to.equal(run);
  });
});

describe('storeRunSecrets', () => {
  afterEach(() => folders.removeAll());

  it('restores the earlier value when the run fails, and deletes new secrets', async () => {
    const { context, store } = await withOther('one');
    const undo = new UndoStack(context.logger);
    const secrets = [...settled('other', 'two').secrets, { name: 'registry-user-new', value: 'n' }];
    await storeRunSecrets(secrets, context, undo, signal);
    expect(Object.fromEntries(store.secrets)).to.deep.equal({
      [OWN]: 'two',
      '__portolan_workloads_registry-user-new': 'n',
    });
    await undo.run();
    expect(Object.fromEntries(store.secrets)).to.deep.equal({ [OWN]: 'one' });
  });
});

describe('ownSecretsOf', () => {
  it("returns the workload's own secrets in all fields", () => {
    const config = createRunConfig({
      secrets: [`${KEY},target=KEY`, 'mine,target=B'],
      telemetry_config: { headers: { k: 'OTLP_HEADER_K_w,target=K' } },
      header_forward: {
        add_plaintext_headers: {},
        add_headers_from_secret: { A: 'HEADER_A_w', B: 'mine' },
      },
    });
    expect(ownSecretsOf(config)).to.have.members([KEY, 'OTLP_HEADER_K_w', 'HEADER_A_w']);
  });
});
