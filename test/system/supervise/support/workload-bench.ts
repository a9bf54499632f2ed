import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { isPortolanError, type ContainerEngine, type Transport } from '@portolan/plugin-api';
import {
  createRecordingLogger,
  createTestContext,
  engineOf,
  runtimeOfEngine,
} from '@portolan/plugin-testing';
import { dockerRuntime } from '@portolan/runtime-docker';
import { sseTransport } from '@portolan/transport-sse';
import { stdioTransport } from '@portolan/transport-stdio';
import { streamableHttpTransport } from '@portolan/transport-streamable-http';
import {
  choosePort,
  directoriesOf,
  logFilesOf,
  ownProcess,
  type SupervisedEnd,
  type SupervisorOrder,
  type SupervisorReport,
  type WorkloadContext,
  WorkloadStore,
} from '@portolan/workload';
import { superviseWorkload } from '@portolan/workload/supervisor';
import { createRunConfig, NO_USER_SETTINGS, normalizeRunConfig, type RunConfig } from '@portolan/run-spec';
import { expect } from 'chai';
import { skipSuite } from '../../../support/skip-suite.ts';

export const NODE_IMAGE = 'portolan-test/node';
const TEST_LABEL = 'example.acme.bench';
const DOCKER = { memoryMegabytes: 256, cpus: 2, processes: 64, openFiles: 1024, stopGrace: '10s' };

/** A workload that a test supervises in its own process. */
export interface Supervised {
  readonly config: RunConfig;
  readonly reports: readonly SupervisorReport[];
  /** Settles when the workload is ready, and rejects like supervision. */
  readonly ready: Promise<{ readonly url: string; readonly instance: string }>;
  readonly ended: Promise<SupervisedEnd>;
  stop(): Promise<SupervisedEnd>;
}

export interface SupervisionChange {
  readonly context?: Partial<WorkloadContext>;
  readonly order?: Partial<SupervisorOrder>;
  readonly heard?: (report: SupervisorReport) => void;
}

/** The real engine with its own folders. All created resources are counted after the suite. */
export class WorkloadBench {
  readonly run = randomBytes(5).toString('hex');
  readonly logger = createRecordingLogger();
  readonly labels = { [TEST_LABEL]: this.run };
  readonly #supervised: Supervised[] = [];
  readonly #engine: { readonly host?: string };
  #runtime: ContainerEngine | undefined;
  #root = '';
  #names = 0;

  /** Address of the engine. The default is that of the machine. */
  constructor(engine: { readonly host?: string } = {}) {
    this.#engine = engine;
  }

