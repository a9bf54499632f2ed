import type { Attachment, ContainerState, ContainerEngine } from '@portolan/plugin-api';
import { FakeAttachment } from '@portolan/plugin-testing';

interface Pretended {
  readonly attachment: FakeAttachment;
  readonly exited: PromiseWithResolvers<void>;
  isRunning: boolean;
}

/**
 * An engine with containers that are servers in this process, so that a test can count the resources of many.
 */
export class PretendedEngine {
  readonly containers = new Map<string, Pretended>();
  /** All delivered signals. */
  readonly signals = new Set<AbortSignal>();
  made = 0;

  /** The part of a runtime that stdio servers without a network use. */
  get runtime(): ContainerEngine {
    const runtime: Partial<ContainerEngine> = {
      describe: async () => ({
        name: 'Docker Engine',
        version: '1',
        apiVersion: '1',
        os: 'linux',
        architecture: 'amd64',
        address: '',
        addressFrom: '',
        rootless: false,
        userNamespaces: false,
        sharesSockets: true,
        keepsInputOpen: true,
        buildsInClosedNetwork: true,
        opensLowPorts: true,
      }),
      inspectImage: async (reference) => ({
        id: `sha256:${'0'.repeat(64)}`,
        references: [reference],
        digests: [],
        os: 'linux',
        architecture: 'amd64',
        labels: {},
        environment: {},
        entrypoint: [],
        command: [],
        user: '',
        workingDirectory: '',
        exposedPorts: [],
        onBuild: [],
        sizeBytes: 0,
        createdAt: new Date(0),
      }),
      listContainers: async () => [],
      createContainer: async (_spec, signal) => this.#make(signal),
      attachContainer: async (id, signal) => this.#attach(id, signal),
      startContainer: async () => undefined,
      stopContainer: async (id) => this.#end(id),
      removeContainer: async (id) => {
        this.#end(id);
        this.containers.delete(id);
      },
      inspectContainer: async (id) => this.#describe(id),
      waitForExit: async (id, signal) => await this.#wait(id, signal),
    };
    // SAFETY: another call fails the test.
    return runtime as ContainerEngine;
  }

  #make(signal: AbortSignal | undefined): string {
    if (signal !== undefined) this.signals.add(signal);
    this.made += 1;
    const id = `container-${this.made}`;
    const exited = Promise.withResolvers<void>();
    this.containers.set(id, { attachment: new FakeAttachment(), exited, isRunning: true });
    return id;
  }

  #attach(id: string, signal: AbortSignal | undefined): Attachment {
    if (signal !== undefined) this.signals.add(signal);
    const { attachment } = this.#of(id);
    attachment.write = async (bytes) => {
      // SAFETY: the proxy sends this type.
      const message = JSON.parse(Buffer.from(bytes).toString()) as Record<string, unknown>;
      if (message['id'] === undefined) return;
      const capabilities = { capabilities: {}, serverInfo: { name: 'p', version: '1' } };
      const result = { protocolVersion: '2025-06-18', ...capabilities, tools: [] };
      attachment.say(`${JSON.stringify({ jsonrpc: '2.0', id: message['id'], result })}\n`);
    };
    attachment.endInput = () => this.#end(id);
    return attachment;
  }

  #end(id: string): void {
    const container = this.containers.get(id);
    if (container === undefined || !container.isRunning) return;
    container.isRunning = false;
    container.attachment.end();
    container.exited.resolve();
  }

  #of(id: string): Pretended {
    const container = this.containers.get(id);
    if (container === undefined) throw new Error(`no container ${id}`);
    return container;
  }

  #describe(id: string): Awaited<ReturnType<ContainerEngine['inspectContainer']>> {
    const container = this.containers.get(id);
    if (container === undefined) return undefined;
    const state: ContainerState = {
      status: container.isRunning ? 'running' : 'exited',
      running: container.isRunning,
      exitCode: container.isRunning ? undefined : 0,
      outOfMemory: false,
      error: undefined,
      startedAt: undefined,
      finishedAt: undefined,
    };
    const createdAt = new Date(0);
    return { id, name: id, image: '', imageId: '', labels: {}, createdAt, state, networks: [], ports: [] };
  }

  async #wait(id: string, signal: AbortSignal | undefined): Promise<ContainerState | undefined> {
    if (signal !== undefined) this.signals.add(signal);
    const aborted = Promise.withResolvers<never>();
    const abort = (): void => aborted.reject(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    try {
      await Promise.race([this.#of(id).exited.promise, aborted.promise]);
    } finally {
      signal?.removeEventListener('abort', abort);
    }
    return this.#describe(id)?.state;
  }
}
