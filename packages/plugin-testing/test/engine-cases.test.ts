import type { ContainerEngine, ContainerSpec, Labels, LogLine, RuntimeKind } from '@portolan/plugin-api';
import { expect } from 'chai';
import {
  engineCases,
  engineContract,
  type EngineUnderTest,
  FakeAttachment,
  runtimeOfEngine,
} from '../src/index.ts';
import { failingCases } from './support/failing-cases.ts';
import { COMMANDS, IMAGE, MemoryEngine } from './support/memory-engine.ts';

const kind: RuntimeKind = {
  kind: 'memory',
  config: { type: 'object', description: 'Containers in memory.', properties: {} },
  create: () => runtimeOfEngine(new MemoryEngine()),
};

/** A broken one may be given up early; the sound one has the time that a busy machine takes. */
function underTest(make: () => ContainerEngine, withinMs = 500): EngineUnderTest {
  const engines = new WeakMap<ContainerEngine, MemoryEngine>();
  return {
    name: 'memory',
    kind,
    create: () => {
      const engine = make();
      if (engine instanceof MemoryEngine) engines.set(engine, engine);
      return runtimeOfEngine(engine);
    },
    image: IMAGE,
    commands: COMMANDS,
    makeNetwork: async (engine, name, labels) => engines.get(engine)?.makeNetwork(name, labels) ?? '',
    withinMs,
  };
}

describe('engineContract', () => {
  engineContract(underTest(() => new MemoryEngine(), 15_000));
});

