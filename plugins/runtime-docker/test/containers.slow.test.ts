import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { eventually, leavesNothingOpen } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { buildContext } from './support/build-context.ts';
import { inTemporaryFolder } from './support/temporary-folder.ts';
import { codeOf } from './support/code-of.ts';
import { NODE_IMAGE, useEngine } from './support/test-engine.ts';

describe('createContainer', function () {
  this.timeout(180_000);
  const engine = useEngine();

  it('creates a container without extra permissions', async () => {
    const script = `
      const fs = require('node:fs');
      const status = Object.fromEntries(fs.readFileSync('/proc/self/status', 'utf8').split('\\n').map((line) => line.split(':\\t')));
      const attempt = (path) => { try { fs.writeFileSync(path, 'x'); return 'written'; } catch (error) { return error.code; } };
      console.log(JSON.stringify({
        capabilities: [status.CapEff, status.CapBnd, status.CapPrm],
        newPrivileges: status.NoNewPrivs, seccomp: status.Seccomp,
        user: [process.getuid(), process.getgid()], first: fs.readFileSync('/proc/1/comm', 'utf8').trim(),
        root: attempt('/home/app/x'), tmp: attempt('/tmp/x'),
        files: process.report.getReport().userLimits.open_files,
      }));`;
    const { code, output } = await engine.runToEnd(engine.spec(script, { user: '65532:65532' }));
    expect(code).to.equal(0);
    const none = '0000000000000000';
    const first = JSON.parse(output).first;
    expect(first).to.match(/init|tini|catatonit/);
    expect(JSON.parse(output)).to.deep.equal({
      capabilities: [none, none, none],
      newPrivileges: '1',
      seccomp: '2',
      user: [65_532, 65_532],
      first,
      root: 'EROFS',
      tmp: 'written',
      files: { soft: 1024, hard: 1024 },
    });
  });

  it('grants what the spec requests', async () => {
    const script = `
      const fs = require('node:fs');
      fs.writeFileSync('/x', 'x');
      console.log(fs.readFileSync('/proc/self/status', 'utf8').match(/CapBnd:\\t(\\w+)/)[1], process.cwd(), process.env.GREETING);`;
    const { output } = await engine.runToEnd(
      engine.spec(script, {
        writableRoot: true,
        capabilities: ['NET_BIND_SERVICE'],
        workingDirectory: '/home',
        environment: { GREETING: 'a=b c' },
      }),
    );
    expect(output).to.equal('0000000000000400 /home a=b c');
  });

  it('limits the number of processes', async () => {
    const script = `
      const { spawn } = require('node:child_process');
      let refused = 0, started = 0;
      const children = Array.from({ length: 40 }, () => spawn('/bin/sleep', ['30']));
      for (const child of children) child.on('error', () => { refused += 1; done(); }).on('spawn', () => { started += 1; done(); });
      function done() { if (refused + started === 40) { console.log(refused > 0 && started > 0); process.exit(0); } }`;
    const { output } = await engine.runToEnd(engine.spec(script, { limits: { processes: 30 } }));
    expect(output).to.equal('true');
  });

  it('can remove and replace the entry point of an image', async () => {
    const reference = `portolan-test/entry:${engine.run}`;
    const root = engine.runtime;
    const context = buildContext(`FROM ${NODE_IMAGE}\nENTRYPOINT ["/bin/echo", "entry"]\nCMD ["given"]\n`);
    await root.buildImage(context, { reference, dockerfile: 'Dockerfile', labels: engine.labels });
    try {
      const base = { ...engine.spec(''), image: reference };
      const kept = await engine.runToEnd({ ...base, name: engine.name(), command: [] });
      const changed = await engine.runToEnd({ ...base, name: engine.name(), command: ['mine'] });
      const none = await engine.runToEnd({
        ...base,
        name: engine.name(),
        command: ['/bin/echo', 'bare'],
        entrypoint: [],
      });
      const other = await engine.runToEnd({
        ...base,
        name: engine.name(),
        command: ['b'],
        entrypoint: ['/bin/echo', 'a'],
      });
      expect([kept, changed, none, other].map(({ output }) => output)).to.deep.equal([
        'entry given',
        'entry mine',
        'bare',
        'a b',
      ]);
    } finally {
      await root.removeImage(reference);
    }
  });

  it('clears labels with our prefix that an image has', async () => {
    const reference = `portolan-test/posing:${engine.run}`;
    const context = buildContext(`FROM ${NODE_IMAGE}\nLABEL portolan.dev/workload=true acme=yes\n`);
    await engine.runtime.buildImage(context, { reference, dockerfile: 'Dockerfile', labels: engine.labels });
    try {
      await engine.withContainer(engine.spec('', { image: reference }), async (id) => {
        const labels = (await engine.runtime.inspectContainer(id))?.labels;
        expect(labels).to.include({ 'portolan.dev/workload': '', acme: 'yes', ...engine.labels });
        const posing = await engine.runtime.listContainers({
          'portolan.dev/workload': 'true',
          ...engine.labels,
        });
        expect(posing).to.deep.equal([]);
      });
    } finally {
      await engine.runtime.removeImage(reference);
    }
  });

  it('refuses a name in use, a missing image, and a missing mount source', async () => {
    const spec = engine.spec('');
    await engine.withContainer(spec, async () => {
      expect(await codeOf(engine.runtime.createContainer(spec))).to.equal('ERR_CONTAINER_NAME_TAKEN');
    });
    const missing = engine.spec('', { image: 'portolan-test/none:never' });
    expect(await codeOf(engine.runtime.createContainer(missing))).to.equal('ERR_IMAGE_NOT_FOUND');
    const mounts = [{ type: 'bind', source: '/nowhere/at/all', target: '/x', readOnly: true }] as const;
    expect(await codeOf(engine.runtime.createContainer(engine.spec('', { mounts })))).to.equal(
      'ERR_MOUNT_SOURCE',
    );
  });

  it('leaves no container when its signal aborts', async () => {
    const reason = new Error('enough');
    const spec = engine.spec('');
    const controller = new AbortController();
    await engine.runtime.describe();
    const creation = engine.runtime.createContainer(spec, controller.signal);
    controller.abort(reason);
    expect(await creation.catch((error: unknown) => error)).to.equal(reason);
    expect(await engine.runtime.inspectContainer(spec.name)).to.equal(undefined);
  });
});

