import { randomBytes } from 'node:crypto';
import type {
  ContainerEngine,
  ContainerSpec,
  Labels,
  LogLine,
  PluginContext,
  Runtime,
  RuntimeKind,
} from '@portolan/plugin-api';
import { expect } from 'chai';
import { inTime } from '../eventually.ts';
import { leavesNothingOpen } from '../leaves-nothing-open.ts';
import { engineOf } from '../runtime-of-engine.ts';
import { createTestContext } from '../test-context.ts';
import { type ContractCase, registerContract, rejectionOf } from './contract-case.ts';
import { kindCases } from './kind-cases.ts';

/**
 * Registers the suite for runtime kinds with an engine. Everything it creates has the label
 * `portolan.dev/test`; a test fails when it leaves something behind.
 */
export function engineContract(options: EngineUnderTest): void {
  registerContract(`engine contract: ${options.name}`, engineCases(options));
}

export interface EngineUnderTest {
  readonly name: string;
  readonly kind: RuntimeKind;
  readonly blocks?: readonly unknown[];
  readonly create: (context: PluginContext) => Runtime | Promise<Runtime>;
  /** Image that is available in the engine, with commands inside it. */
  readonly image: string;
  readonly commands: EngineCommands;
  /** Creates a network in the engine and returns its id. Default: the suite skips cases about networks. */
  readonly makeNetwork?: (runtime: ContainerEngine, name: string, labels: Labels) => Promise<string>;
  /** Timeout of each test in milliseconds. Default: 40 seconds. */
  readonly withinMs?: number;
}

export interface EngineCommands {
  /** Command that writes the text and a line end to standard output, then exits with this status. */
  readonly say: (text: string, exitCode: number) => readonly string[];
  /** Command that copies standard input to standard output. */
  readonly copy: readonly string[];
  readonly wait: readonly string[];
}

const LABEL = 'portolan.dev/test';

interface EngineTest {
  readonly runtime: ContainerEngine;
  readonly labels: Labels;
  readonly name: () => string;
  readonly spec: (command: readonly string[], change?: Partial<ContainerSpec>) => ContainerSpec;
  readonly signal: AbortSignal;
}

type UseEngine = (action: (test: EngineTest) => Promise<void>) => () => Promise<void>;

/**
 * Removes what the action left and closes the instance. Fails when something was left or a resource stays
 * open.
 */
async function useEngine(
  options: EngineUnderTest,
  action: (test: EngineTest) => Promise<void>,
): Promise<void> {
  const { withinMs = 40_000 } = options;
  await leavesNothingOpen(async () => {
    const opened = await options.create(createTestContext());
    const runtime = engineOf(opened);
    const ending = new AbortController();
    const test = testOf(runtime, options, ending.signal);
    try {
      await inTime('the end of the test', action(test), { withinMs });
    } finally {
      ending.abort(new Error('the test is over'));
      const left = await removeAll(runtime, test.labels);
      await opened.close();
      await opened.close();
      expect(left, 'left behind').to.deep.equal([]);
    }
  }, options);
}

function testOf(runtime: ContainerEngine, { image }: EngineUnderTest, signal: AbortSignal): EngineTest {
  const run = randomBytes(6).toString('hex');
  const labels = { [LABEL]: run };
  let names = 0;
  const name = (): string => {
    names += 1;
    return `portolan-contract-${run}-${names}`;
  };
  return {
    runtime,
    labels,
    signal,
    name,
    spec: (command, change = {}) => ({
      name: name(),
      image,
      command,
      environment: {},
      labels,
      network: { mode: 'none' },
      logs: { maxBytes: 100_000, files: 1 },
      stopGraceMs: 2000,
      ...change,
    }),
  };
}

async function removeAll(runtime: ContainerEngine, labels: Labels): Promise<readonly string[]> {
  const containers = await runtime.listContainers(labels);
  for (const { id } of containers) await runtime.removeContainer(id);
  const networks = await runtime.listNetworks(labels);
  for (const { id } of networks) await runtime.removeNetwork(id);
  return [...containers, ...networks].map(({ name }) => name);
}

export function engineCases(options: EngineUnderTest): readonly ContractCase[] {
  const use: UseEngine = (action) => () => useEngine(options, action);
  const { image, makeNetwork } = options;
  return [
    ...kindCases(options.kind, options.blocks),
    {
      title: 'reports the name and the address of the engine',
      run: use(async ({ runtime }) => {
        const engine = await runtime.describe();
        for (const part of ['name', 'version', 'os', 'architecture', 'address'] as const) {
          expect(engine[part], part).to.be.a('string').and.to.not.equal('');
        }
      }),
    },
    {
      title: 'describes an existing image by reference and by id',
      run: use(async ({ runtime }) => {
        const imageDescription = await runtime.inspectImage(image);
        expect(imageDescription).to.include.keys('id', 'labels', 'environment', 'entrypoint', 'command');
        expect((await runtime.inspectImage(imageDescription?.id ?? ''))?.id).to.equal(imageDescription?.id);
        expect((await runtime.provideImage(image, { pull: 'never' })).id).to.equal(imageDescription?.id);
      }),
    },
    {
      title: 'finds no missing image, and throws when it needs one',
      run: use(async ({ runtime, name }) => {
        const reference = `${name()}:none`;
        expect(await runtime.inspectImage(reference)).to.equal(undefined);
        const error = await rejectionOf(runtime.provideImage(reference, { pull: 'never' }));
        expect(error).to.include({ code: 'ERR_IMAGE_NOT_FOUND' });
        await runtime.removeImage(reference);
      }),
    },
    ...containerCases(options, use),
    missingNetworkCase(use),
    ...(makeNetwork === undefined ? [] : [networkCase(use, makeNetwork)]),
  ];
}

