import { RegistryUnderTest, type RegistryOptions } from '../../support/registry-under-test.ts';
import { skipSuite } from '../../support/skip-suite.ts';
import { type Engine, ENGINES, POSTGRES } from '../../support/test-database.ts';
import { Person } from './person.ts';

/** A server of the suite and its callers. */
export interface Scene {
  readonly engine: Engine;
  readonly server: RegistryUnderTest;
  /** Returns a caller with a token that has these claims, or without a token. */
  readonly person: (claims?: Readonly<Record<string, unknown>>) => Person;
  /** Caller with the role superAdmin and no other claim. In anonymous mode, a caller without a token. */
  readonly admin: Person;
}

/**
 * Defines a suite that runs once on each database engine, with its own servers, which start at the same time.
 * The scene exists when the tests run, not when they are defined.
 */
export function onEachEngine(
  title: string,
  options: Omit<RegistryOptions, 'engine'>,
  define: (scene: () => Scene) => void,
): void {
  const open = async (engine: Engine): Promise<Scene> => await openScene({ ...options, engine });
  describeOnEngines(title, { open, close: ({ server }) => server.close() }, define);
}

/** Defines the same suite with another function that opens scenes, which are closed after it. */
export function describeOnEngines(
  title: string,
  way: {
    readonly open: (engine: Engine) => Promise<Scene>;
    readonly close?: (scene: Scene) => Promise<void>;
  },
  define: (scene: () => Scene) => void,
): void {
  describe(title, function () {
    this.timeout(180_000);
    const scenes = new Map<Engine, Scene>();
    before(async () => {
      const usable = ENGINES.filter((engine) => engine === 'SQLite' || POSTGRES !== undefined);
      const starts = usable.map(async (engine) => {
        scenes.set(engine, await way.open(engine));
      });
      const failed = (await Promise.allSettled(starts)).find(({ status }) => status === 'rejected');
      if (failed?.status === 'rejected') throw failed.reason;
    });
    after(async () => {
      await Promise.all([...scenes.values()].map(async (scene) => way.close?.(scene)));
    });
    for (const engine of ENGINES) {
      describe(`on ${engine}`, () => {
        before(function () {
          if (!scenes.has(engine)) skipSuite(this, 'PORTOLAN_TEST_POSTGRES_URL names no server');
        });
        define(() => {
          const scene = scenes.get(engine);
          if (scene === undefined) throw new Error(`nothing was started on ${engine}`);
          return scene;
        });
      });
    }
  });
}

/**
 * Restarts the server of a scene with another configuration on the same database, and returns the result of
 * `use`. Ends both processes.
 */
export async function withRestarted(
  { server, engine }: Scene,
  options: Omit<RegistryOptions, 'engine' | 'beside'>,
  use: (scene: Scene) => Promise<void>,
): Promise<void> {
  await server.process.stop();
  const scene = await openScene({ ...options, engine, beside: server });
  try {
    await use(scene);
  } finally {
    await scene.server.close();
  }
}

/** Starts a server. The caller has to close it. */
export async function openScene(options: RegistryOptions): Promise<Scene> {
  const { engine, mode } = options;
  const server = await RegistryUnderTest.start(options);
  const person: Scene['person'] = (claims) => new Person(server, claims);
  return { engine, server, person, admin: person(mode === 'anonymous' ? undefined : { role: 'admin' }) };
}
