import { RegistryUnderTest, type RegistryOptions } from '../../support/registry-under-test.ts';
import { skipSuite } from '../../support/skip-suite.ts';
import { type Engine, ENGINES, POSTGRES } from '../../support/test-database.ts';
import { Person } from './person.ts';

/** A server of the suite and the people who send it requests. */
export interface Scene {
  readonly engine: Engine;
  readonly server: RegistryUnderTest;
  /** Somebody whose token has these claims; without any, somebody who sends no token. */
  readonly person: (claims?: Readonly<Record<string, unknown>>) => Person;
  /** With the role superAdmin and no other claim; in anonymous mode somebody without a token. */
  readonly admin: Person;
}

/**
 * A suite that runs once on each engine, with servers of its own that are
 * started at the same time. The scene is there when the tests run, not while
 * they are defined.
 */
export function onEachEngine(
  title: string,
  options: Omit<RegistryOptions, 'engine'>,
  define: (scene: () => Scene) => void,
): void {
  const open = async (engine: Engine): Promise<Scene> => await openScene({ ...options, engine });
  describeOnEngines(title, { open, close: ({ server }) => server.close() }, define);
}

/** The same with whatever opens scenes, and closes them when the suite is done. */
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
 * What `use` makes of another process in place of the server of a scene, with
 * another configuration and the same database. Neither process is left running.
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

/** Starts a server; whoever does closes it. */
export async function openScene(options: RegistryOptions): Promise<Scene> {
  const { engine, mode } = options;
  const server = await RegistryUnderTest.start(options);
  const person: Scene['person'] = (claims) => new Person(server, claims);
  return { engine, server, person, admin: person(mode === 'anonymous' ? undefined : { role: 'admin' }) };
}
