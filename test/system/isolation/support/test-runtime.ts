import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { type ContainerEngine, type EngineDescription, isPortolanError } from '@portolan/plugin-api';
import { createRecordingLogger } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { openDockerRuntime } from '../../../../plugins/runtime-docker/src/open-docker-runtime.ts';
import { skipSuite } from '../../../support/skip-suite.ts';

export const NODE_IMAGE = 'portolan-test/node';
const TEST_LABEL = 'portolan.dev/test';

/** The real engine for one suite. At the end, everything with its labels is counted. */
export class TestRuntime {
  readonly run = randomBytes(6).toString('hex');
  readonly labels = { [TEST_LABEL]: this.run };
  readonly logger = createRecordingLogger();
  readonly #folders: string[] = [];
  #runtime: ContainerEngine | undefined;
  #engine: EngineDescription | undefined;
  #names = 0;

  get runtime(): ContainerEngine {
    if (this.#runtime === undefined) throw new Error('the suite has no engine yet');
    return this.#runtime;
  }

  get engine(): EngineDescription {
    if (this.#engine === undefined) throw new Error('the suite has no engine yet');
    return this.#engine;
  }

  /** Returns a new name. */
  name(): string {
    this.#names += 1;
    return `portolan-test-${this.run}-${this.#names}`;
  }

  /** Makes a folder that is removed after the suite. Its path is short because it contains sockets. */
  async folder(): Promise<string> {
    const folder = await mkdtemp(path.join(tmpdir(), 'pg-'));
    this.#folders.push(folder);
    return folder;
  }

  /** Opens the runtime. Skips the suite, with the reason, without an engine or the test image. */
  async open(context: Mocha.Context): Promise<void> {
    try {
      this.#runtime = await openDockerRuntime({
        config: { memoryMegabytes: 256, cpus: 2, processes: 128, openFiles: 4096, stopGrace: '2s' },
        logger: this.logger,
        context: {
          environment: process.env,
          home: homedir(),
          platform: process.platform,
          temporaryFolder: tmpdir(),
        },
      });
    } catch (error) {
      if (!isPortolanError(error) || error.code !== 'ERR_RUNTIME_UNREACHABLE') throw error;
      skipSuite(context, 'no container engine; scripts/container-env.sh up starts one');
    }
    this.#engine = await this.runtime.describe();
    if ((await this.runtime.inspectImage(NODE_IMAGE)) === undefined) {
      skipSuite(context, `no image ${NODE_IMAGE}; scripts/container-env.sh up makes it`);
    }
  }

  async close(): Promise<void> {
    for (const folder of this.#folders.splice(0)) await rm(folder, { recursive: true, force: true });
    if (this.#runtime === undefined) return;
    const left = await this.#runtime.listContainers(this.labels);
    for (const { id } of left) await this.#runtime.removeContainer(id);
    expect(left.map(({ name }) => name)).to.deep.equal([]);
  }
}
