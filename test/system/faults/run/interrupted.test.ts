import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { startTestRegistry } from '../../../../plugins/runtime-docker/test/support/test-registry.ts';
import { skipSuite } from '../../../support/skip-suite.ts';
import type { Finished } from '../../../support/command-line.ts';
import { expectFailed, useFaultStage } from './support/fault-stage.ts';
import { program, SILENT } from './support/faulty-servers.ts';

describe('portolan run, interrupted by Ctrl-C', function () {
  this.timeout(180_000);
  const stage = useFaultStage();

  /** Expects that the command ended as interrupted, and that nothing is left of it. */
  async function expectUndone({ status, stdout, stderr }: Finished): Promise<void> {
    expect({ status, stdout }, stderr).to.deep.equal({ status: 130, stdout: '' });
    expect(stderr).to.match(/interrupted\n$/);
    expect(await stage.user.list()).to.deep.equal([]);
    await stage.user.expectNoTraces();
  }

  it('undoes everything during the pull of the image', async () => {
    const layer = Buffer.alloc(4096);
    const registry = await startTestRegistry({ layer, labels: stage.labels, stalls: true });
    try {
      const image = `${registry.host}/acme/notes:1`;
      const running = stage.begin(['run', image, '--name', stage.name()]);
      await registry.stalling;
      running.kill('SIGINT');
      await expectUndone(await running.finished);
      expect(await stage.user.runtime.inspectImage(image)).to.equal(undefined);
    } finally {
      await registry.close();
    }
  });

  it('undoes everything during the build of the image', async () => {
    const asked = Promise.withResolvers<string>();
    const proxy = createServer().on('connect', (request) => asked.resolve(request.url ?? ''));
    await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve));
    try {
      // SAFETY: a TCP server has a port.
      const { port } = proxy.address() as AddressInfo;
      const words = ['run', 'npx://acme-notes@1.0.0', '--name', stage.name(), '--runtime-image', stage.image];
      const running = stage.begin(words, {
        HTTPS_PROXY: `http://127.0.0.1:${port}`,
        npm_config_registry: 'https://npm.acme.example/',
      });
      const failed = running.finished.then(({ stderr }) => Promise.reject(new Error(stderr)));
      expect(await Promise.race([asked.promise, failed])).to.equal('npm.acme.example:443');
      failed.catch(() => undefined);
      running.kill('SIGINT');
      await expectUndone(await running.finished);
      expect(await stage.images()).to.deep.equal([stage.image]);
    } finally {
      proxy.closeAllConnections();
      proxy.close();
    }
  });

  for (const { transport, role } of [
    { transport: 'stdio', role: 'session' },
    { transport: 'streamable-http', role: 'server' },
  ]) {
    it(`undoes everything while a ${transport} server does not respond`, async () => {
      const name = stage.name();
      const running = stage.begin(stage.words(name, '--transport', transport, ...program(SILENT)));
      await stage.seen(name, role);
      running.kill('SIGINT');
      await expectUndone(await running.finished);
    });
  }
});

describe('portolan build', function () {
  this.timeout(120_000);
  const stage = useFaultStage();
  const FROM = 'portolan-test/go';
  let base: string;

  before(async function () {
    if ((await stage.user.runtime.inspectImage(FROM)) === undefined) {
      skipSuite(this, `no image ${FROM}; scripts/container-env.sh up go makes it`);
    }
    base = await stage.makeBase('go', FROM);
    await stage.user.done('config', 'set', 'runtime_configs.go.builder_image', base);
  });

  it('removes the image of a failed build, and keeps only the tag of a finished one', async () => {
    const name = `notes-${stage.run}`;
    const folder = path.join(stage.user.root, name);
    await mkdir(folder);
    await writeFile(path.join(folder, 'go.mod'), 'module acme.example/notes\n\ngo 1.24\n');
    const before = await stage.images();
    const build = async (body: string): Promise<Finished> => {
      await writeFile(path.join(folder, 'main.go'), `package main\n\nfunc main() { ${body} }\n`);
      return await stage.begin(['build', `go://./${name}`]).finished;
    };
    expectFailed(await build('no such thing'), 'main.go:3');
    expect(await stage.images()).to.deep.equal(before);
    expect(await built(name)).to.deep.equal([]);
    const { status, stdout, stderr } = await build('println("here")');
    expect(status, stderr).to.equal(0);
    expect(stdout).to.match(/^portolanlocal\/go-\S+:[0-9a-f]{16}\n$/);
    expect(await built(name)).to.deep.equal([stdout.trim()]);
    expect(await stage.images()).to.deep.equal(before);
    await stage.user.runtime.removeImage(stdout.trim());
    await rm(folder, { recursive: true });
    await stage.user.expectNoTraces();
  });

  /** Returns the images that were built from a folder with this name. */
  async function built(name: string): Promise<readonly string[]> {
    const images = await stage.user.runtime.listImages({ 'portolan.dev/image': 'package' });
    return images
      .filter(({ labels }) => labels['portolan.dev/package-name']?.includes(name))
      .flatMap(({ id, references }) => (references.length === 0 ? [id] : references));
  }
});
