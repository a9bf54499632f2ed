import type { WorkloadKernel } from '@portolan/kernel';
import type {
  KindProblem,
  OutgoingCredentials,
  OutgoingCredentialsHostContext,
  ProxyContext,
  Runtime,
  Scheme,
  SecretStoreHostContext,
  Transport,
  SessionStore,
  SessionStoreHostContext,
  ToolIndex,
} from '@portolan/plugin-api';
import type { KindSettings, OpenAuthProvider, OpenSecretStore, WorkloadKinds } from '@portolan/workload';
import type { CallCounts } from './count-calls.ts';

/** The kernel of workload commands, opened at its first use. */
export class LazyKernel {
  readonly #boot: () => Promise<WorkloadKernel>;
  #booting: Promise<WorkloadKernel> | undefined;
  #kernel: WorkloadKernel | undefined;

  constructor(boot: () => Promise<WorkloadKernel>) {
    this.#boot = boot;
  }

  /** Returns the kernel. Throws the same error each time when opening it failed. */
  async open(): Promise<WorkloadKernel> {
    this.#booting ??= this.#boot();
    this.#kernel = await this.#booting;
    return this.#kernel;
  }

  /** Returns the kernel. Throws when it is not open yet. */
  get opened(): WorkloadKernel {
    if (this.#kernel === undefined) throw new Error('the kinds are requested before they are loaded');
    return this.#kernel;
  }

  /** Closes the kernel if it is open; idempotent. */
  async close(): Promise<void> {
    // A failed opening has cleaned up after itself, and its caller has reported it.
    const kernel = await this.#booting?.catch(() => undefined);
    await kernel?.close();
  }
}

/** Kinds of the kernel, with one instance per name. */
export class LazyKinds implements WorkloadKinds {
  readonly #kernel: LazyKernel;
  readonly #secretContext: () => Promise<SecretStoreHostContext>;
  readonly #runtimeName: string;
  readonly #calls: CallCounts | undefined;
  readonly #instances = new Map<string, Promise<unknown>>();

  constructor(input: {
    readonly kernel: LazyKernel;
    readonly runtimeName: string;
    readonly secretContext: () => Promise<SecretStoreHostContext>;
    readonly calls?: CallCounts | undefined;
  }) {
    this.#kernel = input.kernel;
    this.#runtimeName = input.runtimeName;
    this.#secretContext = input.secretContext;
    this.#calls = input.calls;
  }

  get schemes(): WorkloadKinds['schemes'] {
    return this.#kernel.opened.kinds.schemes;
  }

  get transports(): WorkloadKinds['transports'] {
    return this.#kernel.opened.kinds.transports;
  }

  get secretStores(): readonly string[] {
    return this.#kernel.opened.kinds.secretStores;
  }

  async openRuntime(): Promise<Runtime> {
    return await this.#once('runtime', async (kernel) => {
      const runtime = await kernel.createRuntime(this.#runtimeName);
      return this.#calls === undefined ? runtime : this.#calls.watch(runtime);
    });
  }

  async openTransport(name: string): Promise<Transport> {
    return await this.#once(`transport ${name}`, (kernel) => kernel.createTransport(name));
  }

  async openScheme(name: string): Promise<Scheme> {
    return await this.#once(`scheme ${name}`, (kernel) => kernel.createScheme(name));
  }

  async openSecretStore(name: string): Promise<OpenSecretStore> {
    return await this.#once(`secret store ${name}`, async (kernel) =>
      kernel.createSecretStore(name, await this.#secretContext()),
    );
  }

  async checkProxyMiddleware(name: string, settings: KindSettings | undefined): Promise<readonly string[]> {
    return await (await this.#kernel.open()).checkProxyMiddleware(name, settings);
  }

  /** Creates a new instance each time, because a run config may name a kind twice with different settings. */
  async openProxyMiddleware(
    name: string,
    context: ProxyContext,
    settings: KindSettings | undefined,
  ): ReturnType<WorkloadKinds['openProxyMiddleware']> {
    return await (await this.#kernel.open()).createProxyMiddleware(name, context, settings);
  }

  async checkOutgoingCredentials(
    name: string,
    settings: KindSettings | undefined,
  ): Promise<readonly string[]> {
    return await (await this.#kernel.open()).checkOutgoingCredentials(name, settings);
  }

  async openOutgoingCredentials(
    name: string,
    context: OutgoingCredentialsHostContext,
    settings: KindSettings | undefined,
  ): Promise<OutgoingCredentials> {
    return await (await this.#kernel.open()).createOutgoingCredentials(name, context, settings);
  }

  async checkSessionStore(address: URL): Promise<void> {
    await (await this.#kernel.open()).checkSessionStore(address);
  }

  async openSessionStore(context: SessionStoreHostContext): Promise<SessionStore> {
    return await (await this.#kernel.open()).createSessionStore(context);
  }

  async checkToolIndex(name: string): Promise<void> {
    await (await this.#kernel.open()).checkToolIndex(name);
  }

  async openToolIndex(name: string): Promise<ToolIndex> {
    return await this.#once(`tool index ${name}`, (kernel) => kernel.createToolIndex(name));
  }

  async checkAuthProvider(name: string, settings: KindSettings): Promise<void> {
    await (await this.#kernel.open()).checkAuthProvider(name, settings);
  }

  async checkAuthProviderOnline(
    name: string,
    settings: KindSettings,
    signal: AbortSignal,
  ): Promise<readonly KindProblem[]> {
    return await (await this.#kernel.open()).checkAuthProviderOnline(name, settings, signal);
  }

  async openAuthProvider(name: string, settings: KindSettings): Promise<OpenAuthProvider> {
    const { kind, instance } = await (await this.#kernel.open()).createAuthProvider(name, settings);
    return { instance, identifies: kind.identifies };
  }

  /**
   * Returns the instance for a key, creating it at the first call. The next call retries a failed creation.
   */
  async #once<Instance>(
    key: string,
    create: (kernel: WorkloadKernel) => Promise<Instance>,
  ): Promise<Instance> {
    // SAFETY: each key is used for instances of one type only.
    const earlier = this.#instances.get(key) as Promise<Instance> | undefined;
    if (earlier !== undefined) return await earlier;
    const creating = this.#kernel.open().then(create);
    this.#instances.set(key, creating);
    void creating.catch(() => this.#instances.delete(key));
    return await creating;
  }
}