describe('engineCases', () => {
  const broken: readonly {
    readonly title: string;
    readonly make: () => ContainerEngine;
    readonly breaks: string;
  }[] = [
    {
      title: 'does not say where it is',
      make: () =>
        new (class extends MemoryEngine {
          override async describe() {
            return { ...(await super.describe()), address: '' };
          }
        })(),
      breaks: 'reports the name and the address of the engine',
    },
    {
      title: 'knows an image by its name alone',
      make: () =>
        new (class extends MemoryEngine {
          override async inspectImage(reference: string) {
            return reference === IMAGE ? await super.inspectImage(reference) : undefined;
          }
        })(),
      breaks: 'describes an existing image by reference and by id',
    },
    {
      title: 'provides any image for one that is not there',
      make: () =>
        new (class extends MemoryEngine {
          override async provideImage() {
            return await super.provideImage(IMAGE);
          }
        })(),
      breaks: 'finds no missing image, and throws when it needs one',
    },
    {
      title: 'forgets the status of a container',
      make: () =>
        new (class extends MemoryEngine {
          override end(...[kept]: Parameters<MemoryEngine['end']>) {
            super.end(kept, 0);
          }
        })(),
      breaks: 'runs a container until it exits, and keeps its status and its log',
    },
    {
      title: 'keeps no log',
      make: () =>
        new (class extends MemoryEngine {
          override async *readLogs(): AsyncGenerator<LogLine> {
            // Nothing.
          }
        })(),
      breaks: 'runs a container until it exits, and keeps its status and its log',
    },
    {
      title: 'starts what it only creates',
      make: () =>
        new (class extends MemoryEngine {
          override async createContainer(spec: ContainerSpec) {
            const id = await super.createContainer(spec);
            await this.startContainer(id);
            return id;
          }
        })(),
      breaks: 'runs a container until it exits, and keeps its status and its log',
    },
    {
      title: 'lists what carries some of the labels',
      make: () =>
        new (class extends MemoryEngine {
          override async listContainers(labels: Labels) {
            const [first] = Object.entries(labels);
            return await super.listContainers(first === undefined ? {} : Object.fromEntries([first]));
          }
        })(),
      breaks: 'applies name, labels and environment of the spec',
    },
    {
      title: 'has two containers of one name',
      make: () => {
        let copies = 0;
        return new (class extends MemoryEngine {
          override async createContainer(spec: ContainerSpec) {
            const name = this.find(spec.name) === undefined ? spec.name : `${spec.name}-${(copies += 1)}`;
            return await super.createContainer({ ...spec, name });
          }
        })();
      },
      breaks: 'refuses a second container with the same name',
    },
    {
      title: 'loses the output of a container',
      make: () =>
        new (class extends MemoryEngine {
          override async attachContainer(container: string) {
            const attachment = await super.attachContainer(container);
            const silent = new FakeAttachment();
            void attachment.ended.then(() => silent.end());
            return {
              stdout: silent.stdout,
              stderr: silent.stderr,
              ended: attachment.ended,
              write: (bytes: Uint8Array) => attachment.write(bytes),
              endInput: () => attachment.endInput(),
              close: () => attachment.close(),
            };
          }
        })(),
      breaks: 'connects standard input and output, and loses nothing that is written at the start',
    },
    {
      title: 'fails to stop what has stopped',
      make: () =>
        new (class extends MemoryEngine {
          override async stopContainer(container: string) {
            if (!this.get(container).state.running) throw new Error('it does not run');
            await super.stopContainer(container);
          }
        })(),
      breaks: 'stops and removes a container, also one that is already stopped or removed',
    },
    {
      title: 'does not end what it stops',
      make: () =>
        new (class extends MemoryEngine {
          override async stopContainer() {
            // It goes on.
          }
        })(),
      breaks: 'stops and removes a container, also one that is already stopped or removed',
    },
    {
      title: 'removes nothing that runs',
      make: () =>
        new (class extends MemoryEngine {
          override async removeContainer(container: string) {
            const kept = this.find(container);
            if (kept?.state.running === true) throw new Error('it runs');
            await super.removeContainer(container);
          }
        })(),
      breaks: 'removes a running container',
    },
    {
      title: 'waits on when the signal aborts',
      make: () =>
        new (class extends MemoryEngine {
          override async waitForExit(container: string) {
            return await super.waitForExit(container);
          }
        })(),
      breaks: 'stops waiting with the reason when its signal aborts, and leaves the container unchanged',
    },
    {
      title: 'ends the container when nobody waits for it any more',
      make: () =>
        new (class extends MemoryEngine {
          override async waitForExit(container: string, signal?: AbortSignal) {
            signal?.addEventListener('abort', () => void this.stopContainer(container));
            return await super.waitForExit(container, signal);
          }
        })(),
      breaks: 'stops waiting with the reason when its signal aborts, and leaves the container unchanged',
    },
    {
      title: 'lists networks of others',
      make: () =>
        new (class extends MemoryEngine {
          constructor() {
            super();
            this.makeNetwork('bridge', {});
          }
          override async listNetworks() {
            return [...this.networks.values()];
          }
        })(),
      breaks: 'lists no missing network, and removes one without an error',
    },
    {
      title: 'fails to remove a network that is gone',
      make: () =>
        new (class extends MemoryEngine {
          override async removeNetwork(network: string) {
            if (!this.networks.has(network)) throw new Error('there is none');
            await super.removeNetwork(network);
          }
        })(),
      breaks: 'lists and removes networks',
    },
    {
      title: 'leaves a container behind',
      make: () =>
        new (class extends MemoryEngine {
          override async createContainer(spec: ContainerSpec) {
            await super.createContainer({ ...spec, name: `${spec.name}-helper` });
            return await super.createContainer(spec);
          }
        })(),
      breaks: 'removes a running container',
    },
  ];
  for (const { title, make, breaks } of broken) {
    it(`fails for an engine that ${title}`, async () => {
      const only = engineCases(underTest(make)).filter((one) => one.title === breaks);
      expect(await failingCases(only)).to.deep.equal([breaks]);
    });
  }

  it('fails for an engine that is not closed', async () => {
    const options = underTest(() => new MemoryEngine());
    const timers: NodeJS.Timeout[] = [];
    const leaking: EngineUnderTest = {
      ...options,
      create: async (context) => {
        timers.push(setTimeout(() => undefined, 60_000));
        return await options.create(context);
      },
    };
    const [only] = engineCases(leaking).filter(({ title }) => title.startsWith('reports the name'));
    try {
      expect(await failingCases(only === undefined ? [] : [only])).to.have.lengthOf(1);
    } finally {
      for (const timer of timers) clearTimeout(timer);
    }
  });
});
