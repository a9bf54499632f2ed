import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type Attachment,
  type ContainerDescription,
  type ContainerEngine,
  type ContainerSpec,
  type ContainerState,
  type EngineDescription,
  type ImageDescription,
  type Labels,
  type LogLine,
  type NetworkDescription,
  PortolanError,
} from '@portolan/plugin-api';
import { FakeAttachment } from '../../src/index.ts';

export const IMAGE = 'acme/programs:1';
export const COMMANDS = {
  say: (text: string, exitCode: number) => ['say', text, String(exitCode)],
  copy: ['copy'],
  wait: ['wait'],
} as const;

const IMAGE_ID = 'sha256:0123';

interface Kept {
  readonly id: string;
  readonly spec: ContainerSpec;
  readonly lines: LogLine[];
  readonly attachment: FakeAttachment;
  readonly ended: PromiseWithResolvers<ContainerState | undefined>;
  state: ContainerState;
}

const CREATED: ContainerState = {
  status: 'created',
  running: false,
  exitCode: undefined,
  outOfMemory: false,
  error: undefined,
  startedAt: undefined,
  finishedAt: undefined,
};

/** An engine that keeps every promise of the contract, without containers: three commands, in memory. */
export class MemoryEngine implements ContainerEngine {
  readonly containers = new Map<string, Kept>();
  readonly networks = new Map<string, NetworkDescription>();
  #ids = 0;

  async describe(): Promise<EngineDescription> {
    return {
      name: 'Memory',
      version: '1',
      apiVersion: '1',
      os: 'linux',
      architecture: 'amd64',
      address: 'memory:',
      addressFrom: 'a test',
      rootless: false,
      userNamespaces: false,
      sharesSockets: true,
      keepsInputOpen: true,
      buildsInClosedNetwork: true,
      opensLowPorts: true,
    };
  }

  async inspectImage(reference: string): Promise<ImageDescription | undefined> {
    if (reference !== IMAGE && reference !== IMAGE_ID) return undefined;
    const nothing = {
      labels: {},
      environment: {},
      entrypoint: [],
      command: [],
      exposedPorts: [],
      onBuild: [],
    };
    const place = { os: 'linux', architecture: 'amd64', user: '', workingDirectory: '/' };
    const made = { sizeBytes: 1, createdAt: new Date(0), digests: [] };
    return { id: IMAGE_ID, references: [IMAGE], ...nothing, ...place, ...made };
  }

  async provideImage(reference: string): Promise<ImageDescription> {
    const image = await this.inspectImage(reference);
    if (image === undefined) throw new PortolanError('ERR_IMAGE_NOT_FOUND', 'absent', `no ${reference}`);
    return image;
  }

  async importImage(): Promise<never> {
    throw new TypeError('no suite of the contract imports images');
  }

  async buildImage(): Promise<never> {
    throw new TypeError('no suite of the contract builds images');
  }

  async listImages(): Promise<readonly ImageDescription[]> {
    return [];
  }

  async removeImage(): Promise<void> {
    // There is one, which stays.
  }

  async createContainer(spec: ContainerSpec): Promise<string> {
    if (this.find(spec.name) !== undefined)
      throw new PortolanError('ERR_CONTAINER_NAME_TAKEN', 'conflict', `${spec.name} is taken`);
    const id = `c${(this.#ids += 1)}`;
    const ended = Promise.withResolvers<ContainerState | undefined>();
    this.containers.set(id, {
      id,
      spec,
      lines: [],
      attachment: new FakeAttachment(),
      ended,
      state: CREATED,
    });
    return id;
  }

  async attachContainer(container: string): Promise<Attachment> {
    return this.get(container).attachment;
  }

  async startContainer(container: string): Promise<void> {
    const record = this.get(container);
    record.state = { ...CREATED, status: 'running', running: true, startedAt: new Date() };
    const [what, text = '', status] = record.spec.command;
    if (what === 'say') {
      record.lines.push({ stream: 'stdout', at: new Date(), text });
      this.end(record, Number(status));
    } else if (what === 'copy') void this.#copy(record);
  }

  async stopContainer(container: string): Promise<void> {
    const record = this.find(container);
    if (record?.state.running === true) this.end(record, 143);
  }

  async removeContainer(container: string): Promise<void> {
    const record = this.find(container);
    if (record === undefined) return;
    this.containers.delete(record.id);
    record.ended.resolve(undefined);
    record.attachment.end();
  }

  async inspectContainer(container: string): Promise<ContainerDescription | undefined> {
    const record = this.find(container);
    return record === undefined ? undefined : describe(record);
  }

  async listContainers(labels: Labels): Promise<readonly ContainerDescription[]> {
    return [...this.containers.values()].map(describe).filter((one) => carries(one.labels, labels));
  }

  async waitForExit(container: string, signal?: AbortSignal): Promise<ContainerState | undefined> {
    const record = this.find(container);
    if (record === undefined || !record.state.running) return record?.state;
    signal?.throwIfAborted();
    const aborted = Promise.withResolvers<never>();
    signal?.addEventListener('abort', () => aborted.reject(signal.reason), { once: true });
    return await Promise.race([record.ended.promise, aborted.promise]);
  }

  async *readLogs(container: string): AsyncGenerator<LogLine> {
    yield* this.get(container).lines;
  }

  async listNetworks(labels: Labels = {}): Promise<readonly NetworkDescription[]> {
    return [...this.networks.values()].filter((one) => carries(one.labels, labels));
  }

  async removeNetwork(network: string): Promise<void> {
    this.networks.delete(network);
  }

  /** As a tool of the engine would; its id. */
  makeNetwork(name: string, labels: Labels): string {
    const id = `n${(this.#ids += 1)}`;
    this.networks.set(id, { id, name, labels, driver: 'bridge', internal: false, subnets: [] });
    return id;
  }

  find(container: string): Kept | undefined {
    return [...this.containers.values()].find(({ id, spec }) => id === container || spec.name === container);
  }

  get(container: string): Kept {
    const record = this.find(container);
    if (record === undefined) throw new PortolanError('ERR_CONTAINER_NOT_FOUND', 'absent', `no ${container}`);
    return record;
  }

  end(record: Kept, exitCode: number): void {
    record.state = { ...record.state, status: 'exited', running: false, exitCode, finishedAt: new Date() };
    record.ended.resolve(record.state);
    record.attachment.end();
  }

  async #copy(record: Kept): Promise<void> {
    const { attachment } = record;
    let taken = 0;
    while (record.state.running) {
      for (const bytes of attachment.written.slice(taken)) attachment.say(bytes);
      taken = attachment.written.length;
      if (attachment.inputEnded) this.end(record, 0);
      await nextTurn();
    }
  }
}

function describe({ id, spec, state }: Kept): ContainerDescription {
  const { name, image, labels } = spec;
  const made = { createdAt: new Date(0), networks: [], ports: [] };
  return { id, name, image, imageId: IMAGE_ID, labels, state, ...made };
}

function carries(labels: Labels, expected: Labels): boolean {
  return Object.entries(expected).every(([name, value]) => labels[name] === value);
}
