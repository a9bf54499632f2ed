import { buffer } from 'node:stream/consumers';
import type { ImageProgress } from '@portolan/plugin-api';
import { isPortolanError } from '@portolan/plugin-api';
import { createRecordingLogger } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { engineConnection } from '../src/engine/engine-connection.ts';
import { createEngineClient } from '../src/engine/engine-client.ts';
import { parseEngineAddress } from '../src/engine/engine-address.ts';
import { importChanges } from '../src/image/import-image.ts';
import { openDockerRuntime } from '../src/open-docker-runtime.ts';
import { buildContext } from './support/build-context.ts';
import { codeOf } from './support/code-of.ts';
import { NODE_IMAGE, TEST_CONFIG, testContext, useEngine } from './support/test-engine.ts';
import type { TestEngine } from './support/test-engine.ts';
import { startTestRegistry } from './support/test-registry.ts';

/** All images and containers of the engine that carry the label of this run, the ones between layers included. */
async function everythingOf(engine: TestEngine): Promise<readonly string[]> {
  const { address, addressFrom } = await engine.runtime.describe();
  const connection = engineConnection(parseEngineAddress(address, 'a test', undefined));
  const client = await createEngineClient({ connection, address, from: addressFrom, podman: false });
  const filters = JSON.stringify({ label: [`portolan.dev/test-run=${engine.run}`] });
  const images = await client.docker.listImages({ all: true, filters });
  const containers = await client.docker.listContainers({ all: true, filters });
  return [...images, ...containers].map(({ Id }) => Id);
}

describe('importImage', function () {
  this.timeout(180_000);
  const engine = useEngine();

  it('creates a single-layer image with its settings', async () => {
    const reference = `portolan-test/import:${engine.run}`;
    const image = await engine.runtime.importImage(buildContext('x', { 'hello.txt': 'hello' }), {
      reference,
      entrypoint: ['/relay', 'a "b"'],
      environment: { GREETING: 'a "b" $HOME \\ c' },
      user: '7:8',
      workingDirectory: '/work',
      labels: engine.labels,
    });
    expect(image).to.deep.include({
      references: [reference],
      entrypoint: ['/relay', 'a "b"'],
      environment: { GREETING: 'a "b" $HOME \\ c' },
      user: '7:8',
      workingDirectory: '/work',
      os: 'linux',
    });
    expect(image.labels).to.include(engine.labels);
    expect((await engine.runtime.listImages(engine.labels)).map(({ id }) => id)).to.deep.equal([image.id]);
    await engine.runtime.removeImage(reference);
    await engine.runtime.removeImage(reference);
    expect(await engine.runtime.inspectImage(reference)).to.equal(undefined);
  });

  it('refuses an invalid archive', async () => {
    async function* noArchive(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('this is no archive'.repeat(100));
    }
    const options = { reference: `portolan-test/bad:${engine.run}`, labels: engine.labels };
    expect(await codeOf(engine.runtime.importImage(noArchive(), options))).to.equal('ERR_IMAGE_BUILD');
  });

  it('refuses a setting with a line break, which would add another setting', () => {
    expect(() =>
      importChanges({ reference: 'a', podman: false, environment: { A: 'x\nUSER root' } }),
    ).to.throw('line break');
  });
});

