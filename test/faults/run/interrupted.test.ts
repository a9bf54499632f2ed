import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { startTestRegistry } from '../../../plugins/runtime-docker/test/support/test-registry.ts';
import { skipSuite } from '../../support/skip-suite.ts';
import type { Finished } from '../../support/command-line.ts';
import { expectFailed, useFaultStage } from './support/fault-stage.ts';
import { program, SILENT } from './support/faulty-servers.ts';

describe('Ctrl-C before a workload is ready', function () {
  this.timeout(60_000);
  const stage = useFaultStage();

  /** Sees that it ended as interrupted, and that nothing is left of it. */
  async function expectUndone({ status, stdout, stderr }: Finished): Promise<void> {
    expect({ status, stdout }, stderr).to.deep.equal({ status: 130, stdout: '' });
    expect(stderr).to.match(/interrupted\n$/);
    expect(await stage.user.list()).to.deep.equal([]);
    await stage.user.expectNoTraces();
  }

  it('undoes everything while the image is pulled', async () => {
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

  it('undoes everything while an image is built', async () => {
    const asked = Promise.withResolvers<string>();
    const proxy = createServer().on('connect', (request) => asked.resolve(request.url ?? ''));
    await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve));
    try {
      // It listens over TCP, so it has a port.
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
    it(`undoes everything while a ${transport} server is silent`, async () => {
      const name = stage.name();
      const running = stage.begin(stage.words(name, '--transport', transport, ...program(SILENT)));
      await stage.seen(name, role);
      running.kill('SIGINT');
      await expectUndone(await running.finished);
    });
  }
});

describe('a build', function () {
  this.timeout(120_000);
  const stage = useFaultStage();
  const go = `portolan-test/go`;
  before(async function () {
    if ((await stage.user.runtime.inspectImage(go)) === undefined) {
      skipSuite(this, `no image ${go}; scripts/container-env.sh up go makes it`);
    }
  });

  /** Everything that was built of the folder. */
  async function built(): Promise<readonly string[]> {
    const images = await stage.user.runtime.listImages({
      'portolan.dev/package-name': path.join(stage.user.root, stage.run),
    });
    return images.flatMap(({ id, references }) => (references.length === 0 ? [id] : references));
  }

  it('leaves no image when it fails, and only its tag when it is finished', async () => {
    const folder = path.join(stage.user.root, stage.run);
    await mkdir(folder);
    await writeFile(path.join(folder, 'go.mod'), 'module acme.example/notes\n\ngo 1.24\n');
    await writeFile(path.join(folder, 'main.go'), 'package main\n\nfunc main() { no such thing }\n');
    expectFailed(await stage.begin(['build', '--runtime-image', go, `go://./${stage.run}`]).finished, 'main.go:3');
    expect(await built()).to.deep.equal([]);
    await writeFile(path.join(folder, 'main.go'), 'package main\n\nfunc main() {}\n');
    const { status, stdout, stderr } = await stage.begin(['build', '--runtime-image', go, `go://./${stage.run}`]).finished;
    expect(status, stderr).to.equal(0);
    expect(await built()).to.deep.equal([stdout.trim()]);
    expect(stdout).to.match(/^portolanlocal\/go-\S+:[0-9a-f]{16}\n$/);
    await stage.user.runtime.removeImage(stdout.trim());
  });
});