describe('startContainer', function () {
  this.timeout(180_000);
  const engine = useEngine();

  it('reports a missing network', async () => {
    const network = { mode: 'named', name: 'portolan-test-no-such-network' } as const;
    // Podman says so when the container is made.
    const started = engine.withContainer(engine.spec('', { network }), (id) =>
      engine.runtime.startContainer(id),
    );
    const error: unknown = await started.catch((thrown: unknown) => thrown);
    expect(error).to.include({ code: 'ERR_NETWORK_NOT_FOUND' });
    expect(String(error)).to.include('portolan-test-no-such-network');
  });

  it('reports an unusable command', async () => {
    await engine.withContainer(
      engine.spec('', { command: ['/no/such/program'], init: false }),
      async (id) => {
        expect(await codeOf(engine.runtime.startContainer(id))).to.equal('ERR_CONTAINER_START');
        expect((await engine.runtime.inspectContainer(id))?.state).to.include({
          status: 'created',
          running: false,
        });
      },
    );
  });

  it('reports a host port in use', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    try {
      // A server without a path or handle has an address of this form.
      const { port } = server.address() as AddressInfo;
      const ports = [{ containerPort: 80, hostPort: port, hostAddress: '127.0.0.1' }];
      await engine.withContainer(engine.spec('', { ports }), async (id) => {
        expect(await codeOf(engine.runtime.startContainer(id))).to.equal('ERR_PORT_TAKEN');
      });
    } finally {
      await new Promise((resolve) => void server.close(resolve));
    }
  });

  it('publishes a container port on a free host port, and returns the host port', async () => {
    const script = "require('node:net').createServer((socket) => socket.end('hello')).listen(8080)";
    const ports = [{ containerPort: 8080, hostAddress: '127.0.0.1' }];
    await engine.withContainer(engine.spec(script, { ports }), async (id) => {
      await engine.runtime.startContainer(id);
      const published = (await engine.runtime.inspectContainer(id))?.ports;
      expect(published).to.have.lengthOf(1);
      expect(published?.[0]).to.include({ containerPort: 8080, protocol: 'tcp', hostAddress: '127.0.0.1' });
      expect(published?.[0]?.hostPort).to.be.greaterThan(0);
    });
  });

  it('ignores a running container, and rejects for a missing one', async () => {
    await engine.withContainer(engine.spec('setInterval(() => {}, 1000)'), async (id) => {
      await engine.runtime.startContainer(id);
      await engine.runtime.startContainer(id);
    });
    expect(await codeOf(engine.runtime.startContainer(engine.name()))).to.equal('ERR_CONTAINER_NOT_FOUND');
  });
});