  get runtime(): ContainerEngine {
    if (this.#runtime === undefined) throw new Error('the suite has no engine yet');
    return this.#runtime;
  }

  /** Variables for processes that use the same folders. */
  get environment(): Readonly<Record<string, string>> {
    return {
      XDG_CONFIG_HOME: path.join(this.#root, 'config'),
      XDG_STATE_HOME: path.join(this.#root, 'state'),
      XDG_DATA_HOME: path.join(this.#root, 'data'),
      XDG_RUNTIME_DIR: this.#root,
    };
  }

  async open(suite?: Mocha.Context): Promise<void> {
    this.#root = await mkdtemp(path.join(tmpdir(), 'portolan-sup-'));
    try {
      const block = { ...DOCKER, ...this.#engine };
      this.#runtime = engineOf(await dockerRuntime.create(block, createTestContext()));
    } catch (error) {
      if (suite === undefined || !isPortolanError(error) || error.code !== 'ERR_RUNTIME_UNREACHABLE')
        throw error;
      skipSuite(suite, 'no container engine; scripts/container-env.sh up starts one');
    }
    if (suite !== undefined && (await this.runtime.inspectImage(NODE_IMAGE)) === undefined) {
      skipSuite(suite, `no image ${NODE_IMAGE}; scripts/container-env.sh up makes it`);
    }
  }

  context(change: Partial<WorkloadContext> = {}): WorkloadContext {
    const directories = directoriesOf({
      platform: process.platform,
      environment: this.environment,
      home: homedir(),
      temporary: tmpdir(),
      userId: process.getuid?.(),
    });
    const clock = (): Date => new Date();
    return {
      directories,
      environment: this.environment,
      home: homedir(),
      workingDirectory: this.#root,
      store: new WorkloadStore({ directories, clock }),
      user: NO_USER_SETTINGS,
      kinds: {
        schemes: new Map(),
        transports: new Map([
          ['stdio', 'messages'],
          ['sse', 'http'],
          ['streamable-http', 'http'],
        ]),
        secretStores: [],
        openRuntime: () => Promise.resolve(runtimeOfEngine(this.runtime)),
        openTransport: async (name) => await this.#openTransport(name),
        openScheme: () => Promise.reject(new Error('no schemes here')),
        openSecretStore: () => Promise.reject(new Error('no secret stores here')),
        checkProxyMiddleware: () => Promise.reject(new Error('no proxy middleware here')),
        checkOutgoingCredentials: () => Promise.reject(new Error('no credentials here')),
        openOutgoingCredentials: () => Promise.reject(new Error('no credentials here')),
        checkSessionStore: () => Promise.reject(new Error('no session store here')),
        openSessionStore: () => Promise.reject(new Error('no session store here')),
        checkToolIndex: () => Promise.resolve(),
        openToolIndex: () => Promise.reject(new Error('no tool index here')),
        checkAuthProvider: () => Promise.reject(new Error('no auth provider here')),
        checkAuthProviderOnline: async () => await Promise.resolve([]),
        openAuthProvider: () => Promise.reject(new Error('no auth provider here')),
        openProxyMiddleware: () => Promise.reject(new Error('no proxy middleware here')),
      },
      hooks: {
        containerStart: (spec, { harden }) => Promise.resolve(harden(spec)),
        containerExit: () => Promise.resolve(),
      },
      logger: this.logger,
      clock,
      openFetch: () => Promise.reject(new Error('nothing is fetched here')),
      lookUpHost: () => Promise.resolve([]),
      trustOnly: () => undefined,
      version: '0.0.0-test',
      ...change,
    };
  }

  /** Returns the settings of a workload of the test image, in the form of `portolan run`. */
  async config(fields: Partial<RunConfig>): Promise<RunConfig> {
    this.#names += 1;
    // From 10000 to 32214: Linux takes ports of outgoing connections from above that.
    const random = (): number => Math.random() * 0.4;
    const port = await choosePort({ host: '127.0.0.1', reserved: new Set(), random });
    return normalizeRunConfig(
      createRunConfig({
        name: `sup-${this.run}-${this.#names}`,
        image: NODE_IMAGE,
        transport: 'stdio',
        host: '127.0.0.1',
        port,
        target_host: '127.0.0.1',
        group: 'default',
        container_labels: this.labels,
        permission_profile: { network: { outbound: {} } },
        isolate_network: true,
        ...fields,
      }),
    );
  }

  /** Claims the name and supervises, like the process of a supervisor. */
  async supervise(config: RunConfig, change: SupervisionChange = {}): Promise<Supervised> {
    const context = this.context(change.context);
    await context.store.claim(config, await ownProcess(), { replace: true });
    return this.superviseAgain(config, change);
  }

  /** Supervises a workload that is already in the store. */
  superviseAgain(config: RunConfig, change: SupervisionChange = {}): Supervised {
    const reports: SupervisorReport[] = [];
    const stop = new AbortController();
    const ready = Promise.withResolvers<{ readonly url: string; readonly instance: string }>();
    ready.promise.catch(() => undefined);
    const ended = superviseWorkload(
      orderOf(config, change.order),
      this.context(change.context),
      (report) => {
        reports.push(report);
        change.heard?.(report);
        if (report.report === 'ready') ready.resolve(report);
      },
      stop.signal,
    );
    ended.then(
      () => ready.reject(new Error('it ended before it was ready')),
      (error: unknown) => ready.reject(error),
    );
    const supervised: Supervised = {
      config,
      reports,
      ready: ready.promise,
      ended,
      stop: () => {
        stop.abort();
        return ended;
      },
    };
    this.#supervised.push(supervised);
    return supervised;
  }

  /** Returns the containers of one workload or of the whole suite: names without their common part. */
  async containers(name?: string): Promise<readonly string[]> {
    const found = await this.runtime.listContainers(this.labels);
    return found
      .map((one) => one.name.replace(/^\//, ''))
      .filter((one) => name === undefined || one === name || one.startsWith(`${name}-`))
      .toSorted();
  }

  async statusOf(name: string): Promise<string | undefined> {
    return (await this.context().store.find(name))?.state?.status;
  }

  async readLog(name: string, which: 'server' | 'network'): Promise<string> {
    return await readFile(logFilesOf(name, this.context().directories)[which], 'utf8');
  }

  /** Files below the folder of sockets. */
  async runtimeFiles(): Promise<readonly string[]> {
    return await readdir(path.join(this.#root, 'portolan'), { recursive: true }).catch(() => []);
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#supervised.map((one) => one.stop()));
    if (this.#runtime !== undefined) {
      const containers = await this.containers();
      const networks = await this.runtime.listNetworks(this.labels);
      const files = await this.runtimeFiles();
      for (const { id } of await this.runtime.listContainers(this.labels))
        await this.runtime.removeContainer(id);
      for (const { id } of networks) await this.runtime.removeNetwork(id);
      await rm(this.#root, { recursive: true, force: true });
      expect({ containers, networks, files }).to.deep.equal({ containers: [], networks: [], files: [] });
    }
    await rm(this.#root, { recursive: true, force: true });
  }

  async #openTransport(name: string): Promise<Transport> {
    const kinds = [stdioTransport, sseTransport, streamableHttpTransport];
    const kind = kinds.find((one) => one.kind === name);
    if (kind === undefined) throw new Error(`no transport ${name}`);
    return await kind.create({}, createTestContext());
  }
}

export function orderOf(config: RunConfig, change: Partial<SupervisorOrder> = {}): SupervisorOrder {
  return {
    name: config.name,
    secrets: {},
    headers: {},
    policySecrets: {},
    startTimeoutMs: 20_000,
    foreground: false,
    ...change,
  };
}

/** Opens the engine before the calling suite, and counts resources after it. */
export function useWorkloadBench(): WorkloadBench {
  const bench = new WorkloadBench();
  before(async function () {
    this.timeout(180_000);
    await bench.open(this);
  });
  after(async function () {
    this.timeout(120_000);
    await bench.close();
  });
  return bench;
}
