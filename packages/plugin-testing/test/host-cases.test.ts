import type {
  HostedServer,
  HostedServerEvents,
  Labels,
  RuntimeKind,
  WorkloadHost,
} from '@portolan/plugin-api';
import { expect } from 'chai';
import { hostCases, hostContract, type HostUnderTest } from '../src/index.ts';
import { failingCases } from './support/failing-cases.ts';
import { IMAGE, MemoryHost } from './support/memory-host.ts';

type Kept = Parameters<MemoryHost['close']>[0];

const kind: RuntimeKind = {
  kind: 'memory',
  config: { type: 'object', description: 'Servers in this process.', properties: {} },
  create: () => runtimeOf(new MemoryHost()),
};

function runtimeOf(host: WorkloadHost) {
  return { runs: 'workloads', host, close: () => Promise.resolve() } as const;
}

/** A broken one may be given up early; the sound one has the time that a busy machine takes. */
function underTest(make: () => WorkloadHost, withinMs = 500): HostUnderTest {
  return {
    name: 'memory',
    kind,
    create: () => runtimeOf(make()),
    http: { image: IMAGE, arguments: ['http'], port: 8080 },
    stdio: { image: IMAGE, arguments: ['stdio'] },
    missingImage: 'acme/missing:1',
    withinMs,
  };
}

describe('hostContract', () => {
  hostContract(underTest(() => new MemoryHost(), 20_000));
});

describe('hostCases', () => {
  const ENDS = 'ends an unresponsive server, reports the exit once, and starts it again';
  const STARTS = 'starts a server that is reachable as its backend says, and lists it by its labels';
  const REMOVES =
    'removes a server that runs, tells that it was removed, and takes one that is not there for removed';
  const broken: readonly {
    readonly title: string;
    readonly make: () => WorkloadHost;
    readonly breaks: string;
  }[] = [
    {
      title: 'enforces what nobody knows',
      make: () =>
        new (class extends MemoryHost {
          override async describe() {
            return { ...(await super.describe()), enforces: ['everything' as 'confinement'] };
          }
        })(),
      breaks: 'reports its name and what it enforces',
    },
    {
      title: 'starts what it only opens',
      make: () =>
        new (class extends MemoryHost {
          override async open(...args: Parameters<MemoryHost['open']>) {
            const opened = await super.open(...args);
            await opened.start(args[2]);
            return opened;
          }
        })(),
      breaks: 'opens a server without starting it, and removes it on the first or second close',
    },
    {
      title: 'keeps what was closed',
      make: () =>
        new (class extends MemoryHost {
          override async close(kept: Kept) {
            await this.stop(kept);
          }
        })(),
      breaks: 'opens a server without starting it, and removes it on the first or second close',
    },
    {
      title: 'cannot be closed twice',
      make: () =>
        new (class extends MemoryHost {
          override async close(kept: Kept) {
            if (!this.servers.has(kept.id)) throw new Error('it is closed');
            await super.close(kept);
          }
        })(),
      breaks: 'opens a server without starting it, and removes it on the first or second close',
    },
    {
      title: 'starts nothing',
      make: () =>
        new (class extends MemoryHost {
          override async start() {
            // It says that it has.
          }
        })(),
      breaks: STARTS,
    },
    {
      title: 'lists servers of others',
      make: () =>
        new (class extends MemoryHost {
          override async listServers() {
            return await super.listServers({});
          }
        })(),
      breaks: STARTS,
    },
    {
      title: 'goes on with a server that was closed',
      make: () =>
        new (class extends MemoryHost {
          readonly left: Kept[] = [];
          override async close(kept: Kept) {
            this.servers.delete(kept.id);
            if (this.left.includes(kept)) await this.stop(kept);
            else this.left.push(kept);
          }
        })(),
      breaks: STARTS,
    },
    {
      title: 'does not tell of the end of a server',
      make: () => told((events) => ({ ...events, ended: () => undefined })),
      breaks: ENDS,
    },
    {
      title: 'tells of an end twice',
      make: () =>
        told((events) => ({ ...events, ended: (exit) => [exit, exit].forEach((one) => events.ended(one)) })),
      breaks: ENDS,
    },
    {
      title: 'tells of an end that was asked for',
      make: () =>
        new (class extends MemoryHost {
          override async close(kept: Kept) {
            if (kept.listening !== undefined) kept.told.ended({ exitCode: 0, how: 'it was closed' });
            await super.close(kept);
          }
        })(),
      breaks: ENDS,
    },
    {
      title: 'does not say that a server was removed',
      make: () =>
        told((events) => ({ ...events, ended: (exit) => events.ended({ ...exit, removed: false }) })),
      breaks: REMOVES,
    },
    {
      title: 'fails to remove a server that is gone',
      make: () =>
        new (class extends MemoryHost {
          override async removeServer(id: string) {
            if (!this.servers.has(id)) throw new Error('there is none');
            await super.removeServer(id);
          }
        })(),
      breaks: REMOVES,
    },
    {
      title: 'runs an image that is not there',
      make: () =>
        new (class extends MemoryHost {
          override async open(server: HostedServer, events: HostedServerEvents, signal: AbortSignal) {
            return await super.open({ ...server, image: IMAGE }, events, signal);
          }
        })(),
      breaks: 'refuses an image that it cannot run, before or at the start, and leaves nothing behind',
    },
    {
      title: 'opens a server when its signal has aborted',
      make: () =>
        new (class extends MemoryHost {
          override async open(server: HostedServer, events: HostedServerEvents) {
            return await super.open(server, events, new AbortController().signal);
          }
        })(),
      breaks: 'rejects with the reason when its signal has aborted',
    },
    {
      title: 'gives two sessions one process',
      make: () =>
        new (class extends MemoryHost {
          readonly shared = new Map<string, ReturnType<MemoryHost['connection']>>();
          override connection(kept: Kept) {
            const connection = this.shared.get(kept.id) ?? super.connection(kept);
            this.shared.set(kept.id, connection);
            return connection;
          }
        })(),
      breaks: 'opens separate processes of a stdio server',
    },
    {
      title: 'leaves a server behind',
      make: () =>
        new (class extends MemoryHost {
          override async open(...args: Parameters<MemoryHost['open']>) {
            const { labels } = args[0];
            const more = { ...labels } satisfies Labels;
            await super.open({ ...args[0], name: `${args[0].name}-helper`, labels: more }, args[1], args[2]);
            return await super.open(...args);
          }
        })(),
      breaks: 'opens a server without starting it, and removes it on the first or second close',
    },
  ];
  for (const { title, make, breaks } of broken) {
    it(`fails for a host that ${title}`, async () => {
      const only = hostCases(underTest(make)).filter((one) => one.title === breaks);
      expect(await failingCases(only)).to.deep.equal([breaks]);
    });
  }
});

/** A host that tells of its servers otherwise. */
function told(change: (events: HostedServerEvents) => HostedServerEvents): WorkloadHost {
  return new (class extends MemoryHost {
    override async open(server: HostedServer, events: HostedServerEvents, signal: AbortSignal) {
      return await super.open(server, change(events), signal);
    }
  })();
}
