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

/** A user to whom everything that can go wrong happens, and an image that no registry is asked for. */
export class FaultStage {
  readonly run = randomBytes(5).toString('hex');
  /** Has Node; everything that is built on it inherits its label. Its tag does not move, so that it is never pulled. */
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

  /** Without an engine or its base image, the suite of the hook is skipped with the reason. */
  async open(hook: Mocha.Context): Promise<void> {
    await this.openAt(await WorkloadUser.open(hook));
  }

  /** For a user whose engine has the base image. */
  async openAt(user: WorkloadUser): Promise<void> {
    this.#users.push(user);
    await this.makeBase('node', NODE_IMAGE);
  }

  /** Makes the base image again for an engine that lost it. */
  async remakeBase(): Promise<void> {
    await this.makeBase('node', NODE_IMAGE);
    this.#bases.splice(0, 1);
  }

  /** Makes an image from which everything inherits the label of this stage; its reference. */
  async makeBase(name: string, from: string): Promise<string> {
    const reference = `portolan-test-faults/${name}:${this.run}`;
    const options = { reference, dockerfile: 'Dockerfile', labels: this.labels };
    await this.user.runtime.buildImage(buildContext(`FROM ${from}\n`), options);
    this.#bases.push(reference);
    return reference;
  }

  /** Somebody else at the same engine. */
  async anotherUser(): Promise<WorkloadUser> {
    const user = await WorkloadUser.at(engineOf(await dockerRuntime.create(DOCKER, createTestContext())));
    this.#users.push(user);
    return user;
  }

  /** A name that nothing else on the engine has. */
  name(): string {
    this.#names += 1;
    return `fault-${this.run}-${String(this.#names).padStart(2, '0')}`;
  }

  /** The words that run a workload of the image; what it runs follows. */
  words(name: string, ...more: readonly string[]): readonly string[] {
    return ['run', this.image, '--name', name, '--permission-profile', 'none', ...more];
  }

  /** Begins a command that may be told to stop. */
  begin(args: readonly string[], env: CommandOptions['env'] = {}): RunningPortolan {
    const { root, environment } = this.user;
    const begun = new RunningPortolan(args, { cwd: root, env: { ...environment, ...env } });
    this.#begun.push(begun);
    return begun;
  }

  /** Runs a workload until it answers; its URL. */
  async runs(name: string, ...more: readonly string[]): Promise<string> {
    return await this.user.run(...this.words(name, ...more).slice(1));
  }

  /** One workload as `list` shows it; undefined when it does not. */
  async listed(name: string): Promise<ListedWorkload | undefined> {
    return (await this.user.list()).find((one) => one.name === name);
  }

  /** The process that supervises a workload; known even where the state is damaged. */
  async supervisorOf(name: string): Promise<number> {
    const text = await readFile(this.stateFile(name).replace(/json$/, 'supervisor'), 'utf8');
    // SAFETY: our own file; without the field the test fails.
    return (JSON.parse(text) as { readonly pid: number }).pid;
  }

  stateFile(name: string): string {
    return path.join(this.user.root, 'data/portolan/statuses', `${name}.json`);
  }

  /** Ids of the containers of a workload by what they are for. */
  async containers(name: string): Promise<readonly { readonly id: string; readonly role: string }[]> {
    const found = await this.user.runtime.listContainers({ 'portolan.dev/name': name });
    return found.map(({ id, labels }) => ({ id, role: labels['portolan.dev/role'] ?? '' }));
  }

  /** Waits until there is a container of a role. */
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

  /** Tags of all images that were made in this stage, or ids of those that have none. */
  async images(): Promise<readonly string[]> {
    const images = await this.user.runtime.listImages(this.labels);
    return images.flatMap(({ id, references }) => (references.length === 0 ? [id] : references)).toSorted();
  }

  /** Ends what a failed test has begun, and removes what it has left. */
  async clear(): Promise<void> {
    for (const one of this.#begun) one.kill('SIGKILL');
    await Promise.all(this.#begun.splice(0).map(({ finished }) => finished));
    for (const { root, environment } of this.#users) await removeWorkloads(root, environment);
  }

  /** Sees that no image was left but its own. */
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

/** Sees that a command has failed as it should, and said so. */
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

/** Opens a stage for the suite that calls this. */
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