function missingNetworkCase(use: UseEngine): ContractCase {
  return {
    title: 'lists no missing network, and removes one without an error',
    run: use(async ({ runtime, labels, name }) => {
      expect(await runtime.listNetworks(labels)).to.deep.equal([]);
      await runtime.removeNetwork(name());
    }),
  };
}

function networkCase(use: UseEngine, makeNetwork: NonNullable<EngineUnderTest['makeNetwork']>): ContractCase {
  return {
    title: 'lists and removes networks',
    run: use(async ({ runtime, labels, name }) => {
      const network = name();
      const id = await makeNetwork(runtime, network, labels);
      const listed = await runtime.listNetworks(labels);
      expect(listed.map((one) => ({ id: one.id, name: one.name }))).to.deep.equal([{ id, name: network }]);
      await runtime.removeNetwork(id);
      await runtime.removeNetwork(id);
      expect(await runtime.listNetworks(labels)).to.deep.equal([]);
    }),
  };
}

function containerCases({ commands }: EngineUnderTest, use: UseEngine): readonly ContractCase[] {
  return [
    {
      title: 'runs a container until it exits, and keeps its status and its log',
      run: use(async ({ runtime, spec }) => {
        const id = await runtime.createContainer(spec(commands.say('all is well', 3)));
        expect((await runtime.inspectContainer(id))?.state).to.include({ status: 'created', running: false });
        await runtime.startContainer(id);
        expect(await runtime.waitForExit(id)).to.include({ running: false, exitCode: 3 });
        expect(await collect(runtime.readLogs(id, {}))).to.deep.equal([
          { stream: 'stdout', text: 'all is well' },
        ]);
        await runtime.removeContainer(id);
      }),
    },
    {
      title: 'applies name, labels and environment of the spec',
      run: use(async ({ runtime, spec, labels }) => {
        const containerSpec = spec(commands.wait);
        const id = await runtime.createContainer(containerSpec);
        const container = await runtime.inspectContainer(containerSpec.name);
        expect(container).to.include({ id, name: containerSpec.name });
        expect(container?.labels).to.include(labels);
        expect((await runtime.listContainers(labels)).map((one) => one.id)).to.deep.equal([id]);
        expect(await runtime.listContainers({ ...labels, 'portolan.dev/other': 'x' })).to.deep.equal([]);
        await runtime.removeContainer(id);
      }),
    },
    {
      title: 'refuses a second container with the same name',
      run: use(async ({ runtime, spec }) => {
        const containerSpec = spec(commands.wait);
        const id = await runtime.createContainer(containerSpec);
        const error = await rejectionOf(runtime.createContainer(containerSpec));
        expect(error).to.include({ code: 'ERR_CONTAINER_NAME_TAKEN' });
        await runtime.removeContainer(id);
      }),
    },
    {
      title: 'connects standard input and output, and loses nothing that is written at the start',
      run: use(async ({ runtime, spec }) => {
        const id = await runtime.createContainer(spec(commands.copy, { stdin: 'once' }));
        const attachment = await runtime.attachContainer(id);
        await runtime.startContainer(id);
        await attachment.write(Buffer.from('Grüße\n'));
        attachment.endInput();
        const chunks: Uint8Array[] = [];
        for await (const chunk of attachment.stdout) chunks.push(chunk);
        expect(Buffer.concat(chunks).toString('utf8')).to.equal('Grüße\n');
        expect(await attachment.ended).to.equal(undefined);
        attachment.close();
        expect(await runtime.waitForExit(id)).to.include({ exitCode: 0 });
        await runtime.removeContainer(id);
      }),
    },
    {
      title: 'stops and removes a container, also one that is already stopped or removed',
      run: use(async ({ runtime, spec }) => {
        const id = await runtime.createContainer(spec(commands.wait));
        await runtime.startContainer(id);
        const exit = runtime.waitForExit(id);
        await runtime.stopContainer(id);
        expect(await exit).to.include({ running: false });
        await runtime.stopContainer(id);
        await runtime.removeContainer(id);
        await runtime.removeContainer(id);
        expect(await runtime.inspectContainer(id)).to.equal(undefined);
        expect(await runtime.waitForExit(id)).to.equal(undefined);
      }),
    },
    {
      title: 'removes a running container',
      run: use(async ({ runtime, spec }) => {
        const id = await runtime.createContainer(spec(commands.wait));
        await runtime.startContainer(id);
        await runtime.removeContainer(id);
        expect(await runtime.inspectContainer(id)).to.equal(undefined);
      }),
    },
    {
      title: 'stops waiting with the reason when its signal aborts, and leaves the container unchanged',
      run: use(async ({ runtime, spec }) => {
        const id = await runtime.createContainer(spec(commands.wait));
        await runtime.startContainer(id);
        const aborting = new AbortController();
        const waiting = rejectionOf(runtime.waitForExit(id, aborting.signal));
        const reason = new Error('aborted by the test');
        aborting.abort(reason);
        expect(await waiting).to.equal(reason);
        expect((await runtime.inspectContainer(id))?.state).to.include({ running: true });
        await runtime.removeContainer(id);
      }),
    },
  ];
}

async function collect(lines: AsyncIterable<LogLine>): Promise<readonly { stream: string; text: string }[]> {
  const collected: { stream: string; text: string }[] = [];
  for await (const { stream, text } of lines) collected.push({ stream, text });
  return collected;
}
