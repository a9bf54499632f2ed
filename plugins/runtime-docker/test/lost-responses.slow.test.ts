import path from 'node:path';
import type { ContainerEngine } from '@portolan/plugin-api';
import { expect } from 'chai';
import { openDockerRuntime } from '../src/open-docker-runtime.ts';
import { codeOf } from './support/code-of.ts';
import { RecklessEngine } from './support/reckless-engine.ts';
import { inTemporaryFolder } from './support/temporary-folder.ts';
import { TEST_CONFIG, testContext, useEngine } from './support/test-engine.ts';

describe('engine whose responses are lost', function () {
  this.timeout(60_000);
  const engine = useEngine();

  async function withReckless(action: (runtime: ContainerEngine, way: RecklessEngine) => Promise<void>) {
    const { address } = await engine.runtime.describe();
    await inTemporaryFolder(async (folder) => {
      const way = new RecklessEngine(path.join(folder, 'engine.sock'), address.replace('unix://', ''));
      await way.open();
      try {
        const config = { ...TEST_CONFIG, host: `unix://${way.path}` };
        const options = { config, logger: engine.logger, context: testContext() };
        await action(await openDockerRuntime(options), way);
      } finally {
        await way.close();
      }
    });
  }

  const isCreate = (request: string): boolean => request.includes('/containers/create');

  it('creates a container although the engine has one of its name that it never reported', async () => {
    await withReckless(async (runtime, way) => {
      const spec = engine.spec('');
      way.goWild((request) => (isCreate(request) ? 'unanswered' : undefined));
      expect(await codeOf(runtime.createContainer(spec))).to.equal('ERR_RUNTIME_UNREACHABLE');
      const [unheard] = await engine.runtime.listContainers(engine.labels);
      expect(unheard?.name).to.equal(spec.name);
      way.calm();
      const id = await runtime.createContainer(spec);
      expect((await engine.runtime.listContainers(engine.labels)).map((one) => one.id)).to.deep.equal([id]);
      expect(id).not.to.equal(unheard?.id);
      await runtime.removeContainer(id);
    });
  });

  it('removes unreported containers whose names are not used again', async () => {
    await withReckless(async (runtime, way) => {
      way.goWild((request) => (isCreate(request) ? 'unanswered' : undefined));
      expect(await codeOf(runtime.createContainer(engine.spec('')))).to.equal('ERR_RUNTIME_UNREACHABLE');
      way.calm();
      const id = await runtime.createContainer(engine.spec(''));
      expect((await engine.runtime.listContainers(engine.labels)).map((one) => one.id)).to.deep.equal([id]);
      await runtime.removeContainer(id);
    });
  });

  it('keeps a container that was created during the search for an unreported one', async () => {
    await withReckless(async (runtime, way) => {
      const spec = engine.spec('');
      way.goWild((request) => (isCreate(request) ? 'unanswered' : undefined));
      expect(await codeOf(runtime.createContainer(spec))).to.equal('ERR_RUNTIME_UNREACHABLE');
      const looked = Promise.withResolvers<void>();
      way.goWild((request) => {
        if (!request.includes(`/containers/${spec.name}/json`)) return undefined;
        way.calm();
        looked.resolve();
        return 'late';
      });
      const beside = runtime.createContainer(engine.spec(''));
      await looked.promise;
      const id = await runtime.createContainer(spec);
      const both = [id, await beside];
      const left = await engine.runtime.listContainers(engine.labels);
      expect(left.map((one) => one.id)).to.have.members(both);
      for (const one of both) await runtime.removeContainer(one);
    });
  });

  it('removes a container that appears late, after another request was refused', async () => {
    await withReckless(async (runtime, way) => {
      const spec = engine.spec('');
      way.goWild((request) => (isCreate(request) ? 'refused' : undefined));
      expect(await codeOf(runtime.createContainer(spec))).to.equal('ERR_RUNTIME_UNREACHABLE');
      way.goWild((request) => (isCreate(request) ? 'failed' : undefined));
      expect(await codeOf(runtime.createContainer(spec))).to.equal('ERR_RUNTIME_REFUSED');
      way.calm();
      const unheard = await engine.runtime.createContainer(spec);
      const id = await runtime.createContainer(spec);
      expect(id).not.to.equal(unheard);
      await runtime.removeContainer(id);
    });
  });

  it('keeps a container of that name from another program', async () => {
    await withReckless(async (runtime, way) => {
      const spec = engine.spec('');
      way.goWild((request) => (isCreate(request) ? 'refused' : undefined));
      expect(await codeOf(runtime.createContainer(spec))).to.equal('ERR_RUNTIME_UNREACHABLE');
      way.calm();
      await engine.withContainer({ ...spec, labels: { ...spec.labels, other: 'x' } }, async (theirs) => {
        await engine.runtime.startContainer(theirs);
        expect(await codeOf(runtime.createContainer(spec))).to.equal('ERR_CONTAINER_NAME_TAKEN');
      });
    });
  });

  it('retries when an inspection fails temporarily', async () => {
    await withReckless(async (runtime, way) => {
      const id = await runtime.createContainer(engine.spec('setInterval(() => 0, 1000)'));
      await runtime.startContainer(id);
      let refusals = 3;
      way.goWild((request) => (request.includes('/events') && refusals-- > 0 ? 'failed' : undefined));
      const ended = runtime.waitForExit(id);
      await engine.runtime.stopContainer(id, { graceMs: 0 });
      expect((await ended)?.running).to.equal(false);
      way.goWild(() => 'failed');
      expect(await codeOf(runtime.waitForExit(id))).to.equal('ERR_RUNTIME_REFUSED');
      way.calm();
      await runtime.removeContainer(id);
    });
  });
});
