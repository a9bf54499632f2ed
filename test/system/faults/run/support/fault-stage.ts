import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createTestContext, engineOf, eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { dockerRuntime } from '@portolan/runtime-docker';
import { buildContext } from '../../../../../plugins/runtime-docker/test/support/build-context.ts';
import { type CommandOptions, type Finished, RunningPortolan } from '../../../../support/command-line.ts';
import { removeWorkloads } from '../../../../support/user-folders.ts';
import { type ListedWorkload, WorkloadUser } from '../../../../support/workload-user.ts';

const NODE_IMAGE = 'portolan-test/node';
const DOCKER = { memoryMegabytes: 256, cpus: 2, processes: 64, openFiles: 1024, stopGrace: '10s' };
const LABEL = 'example.acme.faults';

/** A user for fault tests, and an image that needs no registry. */
export class FaultStage {
  readonly run = randomBytes(5).toString('hex');
  /**
   * Image with Node.js. Images built on it inherit its label. Its tag is fixed, so that it is never pulled.
   */
  readonly image = `portolan-test-faults/node:${this.run}`;
  readonly #bases: string[] = [];
  readonly #users: WorkloadUser[] = [];
  readonly #begun: RunningPortolan[] = [];
  #names = 0;

  get user(): WorkloadUser {
    const [user] = this.#users;
    if (user === undefined) throw new Error('the stage is not open');
    return user;
  }

  get labels(): Readonly<Record<string, string>> {
    return { [LABEL]: this.run };
  }

  /** Opens a stage. Skips the suite of the hook, with the reason, without an engine or its base image. */
  async open(hook: Mocha.Context): Promise<void> {
    await this.openAt(await WorkloadUser.open(hook));
  }

  /** Opens a stage for a user whose engine has the base image. */
  async openAt(user: WorkloadUser): Promise<void> {
    this.#users.push(user);
    await this.makeBase('node', NODE_IMAGE);
  }

  /** Makes the base image again for an engine that has lost it. */
  async remakeBase(): Promise<void> {
    await this.makeBase('node', NODE_IMAGE);
    this.#bases.splice(0, 1);
  }

  /** Makes an image with the label of this stage, which other images inherit, and returns its reference. */
  async makeBase(name: string, from: string): Promise<string> {
    const reference = `portolan-test-faults/${name}:${this.run}`;
    const options = { reference, dockerfile: 'Dockerfile', labels: this.labels };
    await this.user.runtime.buildImage(buildContext(`FROM ${from}\n`), options);
    this.#bases.push(reference);
    return reference;
  }

  /** Opens a second user of the same engine. */
  async anotherUser(): Promise<WorkloadUser> {
    const user = await WorkloadUser.at(engineOf(await dockerRuntime.create(DOCKER, createTestContext())));
    this.#users.push(user);
    return user;
  }

  /** Returns a name that nothing else on the engine has. */
  name(): string {
    this.#names += 1;
    return `fault-${this.run}-${String(this.#names).padStart(2, '0')}`;
  }

  /** Returns the arguments that run a workload of the image. The command of the container follows them. */
  words(name: string, ...more: readonly string[]): readonly string[] {
    return ['run', this.image, '--name', name, '--permission-profile', 'none', ...more];
  }

  /** Starts a command that a test can stop. */
  begin(args: readonly string[], env: CommandOptions['env'] = {}): RunningPortolan {
    const { root, environment } = this.user;
    const begun = new RunningPortolan(args, { cwd: root, env: { ...environment, ...env } });
    this.#begun.push(begun);
    return begun;
  }

  /** Runs a workload until it responds, and returns its URL. */
  async runs(name: string, ...more: readonly string[]): Promise<string> {
    return await this.user.run(...this.words(name, ...more).slice(1));
  }

  /** Returns a workload as `list` shows it, or undefined. */
  async listed(name: string): Promise<ListedWorkload | undefined> {
    return (await this.user.list()).find((one) => one.name === name);
  }

  /** Returns the process id of a workload's supervisor, also if the state is damaged. */
  async supervisorOf(name: string): Promise<number> {
    const text = await readFile(this.stateFile(name).replace(/json$/, 'supervisor'), 'utf8');
    // SAFETY: a file of Portolan. Without the field, the test fails.
    return (JSON.parse(text) as { readonly pid: number }).pid;
  }

  stateFile(name: string): string {
    return path.join(this.user.root, 'data/portolan/statuses', `${name}.json`);
  }

  /** Returns the ids of a workload's containers by their role. */
  async containers(name: string): Promise<readonly { readonly id: string; readonly role: string }[]> {
    const found = await this.user.runtime.listContainers({ 'portolan.dev/name': name });
    return found.map(({ id, labels }) => ({ id, role: labels['portolan.dev/role'] ?? '' }));
  }

  /** Waits for a container with a role. */
  async seen(name: string, role: string): Promise<string> {
    return await eventually(
      async () => {
        const found = (await this.containers(name)).find((one) => one.role === role);
        if (found === undefined) throw new Error(`${name} has no ${role}`);
        return found.id;
      },
      { withinMs: 30_000 },
    );
  }

  /** Returns the tags of all images of this stage, or the ids of those without a tag. */
  async images(): Promise<readonly string[]> {
    const images = await this.user.runtime.listImages(this.labels);
    return images.flatMap(({ id, references }) => (references.length === 0 ? [id] : references)).toSorted();
  }

  /** Ends what a failed test has started, and removes its remains. */
  async clear(): Promise<void> {
    for (const one of this.#begun) one.kill('SIGKILL');
    await Promise.all(this.#begun.splice(0).map(({ finished }) => finished));
    for (const { root, environment } of this.#users) await removeWorkloads(root, environment);
  }

  /** Expects that only the stage's own image is left. */
  async close(): Promise<void> {
    await this.clear();
    const [user, ...others] = this.#users;
    for (const other of others) await other.close();
    if (user === undefined) return;
    const left = await this.images();
    for (const one of left) await user.runtime.removeImage(one);
    await user.close();
    expect(left).to.have.members(this.#bases);
  }
}

/** Expects that a command failed with the right message. */
export function expectFailed(
  { status, stdout, stderr }: Finished,
  says: string | RegExp,
  expected = 1,
): void {
  expect(stdout).to.equal('');
  expect(stderr).to.match(typeof says === 'string' ? new RegExp(escaped(says)) : says);
  expect(status, stderr).to.equal(expected);
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

/** Opens a stage for the calling suite. */
export function useFaultStage(): FaultStage {
  const stage = new FaultStage();
  before(async function () {
    this.timeout(180_000);
    await stage.open(this);
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await stage.clear();
  });
  after(async function () {
    this.timeout(120_000);
    await stage.close();
  });
  return stage;
}