describe('buildImage', function () {
  this.timeout(120_000);
  const engine = useEngine();
  const stages = (buildId: string, last: string): string => `
FROM ${NODE_IMAGE} AS build
LABEL portolan.dev/build=${buildId} portolan.dev/test-run=${engine.run}
ARG GREETING=none
RUN echo "$GREETING" > /tmp/greeting
RUN cp /tmp/greeting /greeting
FROM ${NODE_IMAGE}
LABEL portolan.dev/build=${buildId} portolan.dev/test-run=${engine.run}
COPY --from=build /greeting /greeting
${last}
`;

  it('leaves only the finished image with its tag', async () => {
    const reference = `portolan-test/build:${engine.run}`;
    const progress: ImageProgress[] = [];
    const image = await engine.runtime.buildImage(
      buildContext(stages('finished', 'CMD ["cat", "/greeting"]')),
      {
        reference,
        dockerfile: 'Dockerfile',
        buildId: 'finished',
        buildArguments: { GREETING: 'hello' },
        labels: engine.labels,
        onProgress: (step) => progress.push(step),
      },
    );
    expect(image.references).to.deep.equal([reference]);
    expect(image.labels).to.include(engine.labels);
    expect(progress.some((step) => step.step === 'output' && step.text.startsWith('Step 1/'))).to.equal(true);
    const { output } = await engine.runToEnd({ ...engine.spec(''), image: reference, command: [] });
    expect(output).to.equal('hello');
    expect((await engine.runtime.listImages(engine.labels)).map(({ id }) => id)).to.deep.equal([image.id]);
    await engine.runtime.removeImage(reference);
    expect(await everythingOf(engine)).to.deep.equal([]);
  });

  it('removes everything when a step fails, and reports its last output', async () => {
    const reference = `portolan-test/failing:${engine.run}`;
    const context = buildContext(stages('failing', 'RUN echo about to fail && exit 9'));
    const options = { reference, dockerfile: 'Dockerfile', buildId: 'failing', labels: engine.labels };
    try {
      await engine.runtime.buildImage(context, options);
      expect.fail('was built');
    } catch (error) {
      if (!isPortolanError(error)) throw error;
      expect(error.code).to.equal('ERR_IMAGE_BUILD');
      expect(error.message).to.include('non-zero code: 9').and.to.include('about to fail');
    }
    expect(await engine.runtime.inspectImage(reference)).to.equal(undefined);
    expect(await everythingOf(engine)).to.deep.equal([]);
  });

  it('removes everything when a step is aborted', async () => {
    const reason = new Error('enough');
    const controller = new AbortController();
    const build = engine.runtime.buildImage(buildContext(stages('aborted', 'RUN echo begun && sleep 60')), {
      reference: `portolan-test/aborted:${engine.run}`,
      dockerfile: 'Dockerfile',
      buildId: 'aborted',
      labels: engine.labels,
      signal: controller.signal,
      onProgress: (step) => {
        if (step.step === 'output' && step.text.startsWith('begun')) controller.abort(reason);
      },
    });
    expect(await build.catch((error: unknown) => error)).to.equal(reason);
    expect(await everythingOf(engine)).to.deep.equal([]);
  });

  it('leaves foreign images and containers alone when a step prints their ids', async () => {
    const foreign = await engine.runtime.buildImage(
      buildContext(`FROM ${NODE_IMAGE}\nLABEL portolan.dev/test-run=${engine.run}\n`),
      { reference: `portolan-test/foreign:${engine.run}`, dockerfile: 'Dockerfile', labels: engine.labels },
    );
    await engine.withContainer(engine.spec('setInterval(() => {}, 1000)'), async (container) => {
      await engine.runtime.startContainer(container);
      const short = (id: string): string => id.replace('sha256:', '').slice(0, 12);
      const lines = `RUN echo ' ---> Running in ${short(container)}' && echo ' ---> ${short(foreign.id)}' && exit 9`;
      const options = {
        reference: `portolan-test/forged:${engine.run}`,
        dockerfile: 'Dockerfile',
        buildId: 'forged',
      };
      const built = engine.runtime.buildImage(buildContext(stages('forged', lines)), options);
      expect(await codeOf(built)).to.equal('ERR_IMAGE_BUILD');
      expect((await engine.runtime.inspectContainer(container))?.state.running).to.equal(true);
      expect((await engine.runtime.inspectImage(foreign.id))?.id).to.equal(foreign.id);
    });
    await engine.runtime.removeImage(foreign.id);
    expect(await everythingOf(engine)).to.deep.equal([]);
  });

  it('limits memory and processes of each step', async () => {
    const reads = 'cat /sys/fs/cgroup/$0.max /sys/fs/cgroup/*/$0.max 2>/dev/null | head -1';
    // The limit is set as the step starts, and may come a moment after its first instruction.
    const untilLimited = `until [ "$(sh -c '${reads}' pids)" = 77 ]; do sleep 0.05; done; echo has limit`;
    const allocates = `node -e "Buffer.alloc(1e9, 1)" || echo no memory`;
    const lines: string[] = [];
    const reference = `portolan-test/limited:${engine.run}`;
    await engine.runtime.buildImage(
      buildContext(stages('limited', `RUN ${untilLimited}\nRUN ${allocates}`)),
      {
        reference,
        dockerfile: 'Dockerfile',
        buildId: 'limited',
        maxProcesses: 77,
        memoryBytes: 128 * 1024 ** 2,
        onProgress: (one) => void (one.step === 'output' && lines.push(...one.text.trim().split('\n'))),
      },
    );
    expect(lines).to.include('has limit').and.to.include('no memory');
    await engine.runtime.removeImage(reference);
    expect(await everythingOf(engine)).to.deep.equal([]);
  });

  for (const { title, next } of [
    { title: 'while it grows', next: ' && sleep 60' },
    { title: 'when it is finished', next: '' },
  ]) {
    it(`removes an image that is too large ${title}`, async () => {
      const base = await engine.runtime.inspectImage(NODE_IMAGE);
      const reference = `portolan-test/large:${engine.run}`;
      const writes = `RUN dd if=/dev/urandom of=/large bs=1M count=40${next}`;
      const built = engine.runtime.buildImage(buildContext(stages('large', writes)), {
        reference,
        dockerfile: 'Dockerfile',
        buildId: 'large',
        maxImageBytes: (base?.sizeBytes ?? 0) + 20 * 1024 ** 2,
      });
      expect(await codeOf(built)).to.equal('ERR_IMAGE_BUILD');
      expect(await engine.runtime.inspectImage(reference)).to.equal(undefined);
      expect(await everythingOf(engine)).to.deep.equal([]);
    });
  }

  it('stops a step that fills the disk with a deleted file', async () => {
    const base = await engine.runtime.inspectImage(NODE_IMAGE);
    const mebibytes = Math.ceil((base?.sizeBytes ?? 0) / 1024 ** 2) + 20;
    const writes = `dd if=/dev/zero bs=1M count=${3 * mebibytes} >&3 && sleep 600`;
    const step = `RUN exec 3>/hidden && rm /hidden && ${writes}`;
    const built = engine.runtime.buildImage(buildContext(stages('hidden', step)), {
      reference: `portolan-test/hidden:${engine.run}`,
      dockerfile: 'Dockerfile',
      buildId: 'hidden',
      maxImageBytes: mebibytes * 1024 ** 2,
    });
    const error = await built.catch((caught: unknown) => caught);
    expect(error).to.include({ code: 'ERR_IMAGE_BUILD' });
    expect(error).to.have.property('message').that.includes('of free space while the image');
    expect(await everythingOf(engine)).to.deep.equal([]);
  });

  it('passes on errors of the build context', async () => {
    const fault = new Error('the folder is gone');
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.alloc(512);
      throw fault;
    }
    const options = {
      reference: `portolan-test/broken:${engine.run}`,
      dockerfile: 'Dockerfile',
      labels: engine.labels,
    };
    expect(await engine.runtime.buildImage(broken(), options).catch((error: unknown) => error)).to.equal(
      fault,
    );
  });

  it('uses the network of a container', async () => {
    const reference = `portolan-test/network:${engine.run}`;
    const gateway = engine.spec('setInterval(() => {}, 1000)', {
      network: { mode: 'none', dns: ['127.0.0.1'] },
    });
    await engine.withContainer(gateway, async (id) => {
      await engine.runtime.startContainer(id);
      const lines: string[] = [];
      const step = `FROM ${NODE_IMAGE}\nRUN node -e "console.log('sees', Object.keys(require('node:os').networkInterfaces()).join())"\n`;
      await engine.runtime.buildImage(buildContext(step), {
        reference,
        dockerfile: 'Dockerfile',
        labels: engine.labels,
        networkOf: id,
        onProgress: (one) => void (one.step === 'output' && lines.push(one.text.trim())),
      });
      expect(lines).to.include('sees lo');
      await engine.runtime.removeImage(reference);
    });
  });
});

