import { randomBytes } from 'node:crypto';
import { homedir, tmpdir } from 'node:os';
import type { ContainerSpec, ContainerEngine } from '@portolan/plugin-api';
import { isPortolanError } from '@portolan/plugin-api';
import { createRecordingLogger } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { skipSuite } from '../../../../test/support/skip-suite.ts';
import type { EngineContext } from '../../src/engine/engine-candidates.ts';
import type { DockerConfig } from '../../src/index.ts';
import { openDockerRuntime } from '../../src/open-docker-runtime.ts';

export const NODE_IMAGE = 'portolan-test/node';
const TEST_LABEL = 'portolan.dev/test';
const RUN_LABEL = 'portolan.dev/test-run';

export const TEST_CONFIG: DockerConfig = {
  memoryMegabytes: 256,
  cpus: 2,
  processes: 64,
  openFiles: 1024,
  stopGrace: '10s',
};

export function testContext(): EngineContext {
  return { environment: process.env, home: homedir(), platform: process.platform, temporaryFolder: tmpdir() };
}

/**
 * The real engine for one suite. Without one, or without the test image, the
 * suite is skipped with the reason. Everything made with `labels` is counted at
 * the end: a suite that leaves something behind fails.
 */
export class TestEngine {
  readonly run = randomBytes(6).toString('hex');
  readonly labels = { [TEST_LABEL]: 'runtime-docker', [RUN_LABEL]: this.run };
  readonly logger = createRecordingLogger();
  #runtime: ContainerEngine | undefined;
  #names = 0;

  get runtime(): ContainerEngine {
    if (this.#runtime === undefined) throw new Error('the suite has no engine yet');
    return this.#runtime;
  }

  /** A name that nothing else has. */
  name(): string {
    this.#names += 1;
    return `portolan-test-${this.run}-${this.#names}`;
  }

  /** A container of the test image that runs a script with Node. */
  spec(script: string, change: Partial<ContainerSpec> = {}): ContainerSpec {
    return {
      name: this.name(),
      image: NODE_IMAGE,
      command: ['node', '-e', script],
      environment: {},
      labels: this.labels,
      ...change,
    };
  }

  async open(context: Mocha.Context): Promise<void> {
    try {
      const options = { config: TEST_CONFIG, logger: this.logger, context: testContext() };
      this.#runtime = await openDockerRuntime(options);
    } catch (error) {
      if (!isPortolanError(error) || error.code !== 'ERR_RUNTIME_UNREACHABLE') throw error;
      skipSuite(context, 'no container engine; scripts/container-env.sh up starts one');
    }
    if ((await this.runtime.inspectImage(NODE_IMAGE)) === undefined) {
      skipSuite(context, `no image ${NODE_IMAGE}; scripts/container-env.sh up makes it`);
    }
  }

  /** Starts a container and answers its exit and what it wrote to its log. */
  async runToEnd(
    spec: ContainerSpec,
  ): Promise<{ readonly code: number | undefined; readonly output: string }> {
    const id = await this.runtime.createContainer({ logs: { maxBytes: 1_000_000, files: 1 }, ...spec });
    try {
      await this.runtime.startContainer(id);
      const state = await this.runtime.waitForExit(id);
      const lines: string[] = [];
      for await (const line of this.runtime.readLogs(id, { follow: true })) lines.push(line.text);
      return { code: state?.exitCode, output: lines.join('\n') };
    } finally {
      await this.runtime.removeContainer(id);
    }
  }

  /** Makes a container, hands it to the action, and removes it. */
  async withContainer<Result>(spec: ContainerSpec, action: (id: string) => Promise<Result>): Promise<Result> {
    const id = await this.runtime.createContainer(spec);
    try {
      return await action(id);
    } finally {
      await this.runtime.removeContainer(id);
    }
  }

  async close(): Promise<void> {
    if (this.#runtime === undefined) return;
    const labels = { [RUN_LABEL]: this.run };
    const [containers, images, networks] = await Promise.all([
      this.#runtime.listContainers(labels),
      this.#runtime.listImages(labels),
      this.#runtime.listNetworks(labels),
    ]);
    for (const { id } of containers) await this.#runtime.removeContainer(id);
    for (const { id } of networks) await this.#runtime.removeNetwork(id);
    for (const { id } of images) await this.#runtime.removeImage(id);
    expect({ containers, images, networks }).to.deep.equal({ containers: [], images: [], networks: [] });
  }
}

/** Opens the engine before the suite that calls this, and counts after it. */
export function useEngine(): TestEngine {
  const engine = new TestEngine();
  before(async function () {
    this.timeout(180_000);
    await engine.open(this);
  });
  after(async function () {
    this.timeout(180_000);
    await engine.close();
  });
  return engine;
}
