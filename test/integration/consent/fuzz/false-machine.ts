import { realpathSync } from 'node:fs';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type ContainerSpec, isPortolanError } from '@portolan/plugin-api';
import { createRecordingLogger, runtimeOfEngine } from '@portolan/plugin-testing';
import type { Grant } from '@portolan/run-spec';
import {
  type OpenedContext,
  openWorkloadContext,
} from '../../../../packages/cli/src/context/open-workload-context.ts';
import { planRun } from '../../../../packages/workload/src/run/plan-run.ts';
import { runWorkload } from '../../../../packages/workload/src/run/run-workload.ts';
import { draftContainer } from '../../../../packages/workload/src/supervisor/container/plan-container.ts';
import { EffectRecorder } from './effect-recorder.ts';
import { falseEngine } from './false-engine.ts';
import { falseFetch, lookUpFalsely, Sink } from './false-network.ts';
import type { ObservedRun } from './find-uncovered.ts';
import { CANARIES } from './random-strangers.ts';

type Request = Parameters<typeof planRun>[0];

/** A run with all its effects. `error` is the reason of its end. */
export interface Outcome extends ObservedRun {
  readonly error: unknown;
}

const START_MS = 250;

/** A user's machine with files, secrets and variables, and a fake engine and network. */
export class FalseMachine {
  readonly home: string;
  readonly work: string;
  readonly own: string;
  readonly #root: string;
  readonly #sink = new Sink();
  #sinkPort = 0;

  constructor(root: string) {
    this.#root = root;
    this.home = path.join(root, 'home');
    this.work = path.join(root, 'work');
    this.own = path.join(root, 'own');
  }

  async open(): Promise<void> {
    await mkdir(path.join(this.home, '.ssh'), { recursive: true });
    await mkdir(path.join(this.work, 'notes'), { recursive: true });
    await writeFile(path.join(this.home, '.ssh/id'), CANARIES.file);
    await writeFile(path.join(this.work, 'notes/a.txt'), CANARIES.file);
    await symlink(path.join(this.home, '.ssh'), path.join(this.work, 'link'));
    this.#sinkPort = await this.#sink.open();
  }

  async close(): Promise<void> {
    await this.#sink.close();
  }

