import { expect } from 'chai';
import { createRunConfig } from '@portolan/run-spec';
import { startWorkloads } from '../../src/run/operations/start-workloads.ts';
import { ownProcess } from '../../src/state/process-identity.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';
import { testWorkloadContext } from '../support/test-workload-context.ts';

const folders = new TemporaryFolders();
const { signal } = new AbortController();

describe('startWorkloads', () => {
  afterEach(() => folders.removeAll());

  it('does not start a workload whose run config asks for a protection which is not there', async () => {
    const context = testWorkloadContext(await folders.make());
    const config = createRunConfig({
      name: 'acme',
      remote_url: 'https://mcp.acme.example/mcp',
      embedded_auth_server_config: { issuer: 'https://id.acme.example' },
    });
    await context.store.claim(config, await ownProcess());
    await context.store.change('acme', (state) => ({ ...state, status: 'stopped', supervisor: undefined }));
    const quiet = (): void => undefined;
    const options = {
      observerOf: () => ({ step: quiet, image: quiet, warn: quiet, note: quiet, ready: quiet }),
      program: [process.execPath, '-e', 'process.exit(3)'],
      detachEarly: false,
      foreground: false,
      restart: false,
      startTimeoutMs: 1000,
    };
    const [result] = await startWorkloads(['acme'], context, options, signal);
    expect(result?.error).to.have.property('code', 'ERR_RUN_CONFIG_PROTECTION');
    expect(await context.store.getState('acme')).to.include({ status: 'stopped', url: '' });
  });
});
