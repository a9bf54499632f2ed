import { memoryImages } from '../../support/memory-images.ts';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chown, readdir } from 'node:fs/promises';
import { type Agent, request } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import {
  adoptGateway,
  GATEWAY_REPOSITORY,
  type GatewayOptions,
  type OpenGateway,
  openGateway,
  provideGatewayImage,
} from '@portolan/isolation';
import { type ContainerEngine, isPortolanError } from '@portolan/plugin-api';
import { expect } from 'chai';
import { describeOwnNode } from '../../../packages/isolation/src/gateway/own-node.ts';
import { egressPolicyOf } from '../../../packages/workload/src/supervisor/network/egress-policy.ts';
import { killContainer } from '../../../plugins/runtime-docker/test/support/engine-by-hand.ts';
import { skipTest } from '../../support/skip-suite.ts';
import { NODE_IMAGE, TestRuntime } from './support/test-runtime.ts';

const ECHO = `require('node:http').createServer((q, s) => { s.setHeader('X-Word', 'echo'); q.pipe(s); })
  .listen(9000, '127.0.0.1')`;

/** Program that reports when the proxy appears and disappears. */
const WATCH_PROXY = `let word;
  const say = (one) => { if (one !== word) console.log(word = one); setTimeout(look, 50); };
  const look = () => { const socket = require('node:net').connect(3128, '127.0.0.1');
    socket.once('connect', () => { socket.destroy(); say('open'); }).once('error', () => say('shut')); };
  look()`;