describe('provideImage', function () {
  this.timeout(180_000);
  const engine = useEngine();

  it('returns a local image without a pull', async () => {
    for (const pull of ['missing', 'never'] as const) {
      const image = await engine.runtime.provideImage(NODE_IMAGE, { pull });
      expect(image.references).to.include(`${NODE_IMAGE}:latest`);
    }
    expect(await codeOf(engine.runtime.provideImage('portolan-test/none', { pull: 'never' }))).to.equal(
      'ERR_IMAGE_NOT_FOUND',
    );
  });

  it('uses the local copy of a moving tag when the registry is unreachable, and warns', async () => {
    const reference = `127.0.0.1:9/portolan-test/local-${engine.run}`;
    await engine.runtime.importImage(buildContext('x'), { reference, labels: engine.labels });
    const image = await engine.runtime.provideImage(reference, { pull: 'tag' });
    expect(image.references).to.deep.equal([`${reference}:latest`]);
    expect(JSON.stringify(engine.logger.lines)).to.include('cannot be pulled; the local copy is used');
    await engine.runtime.removeImage(reference);
  });

  it("pulls with the user's credentials, and reports progress and digest", async () => {
    const layer = await buffer(buildContext('x', { hello: engine.run }));
    const registry = await startTestRegistry({ layer, labels: engine.labels, password: 'ann:secret' });
    const reference = `${registry.host}/acme/notes:1`;
    try {
      const refused = await codeOf(engine.runtime.provideImage(reference, { pull: 'tag' }));
      expect(refused).to.equal('ERR_IMAGE_NOT_FOUND');
      const environment = { ...process.env, REGISTRY_USERNAME: 'ann', REGISTRY_PASSWORD: 'secret' };
      const runtime = await openDockerRuntime({
        config: TEST_CONFIG,
        logger: createRecordingLogger(),
        context: { ...testContext(), environment },
      });
      const progress: ImageProgress[] = [];
      const image = await runtime.provideImage(reference, {
        pull: 'tag',
        onProgress: (step) => progress.push(step),
      });
      expect(image.digests).to.deep.equal([`${registry.host}/acme/notes@${registry.digest}`]);
      expect(new Set(registry.credentials)).to.deep.equal(new Set(['ann:secret']));
      expect(progress.some((step) => step.step === 'layer' && step.status === 'Pull complete')).to.equal(
        true,
      );
      await runtime.removeImage(reference);
      const pinned = `${registry.host}/acme/notes@${registry.digest}`;
      expect((await runtime.provideImage(pinned, { pull: 'tag' })).digests).to.deep.equal([pinned]);
      await runtime.removeImage(pinned);
      expect(await codeOf(runtime.provideImage(`${registry.host}/acme/none:1`, { pull: 'tag' }))).to.equal(
        'ERR_IMAGE_NOT_FOUND',
      );
    } finally {
      await registry.close();
    }
  });

  it('aborts a pull with the reason of its signal', async () => {
    const layer = await buffer(buildContext('x', { hello: 'x'.repeat(10_000) }));
    const registry = await startTestRegistry({ layer, labels: engine.labels, stalls: true });
    const reason = new Error('enough');
    const controller = new AbortController();
    try {
      const onProgress = (): void => controller.abort(reason);
      const pull = engine.runtime.provideImage(`${registry.host}/acme/notes:1`, {
        pull: 'missing',
        onProgress,
        signal: controller.signal,
      });
      expect(await pull.catch((error: unknown) => error)).to.equal(reason);
    } finally {
      await registry.close();
    }
  });
});
