import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PortolanError, type ContainerEngine } from '@portolan/plugin-api';
import { expect } from 'chai';
import { type RunRequest, createRunConfig, formatRunConfig } from '@portolan/run-spec';
import { runWorkload } from '../../src/run/run-workload.ts';
import type { RunOptions } from '../../src/run/run-options.ts';
import { ownProcess } from '../../src/state/process-identity.ts';
import { caught } from '../../../../test/support/caught.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';
import { type TestWorkloadContext, testWorkloadContext } from '../support/test-workload-context.ts';

const folders = new TemporaryFolders();
const { signal } = new AbortController();

const options = (more: Partial<RunOptions> = {}): RunOptions => ({
  observer: {
    step: () => undefined,
    image: () => undefined,
    warn: () => undefined,
    note: () => undefined,
    ready: () => undefined,
  },
  program: [process.execPath, '-e', 'process.exit(3)'],
  replace: false,
  detachEarly: false,
  foreground: false,
  startTimeoutMs: 1000,
  ...more,
});

const remote: RunRequest = { target: 'https://mcp.acme.example/mcp', args: [], flags: { name: 'acme' } };

async function workloadFiles({ directories }: TestWorkloadContext): Promise<readonly string[]> {
  const lists = await Promise.all(
    [directories.runConfigs, directories.statuses, directories.logs].map((folder) =>
      readdir(folder).catch(() => []),
    ),
  );
  return lists.flat();
}

