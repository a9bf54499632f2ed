import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isPortolanError, type ContainerEngine } from '@portolan/plugin-api';
import { createTestContext, engineOf } from '@portolan/plugin-testing';
import { dockerRuntime } from '@portolan/runtime-docker';
import { expect } from 'chai';
import { BUILT_LABELS, madeFor } from '../../packages/workload/src/build/images/image-labels.ts';
import { type Finished, runPortolan } from './command-line.ts';
import { skipSuite } from './skip-suite.ts';
import { filesOfWorkloads, foldersBelow } from './user-folders.ts';
import { findTraces, NO_TRACES } from './workload-traces.ts';

const NODE_IMAGE = 'portolan-test/node';
const DOCKER = { memoryMegabytes: 256, cpus: 2, processes: 64, openFiles: 1024, stopGrace: '10s' };

/** An item of `portolan list --format json`. */
export interface ListedWorkload {
  readonly name: string;
  readonly status: string;
  readonly url: string;
  readonly transport: string;
  readonly group: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

/** A user with an engine and empty folders. The caller has to close it. */
export class WorkloadUser {
  /** Folder that contains all folders of this user, with the working directory. */
  readonly root: string;
  readonly runtime: ContainerEngine;
  readonly #urls = new Set<string>();
  readonly #environment: Readonly<Record<string, string>>;

  private constructor(root: string, runtime: ContainerEngine, more: Readonly<Record<string, string>>) {
    this.root = root;
    this.runtime = runtime;
    this.#environment = { ...foldersBelow(root), ...more };
  }

  /** Variables for processes of this user. */
  get environment(): Readonly<Record<string, string>> {
    return this.#environment;
  }

  /** Makes a user. Skips the suite of the hook, with the reason, without an engine or its base image. */
  static async open(hook: Mocha.Context): Promise<WorkloadUser> {
    const runtime = await openEngine(hook);
    if ((await runtime.inspectImage(NODE_IMAGE)) === undefined) {
      skipSuite(hook, `no image ${NODE_IMAGE}; scripts/container-env.sh up makes it`);
    }
    return await WorkloadUser.at(runtime);
  }

  /** Makes a user of another engine or with further variables, and closes the runtime at the end. */
  static async at(
    runtime: ContainerEngine,
    more: Readonly<Record<string, string>> = {},
  ): Promise<WorkloadUser> {
    const root = await mkdtemp(path.join(tmpdir(), 'portolan-user-'));
    await mkdir(path.join(root, 'run'), { mode: 0o700 });
    return new WorkloadUser(root, runtime, more);
  }

  /** Runs a command of this user in the folder `cwd`. The default is the root folder. */
  async portolan(
    args: readonly string[],
    options: { readonly cwd?: string; readonly stdin?: string } = {},
  ): Promise<Finished> {
    return await runPortolan(args, { cwd: this.root, env: this.#environment, ...options });
  }

  /** Returns the output of a command. Throws with the whole output if the exit status is not 0. */
  async done(...args: readonly string[]): Promise<string> {
    const { status, stdout, stderr } = await this.portolan(args);
    expect(status, `portolan ${args.join(' ')}\n${stdout}${stderr}`).to.equal(0);
    return stdout;
  }

  /** Returns the URL that `portolan run` prints. Throws unless standard output is the URL only. */
  async run(...args: readonly string[]): Promise<string> {
    const stdout = await this.done('run', ...args);
    expect(stdout).to.match(/^http:\/\/127\.0\.0\.1:\d+\/\S*\n$/);
    const url = stdout.trim();
    this.#urls.add(url);
    return url;
  }

  /** Returns all workloads, including stopped ones. */
  async list(): Promise<readonly ListedWorkload[]> {
    // SAFETY: output of Portolan. A test that reads a missing field fails.
    return JSON.parse(await this.done('list', '--all', '--format', 'json')) as readonly ListedWorkload[];
  }

  /** Removes workloads, and expects that nothing of any workload remains. */
  async removeAll(...names: readonly string[]): Promise<void> {
    expect(await this.done('rm', ...names)).to.equal('');
    await this.expectNoTraces();
  }

  /** Expects that no container, network, process, port or file remains. */
  async expectNoTraces(): Promise<void> {
    const { runtime, root } = this;
    const traces = await findTraces({ runtime, root, urls: [...this.#urls] });
    expect(traces).to.deep.equal(NO_TRACES);
  }

  /** Removes files of the working directory. */
  async removeFiles(...names: readonly string[]): Promise<void> {
    for (const name of names) await rm(path.join(this.root, name));
  }

  /** Removes the workloads that a failed test has left. */
  async removeLeft(): Promise<void> {
    if ((await filesOfWorkloads(this.root)).length === 0) return;
    const left = await this.list();
    if (left.length > 0) await this.done('rm', ...left.map(({ name }) => name));
  }

  /**
   * Removes the images that Portolan built for this user. An image `FROM scratch`, as those of Go packages are,
   * has no label of its base, so that `OwnBaseImage` does not find it.
   */
  async removeImages(): Promise<void> {
    const statuses = path.join(this.root, 'data/portolan/statuses');
    const images = await this.runtime.listImages({
      ...madeFor({ statuses }),
      [BUILT_LABELS.image]: 'package',
    });
    for (const reference of images.flatMap(({ references }) => references))
      await this.runtime.removeImage(reference);
  }

  /** Removes what a failed test has left, and the folders. */
  async close(): Promise<void> {
    try {
      await this.removeLeft();
    } finally {
      await rm(this.root, { recursive: true, force: true });
    }
  }
}

async function openEngine(hook: Mocha.Context): Promise<ContainerEngine> {
  try {
    return engineOf(await dockerRuntime.create(DOCKER, createTestContext()));
  } catch (error) {
    if (!isPortolanError(error) || error.code !== 'ERR_RUNTIME_UNREACHABLE') throw error;
    return skipSuite(hook, 'no container engine; scripts/container-env.sh up starts one');
  }
}