  /** Names a file outside the folders that a stranger may not touch. */
  file(name: string): string {
    return path.join(this.#root, name);
  }

  realPath(file: string): string {
    try {
      return realpathSync.native(file);
    } catch {
      return file; // The file does not exist.
    }
  }

  /** Plans a request. A plan has no consent, so no grant covers its effects. */
  async plan(request: Request, catalogue: string | undefined): Promise<Outcome> {
    const shown: Grant[] = [];
    const outcome = await this.#observe(catalogue, [], async (context) => {
      const { grants } = await planRun(request, context, new AbortController().signal);
      shown.push(...grants);
    });
    return { ...outcome, grants: shown };
  }

  /** Runs a request with the response yes to every question. */
  async run(request: Request, catalogue: string | undefined): Promise<Outcome> {
    const grants: Grant[] = [];
    return await this.#observe(catalogue, grants, async (context, stop) => {
      await runWorkload(
        request,
        context,
        {
          observer: {
            step: () => undefined,
            image: () => undefined,
            warn: () => undefined,
            note: () => undefined,
            ready: () => stop.abort(new Error('ready')),
            ask: () => Promise.resolve('answered'),
            consent: ({ grants: asked }) => {
              grants.push(...asked);
              return Promise.resolve('once');
            },
          },
          program: [process.execPath],
          replace: false,
          detachEarly: false,
          foreground: true,
          startTimeoutMs: START_MS,
        },
        stop.signal,
      );
    });
  }

  async #observe(
    catalogue: string | undefined,
    grants: readonly Grant[],
    work: (context: OpenedContext, stop: AbortController) => Promise<void>,
  ): Promise<Outcome> {
    await rm(this.own, { recursive: true, force: true });
    await mkdir(path.join(this.own, 'runtime'), { recursive: true, mode: 0o700 });
    const recorder = new EffectRecorder([this.home, this.work], this.#sinkPort);
    this.#sink.received = (port, text) => recorder.received(port, text);
    const seen = { specs: [] as ContainerSpec[], builds: [] as string[], pulls: [] as string[] };
    const isolation = { isOn: true };
    const stop = new AbortController();
    const context = await this.#context(catalogue, recorder, { ...seen, isolation, stop });
    let error: unknown;
    recorder.begin();
    try {
      await work(context, stop);
    } catch (thrown) {
      if (!isPortolanError(thrown) && !stop.signal.aborted) throw thrown;
      error = thrown;
    } finally {
      await context.close();
      recorder.end();
    }
    return { ...seen, grants, effects: recorder.effects, isIsolated: isolation.isOn, error };
  }

  async #context(
    catalogue: string | undefined,
    recorder: EffectRecorder,
    seen: {
      readonly specs: ContainerSpec[];
      readonly builds: string[];
      readonly pulls: string[];
      readonly isolation: { isOn: boolean };
      readonly stop: AbortController;
    },
  ): Promise<OpenedContext> {
    const opened = await openWorkloadContext({
      environment: this.#environment(),
      debug: false,
      configFile: undefined,
      needsKinds: true,
      logger: createRecordingLogger(),
    });
    const engine = falseEngine({
      pulled: (reference) => seen.pulls.push(reference),
      built: (context) => seen.builds.push(context),
      created: async () => {
        const [stored] = await opened.store.list();
        const config = stored?.config;
        if (config === undefined) return;
        seen.isolation.isOn = config.isolate_network;
        const transport = await opened.kinds.openTransport(config.transport);
        const secrets = Object.fromEntries(config.secrets.map((text) => [text, CANARIES.secret]));
        seen.specs.push(
          draftContainer(config, {
            name: 'stranger',
            labels: {},
            image: { id: 'sha256:1d', user: '', environment: {} },
            engine: { rootless: false },
            transport,
            serves: 'shared',
            secrets,
            gateway: undefined,
            overlays: [],
            publishAddress: config.host === '' ? '127.0.0.1' : config.host,
            paths: { workingDirectory: this.work, home: this.home },
            caller: undefined,
            writableRoot: false,
          }),
        );
        seen.stop.abort(new Error('created'));
      },
    });
    const send = (url: URL, text: string): void => {
      const { hostname: host, port, protocol } = url;
      const isTls = protocol === 'https:';
      recorder.effects.push({ did: 'connect', host, port: Number(port), isTls }, { did: 'send', host, text });
    };
    return {
      ...opened,
      home: this.home,
      workingDirectory: this.work,
      kinds: withRuntime(opened.kinds, () => Promise.resolve(runtimeOfEngine(engine))),
      openFetch: falseFetch(send),
      lookUpHost: lookUpFalsely,
      user: { ...opened.user, ...(catalogue === undefined ? {} : { localRegistryPath: catalogue }) },
      close: () => opened.close(),
    };
  }

  #environment(): Readonly<Record<string, string>> {
    return {
      HOME: this.home,
      PATH: '/nonexistent',
      XDG_CONFIG_HOME: path.join(this.own, 'config'),
      XDG_STATE_HOME: path.join(this.own, 'state'),
      XDG_DATA_HOME: path.join(this.own, 'data'),
      XDG_RUNTIME_DIR: path.join(this.own, 'runtime'),
      AWS_SECRET_ACCESS_KEY: CANARIES.variable,
      TOOLHIVE_REMOTE_OAUTH_CLIENT_SECRET: CANARIES.variable,
      PORTOLAN_SECRETS_PROVIDER: 'environment',
      ...Object.fromEntries(
        ['MINE', 'KEY', 'X-Key', 'OLD', 'V'].map((name) => [`PORTOLAN_SECRET_${name}`, CANARIES.secret]),
      ),
    };
  }
}

/** Returns the kinds with another runtime. */
function withRuntime<Kinds extends object>(kinds: Kinds, openRuntime: unknown): Kinds {
  return new Proxy(kinds, {
    get: (target, key) => {
      if (key === 'openRuntime') return openRuntime;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