describe('runWorkload', () => {
  afterEach(() => folders.removeAll());

  it('leaves no file when the supervisor exits during its start', async () => {
    const context = testWorkloadContext(await folders.make());
    const error = await caught(() => runWorkload(remote, context, options(), signal));
    expect(error).to.have.property('code', 'ERR_SUPERVISOR_ENDED');
    expect(await workloadFiles(context)).to.deep.equal([]);
  });

  it('leaves no file when it is aborted, and rejects with the reason', async () => {
    const context = testWorkloadContext(await folders.make());
    const stop = new AbortController();
    const reason = new Error('stopped by SIGINT');
    const hanging = options({
      program: [process.execPath, '-e', 'setInterval(() => {}, 1000)'],
      observer: {
        ...options().observer,
        step: (step) => step === 'start' && setTimeout(() => stop.abort(reason), 50),
      },
    });
    const thrown = await runWorkload(remote, context, hanging, stop.signal).catch((error: unknown) => error);
    expect(thrown).to.equal(reason);
    expect(await workloadFiles(context)).to.deep.equal([]);
  });

  it('rejects a name in use, and leaves its workload unchanged', async () => {
    const context = testWorkloadContext(await folders.make());
    const config = createRunConfig({
      name: 'acme',
      remote_url: 'https://other.example/mcp',
      group: 'default',
    });
    await context.store.claim(config, await ownProcess());
    const error = await caught(() => runWorkload(remote, context, options(), signal));
    expect(error).to.have.property('code', 'ERR_WORKLOAD_EXISTS');
    expect(error.hint)
      .to.include('--replace')
      .and.to.include('with --from-config: another `name` in the file');
    expect((await context.store.getConfig('acme')).config).to.deep.equal(config);
  });

  it('rejects an unreadable certificate file, even for an image, which does not use it', async () => {
    const context = testWorkloadContext(await folders.make());
    const request: RunRequest = {
      target: 'acme/notes:1',
      args: [],
      flags: { name: 'acme', caCert: 'nofile.pem' },
    };
    const error = await caught(() => runWorkload(request, context, options(), signal));
    expect(error).to.have.property('code', 'ERR_NAMED_FILE');
    expect(error.message).to.include('nofile.pem');
  });

  it('stops and keeps the earlier workload when its replacement fails', async () => {
    const context = testWorkloadContext(await folders.make());
    const config = createRunConfig({
      name: 'acme',
      remote_url: 'https://other.example/mcp',
      group: 'default',
    });
    await context.store.claim(config, await ownProcess());
    await context.store.change('acme', (state) => ({ ...state, status: 'stopped', supervisor: undefined }));
    const error = await caught(() => runWorkload(remote, context, options({ replace: true }), signal));
    expect(error).to.have.property('code', 'ERR_SUPERVISOR_ENDED');
    expect(error.message).to.include('is stopped');
    expect((await context.store.getConfig('acme')).config).to.deep.equal(config);
    expect(await context.store.getState('acme')).to.include({ status: 'stopped', url: '' });
  });

  it('rejects a move of a workload to another group', async () => {
    const context = testWorkloadContext(await folders.make());
    const config = createRunConfig({ name: 'acme', remote_url: 'https://other.example/mcp', group: 'trial' });
    await context.store.claim(config, await ownProcess());
    const error = await caught(() => runWorkload(remote, context, options({ replace: true }), signal));
    expect(error).to.have.property('code', 'ERR_SETTING');
  });

  it('explains why the image of a file is not available', async () => {
    const folder = await folders.make();
    const runtime: Partial<ContainerEngine> = {
      inspectImage: () => Promise.resolve(undefined),
      provideImage: () =>
        Promise.reject(new PortolanError('ERR_IMAGE_NOT_FOUND', 'absent', 'image not found in registry')),
    };
    const context = testWorkloadContext(folder, runtime);
    const config = createRunConfig({ name: 'acme', image: 'acme/gone:1', image_verification: 'disabled' });
    await writeFile(path.join(folder, 'acme.json'), formatRunConfig(config));
    const request: RunRequest = { target: undefined, fromConfig: 'acme.json', args: [], flags: {} };
    const error = await caught(() => runWorkload(request, context, options({ trust: true }), signal));
    expect(error).to.have.property('code', 'ERR_IMAGE_GONE');
    expect(error.message).to.include('no run_target');
    expect(await workloadFiles(context)).to.deep.equal([]);
  });

  it('rejects a file that requires an unsupported protection', async () => {
    const folder = await folders.make();
    const context = testWorkloadContext(folder);
    const document = {
      image: 'acme/a:1',
      name: 'acme',
      embedded_auth_server_config: { issuer: 'https://id.acme.example' },
    };
    await writeFile(path.join(folder, 'acme.json'), JSON.stringify(document));
    const request: RunRequest = { target: undefined, fromConfig: 'acme.json', args: [], flags: {} };
    const error = await caught(() => runWorkload(request, context, options(), signal));
    expect(error).to.have.property('code', 'ERR_RUN_CONFIG_PROTECTION');
    expect(await workloadFiles(context)).to.deep.equal([]);
  });

  it('checks that mounts exist before it provides an image', async () => {
    const folder = await folders.make();
    const asked = (): never => {
      throw new Error('an image was asked for');
    };
    const context = testWorkloadContext(folder, { inspectImage: asked, provideImage: asked });
    const flags = { volumes: [`${folder}/gone:/data`] };
    const config = createRunConfig({
      name: 'acme',
      image: 'acme/notes:1',
      permission_profile: { read: [`${folder}/gone:/data`] },
    });
    await writeFile(path.join(folder, 'acme.json'), formatRunConfig(config));
    for (const request of [
      { target: 'acme/notes:1', args: [], flags },
      { target: undefined, fromConfig: 'acme.json', args: [], flags: {} },
    ] satisfies readonly RunRequest[]) {
      const error = await caught(() => runWorkload(request, context, options({ trust: true }), signal));
      expect(error).to.have.property('code', 'ERR_MOUNT_MISSING');
      expect(error.message).to.include(`${folder}/gone cannot be mounted at /data`);
    }
    expect(await workloadFiles(context)).to.deep.equal([]);
  });

  it('reports the package from which it builds the image of a file', async () => {
    const folder = await folders.make();
    const context = testWorkloadContext(folder, { inspectImage: () => Promise.resolve(undefined) });
    const file = { schema_version: 'v0.1.0', name: 'notes', run_target: 'npx://@acme/notes@1.0.0' };
    await writeFile(path.join(folder, 'notes.json'), JSON.stringify(file));
    const told: string[] = [];
    const observer = { ...options().observer, step: (_: string, text: string) => void told.push(text) };
    const request: RunRequest = { target: undefined, fromConfig: 'notes.json', args: [], flags: {} };
    const run = runWorkload(request, context, options({ observer }), signal);
    expect(await run.catch(String)).to.include('no schemes here');
    expect(told).to.include('Providing an image of npx://@acme/notes@1.0.0');
  });

  it('rejects flags together with a file', async () => {
    const context = testWorkloadContext(await folders.make());
    const request: RunRequest = { target: undefined, fromConfig: 'a.json', args: [], flags: { name: 'b' } };
    const error = await caught(() => runWorkload(request, context, options(), signal));
    expect(error).to.have.property('code', 'ERR_SETTINGS_CONFLICT');
  });
});
