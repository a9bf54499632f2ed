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

/** Somebody who has an engine, folders of their own, and nothing in them. Whoever makes one closes it. */
export class WorkloadUser {
  /** Below it are all folders of this user, the working directory too. */
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

  /** Without an engine or its base image, the suite of the hook is skipped with the reason. */
  static async open(hook: Mocha.Context): Promise<WorkloadUser> {
    const runtime = await openEngine(hook);
    if ((await runtime.inspectImage(NODE_IMAGE)) === undefined) {
      skipSuite(hook, `no image ${NODE_IMAGE}; scripts/container-env.sh up makes it`);
    }
    return await WorkloadUser.at(runtime);
  }

  /** Somebody at another engine, or with more variables. Closes the runtime too. */
  static async at(
    runtime: ContainerEngine,
    more: Readonly<Record<string, string>> = {},
  ): Promise<WorkloadUser> {
    const root = await mkdtemp(path.join(tmpdir(), 'portolan-user-'));
    await mkdir(path.join(root, 'run'), { mode: 0o700 });
    return new WorkloadUser(root, runtime, more);
  }

  /** Runs a command of this user, who is in the folder `cwd`, else in the root of all. */
  async portolan(
    args: readonly string[],
    options: { readonly cwd?: string; readonly stdin?: string } = {},
  ): Promise<Finished> {
    return await runPortolan(args, { cwd: this.root, env: this.#environment, ...options });
  }

  /** What a command prints. Throws with all that it said when its exit status is not 0. */
  async done(...args: readonly string[]): Promise<string> {
    const { status, stdout, stderr } = await this.portolan(args);
    expect(status, `portolan ${args.join(' ')}\n${stdout}${stderr}`).to.equal(0);
    return stdout;
  }

  /** The URL that `portolan run` prints. Throws unless it stands alone on standard output. */
  async run(...args: readonly string[]): Promise<string> {
    const stdout = await this.done('run', ...args);
    expect(stdout).to.match(/^http:\/\/127\.0\.0\.1:\d+\/\S*\n$/);
    const url = stdout.trim();
    this.#urls.add(url);
    return url;
  }

  /** All workloads, stopped ones too. */
  async list(): Promise<readonly ListedWorkload[]> {
    // SAFETY: our own output; the test that reads a field of it fails when it is another.
    return JSON.parse(await this.done('list', '--all', '--format', 'json')) as readonly ListedWorkload[];
  }

  /** Removes workloads, and sees that nothing at all is left of any. */
  async removeAll(...names: readonly string[]): Promise<void> {
    expect(await this.done('rm', ...names)).to.equal('');
    await this.expectNoTraces();
  }

  /** Sees that there is no container, network, process, port or file. */
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

  /** Takes away what a failed test has left, and the folders. */
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