describe('openGateway', function () {
  this.timeout(180_000);
  const engine = new TestRuntime();
  before(async function () {
    await engine.open(this);
  });
  after(async () => {
    await engine.close();
  });

  const madeImages = memoryImages();
  const optionsOf = async (change: Partial<GatewayOptions> = {}): Promise<GatewayOptions> => {
    const { runtime, labels, logger } = engine;
    return {
      workload: 'notes',
      containerName: engine.name(),
      labels,
      folder: await engine.folder(),
      egress: egressPolicyOf(
        { network: { outbound: {} } },
        { runtime, engine: engine.engine, allowContainerGateway: false },
      ),
      ingress: [9000],
      runtime,
      engine: engine.engine,
      madeImages,
      onEvent: () => undefined,
      logger,
      ...change,
    };
  };

  /** Runs a server in the network of a gateway until the action ends. */
  const withServer = async (
    gateway: OpenGateway,
    action: (container: string) => Promise<void>,
    script = ECHO,
  ): Promise<void> => {
    const { runtime, labels } = engine;
    const id = await runtime.createContainer({
      name: engine.name(),
      image: NODE_IMAGE,
      command: ['node', '-e', script],
      environment: gateway.environment,
      labels,
      network: gateway.network,
      logs: { maxBytes: 100_000, files: 1 },
    });
    try {
      await runtime.startContainer(id);
      await action(id);
    } finally {
      await runtime.removeContainer(id);
    }
  };

  for (const sharesSockets of [true, false]) {
    describe(sharesSockets ? 'with a shared folder' : 'with an engine on another machine', () => {
      const open = async (change: Partial<GatewayOptions> = {}): Promise<OpenGateway> =>
        await openGateway(await optionsOf({ engine: { ...engine.engine, sharesSockets }, ...change }));

      it('forwards any bytes to a server that listens only on loopback', async () => {
        const gateway = await open();
        const agent = gateway.ingressAgent(9000);
        try {
          await withServer(gateway, async () => {
            const sent = randomBytes(8 * 1024 * 1024);
            await untilAnswers(agent);
            const answers = await Promise.all([1, 2, 3].map(() => exchange(agent, sent)));
            expect(answers.map(hashOf)).to.deep.equal([1, 2, 3].map(() => hashOf(sent)));
          });
        } finally {
          agent.destroy();
          await gateway.close();
        }
      });

      it('publishes a port of the workload on this host', async () => {
        const gateway = await open();
        try {
          await withServer(gateway, async () => {
            const { port } = await gateway.publish('127.0.0.1', 0, 9000);
            const agent = gateway.ingressAgent(9000);
            await untilAnswers(agent);
            agent.destroy();
            const asked = request({ host: '127.0.0.1', port, agent: false }).end();
            const [response] = await once(asked, 'response');
            expect(response.headers['x-word']).to.equal('echo');
            response.resume();
            await once(response, 'close');
          });
        } finally {
          await gateway.close();
        }
      });

      it('separates two workloads that listen on the same port', async () => {
        const [first, second] = await Promise.all([open(), open()]);
        try {
          await withServer(first, async () => {
            const agent = first.ingressAgent(9000);
            await untilAnswers(agent);
            agent.destroy();
            const other = second.ingressAgent(9000);
            expect(await failureOf(exchange(other, Buffer.from('x')))).to.match(/ECONNRESET|EPIPE|hang up/);
            other.destroy();
          });
        } finally {
          await Promise.all([first.close(), second.close()]);
        }
      });

      it('cuts the network of the workload when the gateway is killed', async () => {
        const gateway = await open();
        const agent = gateway.ingressAgent(9000);
        const check = async (server: string): Promise<void> => {
          await untilAnswers(agent);
          const words = engine.runtime.readLogs(server, {
            follow: true,
            signal: AbortSignal.timeout(20_000),
          });
          for await (const { text } of words) {
            if (text === 'shut') break;
            await killContainer(engine.runtime, gateway.containerId);
          }
          agent.destroy();
          expect(await failureOf(exchange(agent, Buffer.from('x')))).to.match(/ECONN|ENOENT|EPIPE|hang up/);
          expect((await engine.runtime.inspectContainer(server))?.state.running).to.equal(true);
        };
        try {
          await withServer(gateway, check, `${ECHO};${WATCH_PROXY}`);
        } finally {
          await gateway.close();
        }
      });

      it('leaves no container and no socket after one or two calls of close', async () => {
        const options = await optionsOf({ engine: { ...engine.engine, sharesSockets } });
        const gateway = await openGateway(options);
        await gateway.close();
        await gateway.close();
        expect(await readdir(options.folder)).to.deep.equal([]);
        expect(await engine.runtime.inspectContainer(gateway.containerId)).to.equal(undefined);
      });

      it('leaves nothing after an abort', async () => {
        const controller = new AbortController();
        const starting = engine.runtime;
        const options = await optionsOf({
          engine: { ...engine.engine, sharesSockets },
          signal: controller.signal,
          runtime: withChange(starting, {
            startContainer: async (id) => {
              await starting.startContainer(id);
              controller.abort(new Error('enough'));
            },
          }),
        });
        expect(await failureOf(openGateway(options))).to.match(/enough/);
        expect(await readdir(options.folder)).to.deep.equal([]);
        expect(await engine.runtime.inspectContainer(options.containerName)).to.equal(undefined);
      });
    });
  }

  it('throws when its container ends before the relay listens, and leaves nothing', async () => {
    const { runtime } = engine;
    const options = await optionsOf({
      runtime: withChange(runtime, {
        createContainer: (spec) =>
          runtime.createContainer({ ...spec, entrypoint: ['node', '-e', 'process.exit(9)'] }),
      }),
    });
    const error = await openGateway(options).then(undefined, (failure: unknown) => failure);
    expect(isPortolanError(error) && error.code).to.equal('ERR_GATEWAY');
    expect(String(error)).to.match(/its container ended with status 9/);
    expect(await runtime.inspectContainer(options.containerName)).to.equal(undefined);
  });

  it('network mode none › sets no proxy variables and opens no outgoing path, but forwards incoming requests', async () => {
    const gateway = await openGateway(await optionsOf({ egress: undefined }));
    try {
      expect(gateway.environment).to.deep.equal({});
      await withServer(gateway, async () => {
        const agent = gateway.ingressAgent(9000);
        await untilAnswers(agent);
        agent.destroy();
      });
    } finally {
      await gateway.close();
    }
  });

  it('runs as the owner of the sockets', async function () {
    if (process.getuid?.() !== 0) skipTest(this, 'only root can give the sockets away');
    const options = await optionsOf({ user: { uid: 12_345, gid: 12_345 } });
    await chown(options.folder, 12_345, 12_345);
    // The sockets belong to this user. Those of root would be closed to the gateway.
    const gateway = await openGateway({ ...options, engine: { ...engine.engine, userNamespaces: true } });
    try {
      await withServer(gateway, async () => {
        const agent = gateway.ingressAgent(9000);
        await untilAnswers(agent);
        agent.destroy();
      });
    } finally {
      await gateway.close();
    }
  });

  describe('adoptGateway', () => {
    it('adopts the gateway of an earlier supervisor: the server keeps running, and outgoing connections follow new rules', async () => {
      const options = await optionsOf();
      const left = await openGateway(options);
      await withServer(left, async () => {
        await left.release();
        const gateway = await adoptGateway(options, left.containerId);
        try {
          const agent = gateway.ingressAgent(9000);
          await untilAnswers(agent);
          expect((await exchange(agent, Buffer.from('again'))).toString()).to.equal('again');
          agent.destroy();
          expect(gateway.network).to.deep.equal(left.network);
        } finally {
          await gateway.close();
        }
      });
      expect(await engine.runtime.inspectContainer(left.containerId)).to.equal(undefined);
    });

    it('throws for a gateway that does not run', async () => {
      const options = await optionsOf();
      const gateway = await openGateway(options);
      await gateway.release();
      await killContainer(engine.runtime, gateway.containerId);
      await engine.runtime.waitForExit(gateway.containerId);
      const error = await adoptGateway(options, gateway.containerId).then(undefined, (one: unknown) => one);
      expect(isPortolanError(error) && error.code).to.equal('ERR_GATEWAY_GONE');
      await gateway.close();
    });
  });

  describe('provideGatewayImage', () => {
    it('makes the image once, with this Node.js and a tag that is a hash of the contents', async () => {
      const { runtime } = engine;
      // Other test processes import the usual image, which takes the tag from an equal one.
      const node = { ...(await describeOwnNode()), identity: `${engine.run}-once` };
      const first = await provideGatewayImage({ madeImages, runtime, engine: engine.engine, node });
      const imports: string[] = [];
      const again = await provideGatewayImage({
        madeImages,
        runtime: withChange(runtime, {
          importImage: (archive, options) => {
            imports.push(options.reference);
            return runtime.importImage(archive, options);
          },
        }),
        engine: engine.engine,
        node,
      });
      expect(again).to.deep.equal(first);
      expect(imports).to.deep.equal([]);
      expect(first.reference).to.match(/^sha256:[0-9a-f]{64}$/);
      const image = await runtime.inspectImage(first.reference);
      expect(image?.references.join(' ')).to.match(new RegExp(`${GATEWAY_REPOSITORY}:[0-9a-f]{16}`));
      expect(image?.labels).to.include({ 'portolan.dev/image': 'gateway' });
      await runtime.removeImage(first.reference);
    });

    it('makes one image when several processes need it at once', async () => {
      const { runtime } = engine;
      const node = { ...(await describeOwnNode()), identity: engine.run };
      const imageLabels = { 'portolan.dev/test': `${engine.run}-images` };
      const options = { madeImages, runtime, engine: engine.engine, node, imageLabels };
      const made = await Promise.all([1, 2, 3].map(() => provideGatewayImage(options)));
      const [id = ''] = new Set(made.map((one) => one.reference));
      const [reference = ''] = (await runtime.inspectImage(id))?.references ?? [];
      const images = await runtime.listImages({ 'portolan.dev/image': 'gateway', ...imageLabels });
      expect(images.map(({ references }) => references)).to.deep.equal([[reference]]);
      await runtime.removeImage(reference);
    });

    it('names an unreadable file, and leaves no image', async () => {
      const { runtime } = engine;
      const own = {
        platform: process.platform,
        architecture: engine.engine.architecture,
        libraries: () => [],
      };
      const node = { ...own, identity: engine.run, binary: '/nowhere/node' };
      const error = await failureOf(
        provideGatewayImage({ madeImages, runtime, engine: engine.engine, node }),
      );
      expect(error).to.match(/Cannot make the image of the gateway .*ENOENT.*nowhere/);
    });

    it('adds the relay to a named base image, and the result works as a gateway', async () => {
      const gateway = await openGateway(await optionsOf({ gatewayImage: NODE_IMAGE }));
      const { image = '' } = (await engine.runtime.inspectContainer(gateway.containerId)) ?? {};
      await gateway.close();
      expect(image).to.match(/^sha256:/);
      expect(image).to.not.equal(
        (await provideGatewayImage({ madeImages, runtime: engine.runtime, engine: engine.engine })).reference,
      );
      await engine.runtime.removeImage(image);
    });
  });
});

function withChange(runtime: ContainerEngine, change: Partial<ContainerEngine>): ContainerEngine {
  return new Proxy(runtime, {
    get: (target, name) => {
      // The functions belong to a class with private fields, so they need the original object.
      const value: unknown = Reflect.get(change, name) ?? Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

async function exchange(agent: Agent, body: Buffer): Promise<Buffer> {
  const asked = request({ agent, host: 'workload', method: 'POST', path: '/' });
  asked.end(body);
  const [response] = await once(asked, 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function untilAnswers(agent: Agent): Promise<void> {
  const deadline = Date.now() + 40_000;
  while ((await failureOf(exchange(agent, Buffer.from('?')))) !== '') {
    if (Date.now() > deadline) throw new Error('the server does not answer');
    await setTimeout(30);
  }
}

async function failureOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
    return '';
  } catch (error) {
    return String(error);
  }
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