describe('stopContainer', function () {
  this.timeout(180_000);
  const engine = useEngine();
  const stubborn = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('ready')";

  async function stopped(script: string, graceMs?: number): Promise<number | undefined> {
    return await engine.withContainer(engine.spec(script, { stdin: 'once' }), async (id) => {
      const attachment = await engine.runtime.attachContainer(id);
      await engine.runtime.startContainer(id);
      for await (const chunk of attachment.stdout) if (Buffer.from(chunk).includes('ready')) break;
      await engine.runtime.stopContainer(id, graceMs === undefined ? {} : { graceMs });
      attachment.close();
      return (await engine.runtime.waitForExit(id))?.exitCode;
    });
  }

  it('sends SIGTERM first', async () => {
    expect(await stopped("setInterval(() => {}, 1000); console.log('ready')")).to.equal(143);
  });

  it('kills the container after the grace period', async () => {
    expect(await stopped(stubborn, 1000)).to.equal(137);
  });

  it('ignores a stopped container, and rejects for a missing one', async () => {
    await engine.withContainer(engine.spec(''), async (id) => {
      await engine.runtime.stopContainer(id);
    });
    expect(await codeOf(engine.runtime.stopContainer(engine.name()))).to.equal('ERR_CONTAINER_NOT_FOUND');
  });
});

describe('removeContainer', function () {
  this.timeout(180_000);
  const engine = useEngine();

  it('removes a running container, and ignores a missing one', async () => {
    const id = await engine.runtime.createContainer(engine.spec('setInterval(() => {}, 1000)'));
    await engine.runtime.startContainer(id);
    await Promise.all([engine.runtime.removeContainer(id), engine.runtime.removeContainer(id)]);
    await eventually(async () => expect(await engine.runtime.inspectContainer(id)).to.equal(undefined));
    await engine.runtime.removeContainer(id);
  });
});

describe('waitForExit', function () {
  this.timeout(180_000);
  const engine = useEngine();

  it('returns the exit code', async () => {
    const { code } = await engine.runToEnd(engine.spec('process.exit(3)'));
    expect(code).to.equal(3);
  });

  it('reports that memory ran out', async () => {
    const script = 'const all = []; for (;;) all.push(Buffer.alloc(1 << 20, 1));';
    const limits = { memoryBytes: 64 * 1024 * 1024 };
    await engine.withContainer(engine.spec(script, { limits }), async (id) => {
      await engine.runtime.startContainer(id);
      expect(await engine.runtime.waitForExit(id)).to.include({ exitCode: 137, outOfMemory: true });
    });
  });

  it('returns at once for a container that never ran, and for a missing one', async () => {
    await engine.withContainer(engine.spec(''), async (id) => {
      expect(await engine.runtime.waitForExit(id)).to.include({ status: 'created', exitCode: undefined });
    });
    expect(await engine.runtime.waitForExit(engine.name())).to.equal(undefined);
  });

  it('resolves when the container is removed', async () => {
    const id = await engine.runtime.createContainer(engine.spec('setInterval(() => {}, 1000)'));
    await engine.runtime.startContainer(id);
    const exit = engine.runtime.waitForExit(id);
    await engine.runtime.removeContainer(id);
    expect((await exit)?.running ?? false).to.equal(false);
  });

  it('rejects with the reason of its signal, and leaves nothing open', async () => {
    const reason = new Error('enough');
    await engine.withContainer(engine.spec('setInterval(() => {}, 1000)'), async (id) => {
      await engine.runtime.startContainer(id);
      await leavesNothingOpen(async () => {
        const controller = new AbortController();
        const exit = engine.runtime.waitForExit(id, controller.signal);
        setImmediate(() => controller.abort(reason));
        expect(await exit.catch((error: unknown) => error)).to.equal(reason);
      });
    });
  });
});

describe('listContainers', function () {
  this.timeout(180_000);
  const engine = useEngine();

  it('lists containers with all of the labels, running or not', async () => {
    const labels = { ...engine.labels, colour: 'blue' };
    await engine.withContainer(engine.spec('', { labels }), async (id) => {
      await engine.withContainer(engine.spec(''), async () => {
        const found = await engine.runtime.listContainers(labels);
        expect(found.map((container) => container.id)).to.deep.equal([id]);
        expect(await engine.runtime.listContainers({ ...labels, colour: 'red' })).to.deep.equal([]);
      });
    });
  });
});

describe('mounts', function () {
  this.timeout(180_000);
  const engine = useEngine();

  it('hide contents with an empty tmpfs, also inside a bind mount', async () => {
    await inTemporaryFolder(async (folder) => {
      await mkdir(`${folder}/secret`);
      await writeFile(`${folder}/secret/key`, 'hidden');
      await writeFile(`${folder}/open`, 'shown');
      const script = `
        const fs = require('node:fs');
        console.log(fs.readFileSync('/data/open', 'utf8'), fs.readdirSync('/data/secret').length);
        try { fs.writeFileSync('/data/open', 'x'); } catch (error) { console.log(error.code); }`;
      const mounts = [
        { type: 'bind', source: folder, target: '/data', readOnly: true },
        { type: 'tmpfs', target: '/data/secret' },
      ] as const;
      const { output } = await engine.runToEnd(engine.spec(script, { mounts }));
      expect(output).to.equal('shown 0\nEROFS');
    });
  });
});
