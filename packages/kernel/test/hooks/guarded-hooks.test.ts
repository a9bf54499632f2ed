import type {
  AccessRecord,
  Caller,
  Entry,
  Plugin,
  PluginContext,
  PublishRequest,
  SyncRecord,
} from '@portolan/plugin-api';
import { PortolanError } from '@portolan/plugin-api';
import { expect } from 'chai';
import fc from 'fast-check';
import type { BootOptions, Kernel } from '../../src/index.ts';
import { bootOptions, errorOf, LogLines, withKernel } from '../support/test-context.ts';

const entry = (name: string): Entry => ({
  type: 'server',
  name,
  version: '1.0.0',
  source: 'notes',
  claims: {},
  status: 'active',
  isLatest: true,
  document: {},
});
const [a, b, c] = [entry('x/a'), entry('x/b'), entry('x/c')];
const identity = { subject: 'ada', claims: {} };
const request: PublishRequest = {
  type: 'server',
  document: { name: 'x/a' },
  claims: undefined,
  source: undefined,
};

type Apply = (context: PluginContext) => void;

/** Whatever a plugin written in JavaScript may hand over, past the types. */
const loosely = (tap: unknown): never => tap as never;

async function withTaps<T>(
  applies: readonly Apply[],
  run: (kernel: Kernel, log: LogLines) => T | Promise<T>,
  more: Partial<BootOptions> = {},
): Promise<T> {
  const log = new LogLines();
  const pluginObjects = applies.map((apply, index) => {
    const plugin: Plugin = { name: `tapper-${index}`, apiVersion: 2, apply };
    return { plugin };
  });
  return await withKernel(bootOptions({ pluginObjects, logDestination: log, ...more }), (kernel) =>
    run(kernel, log),
  );
}

describe('hooks.filterEntries', () => {
  const good: readonly { title: string; tap: unknown; expected: readonly Entry[] }[] = [
    { title: 'all entries', tap: (entries: Entry[]) => entries, expected: [a, b, c] },
    { title: 'no entries', tap: () => [], expected: [] },
    {
      title: 'some entries',
      tap: (entries: Entry[]) => entries.filter(({ name }) => name !== 'x/b'),
      expected: [a, c],
    },
    { title: 'some entries of a promise', tap: async () => [b], expected: [b] },
  ];
  for (const { title, tap, expected } of good) {
    it(`returns ${title} for tap and tapPromise`, async () => {
      for (const method of ['tap', 'tapPromise'] as const) {
        await withTaps([({ hooks }) => hooks.filterEntries[method]('x', loosely(tap))], async ({ hooks }) => {
          expect(await hooks.filterEntries([a, b, c], undefined, 'main')).to.deep.equal(expected);
        });
      }
    });
  }

  const bad: readonly { title: string; tap: unknown; says: string }[] = [
    {
      title: 'throws',
      tap: () => {
        throw new Error('secret inside');
      },
      says: 'it threw an error',
    },
    {
      title: 'rejects',
      tap: async () => {
        throw new Error('secret inside');
      },
      says: 'it threw an error',
    },
    {
      title: 'throws a coded error',
      tap: () => {
        throw new PortolanError('ERR_X', 'fault', 'secret inside');
      },
      says: 'it threw an error',
    },
    { title: 'returns nothing', tap: () => undefined, says: 'it answered with nothing' },
    { title: 'resolves to nothing', tap: async () => undefined, says: 'it answered with nothing' },
    { title: 'returns a map', tap: () => ({}), says: 'it answered with a map' },
    { title: 'returns a number', tap: () => 1, says: 'it answered with something of type number' },
    {
      title: 'adds an entry',
      tap: (entries: Entry[]) => [...entries, entry('x/d')],
      says: 'may only remove',
    },
    {
      title: 'swaps an entry for a copy',
      tap: (entries: Entry[]) => entries.map((one) => ({ ...one })),
      says: 'may only remove',
    },
    { title: 'repeats an entry', tap: () => [a, a], says: 'may only remove' },
    { title: 'reorders entries', tap: () => [b, a], says: 'may only remove' },
    { title: 'leaves a hole in the list', tap: () => [a, undefined], says: 'may only remove' },
    {
      title: 'changes an entry in place',
      tap: (entries: { claims: Record<string, string> }[]) => {
        for (const { claims } of entries) claims['org'] = 'acme';
        return entries;
      },
      says: 'it threw an error',
    },
    {
      title: 'changes the document of an entry in place',
      tap: (entries: { document: { tags?: string[] } }[]) => {
        for (const { document } of entries) document.tags = ['public'];
        return entries;
      },
      says: 'it threw an error',
    },
    {
      title: 'changes the given list',
      tap: (entries: Entry[]) => {
        entries.push(entry('x/d'));
        return entries;
      },
      says: 'it threw an error',
    },
  ];
  for (const { title, tap, says } of bad) {
    it(`refuses when a tap ${title}, and names only plugin and hook`, async () => {
      await withTaps(
        [({ hooks }) => hooks.filterEntries.tap('another name', loosely(tap))],
        async ({ hooks }) => {
          const error = await errorOf(() => hooks.filterEntries([a, b, c], undefined, 'main'));
          expect(error.code).to.equal('ERR_PLUGIN_HOOK');
          expect(error.message)
            .to.include('"tapper-0"')
            .and.to.include('"filterEntries"')
            .and.to.include(says);
          expect(error.message).not.to.include('secret inside').and.not.to.include('another name');
          if (says === 'it threw an error') expect(error.cause).to.be.instanceOf(Error);
        },
      );
    });
  }

  it('prevents a later tap from restoring removed entries', async () => {
    const taps: Apply[] = [
      ({ hooks }) => hooks.filterEntries.tap('x', () => [a]),
      ({ hooks }) => hooks.filterEntries.tap('x', () => [a, b]),
    ];
    await withTaps(taps, async ({ hooks }) => {
      const error = await errorOf(() => hooks.filterEntries([a, b], undefined, 'main'));
      expect(error.message).to.include('"tapper-1"');
    });
  });

  it('returns only entries of its input, for any result of a tap', async () => {
    const answers = fc.array(fc.constantFrom(a, b, c, entry('x/d'), undefined), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(answers, async (answer) => {
        await withTaps(
          [
            ({ hooks }) =>
              hooks.filterEntries.tap(
                'x',
                loosely(() => answer),
              ),
          ],
          async ({ hooks }) => {
            const result: readonly Entry[] = await hooks
              .filterEntries([a, b], undefined, 'main')
              .catch(() => []);
            expect([a, b].filter((one) => result.includes(one))).to.deep.equal(result);
          },
        );
      }),
      { numRuns: 30 },
    );
  });

  it('runs taps by stage, then in the order of plugins', async () => {
    const order: string[] = [];
    const note =
      (text: string, stage?: number): Apply =>
      ({ hooks }) =>
        hooks.filterEntries.tap(stage === undefined ? 'x' : { name: 'x', stage }, (entries) => {
          order.push(text);
          return entries;
        });
    await withTaps(
      [note('late', 10), note('first'), note('early', -1), note('second')],
      async ({ hooks }) => {
        await hooks.filterEntries([], undefined, 'main');
      },
    );
    expect(order).to.deep.equal(['early', 'first', 'second', 'late']);
  });

  it('offers plugins no method to call or intercept it', async () => {
    await withTaps(
      [
        ({ hooks }) => {
          expect(Object.keys(hooks.filterEntries).toSorted()).to.deep.equal(['name', 'tap', 'tapPromise']);
          expect(Object.isFrozen(hooks)).to.equal(true);
        },
      ],
      () => undefined,
    );
  });
});

describe('hooks.filterCacheKey', () => {
  const ada: Caller = { ...identity, roles: [] };
  const keep = (entries: readonly Entry[]): readonly Entry[] => entries;
  const tapping =
    (cacheKey: unknown): Apply =>
    ({ hooks }) =>
      hooks.filterEntries.tap({ name: 'x', cacheKey: loosely(cacheKey) }, keep);

  it('is empty without filters', async () => {
    await withTaps([], ({ hooks }) => {
      expect(hooks.filtersEntries).to.equal(false);
      expect(hooks.filterCacheKey(ada, 'main')).to.equal('');
    });
  });

  it('depends on the results of all filters and on their plugins', async () => {
    const bySubject = (caller: Caller | undefined, registry: string): string =>
      `${caller?.subject} ${registry}`;
    await withTaps([tapping(bySubject), tapping(() => 'k')], ({ hooks }) => {
      expect(hooks.filtersEntries).to.equal(true);
      const keys = [
        hooks.filterCacheKey(ada, 'main'),
        hooks.filterCacheKey(ada, 'other'),
        hooks.filterCacheKey(undefined, 'main'),
      ];
      expect(new Set(keys).size).to.equal(3);
      expect(keys).not.to.include(undefined);
    });
  });

  const unsure = [
    { title: 'returns no key', cacheKey: undefined },
    {
      title: 'throws',
      cacheKey: () => {
        throw new Error('x');
      },
    },
    { title: 'returns a value that is not a string', cacheKey: () => 5 },
  ];
  for (const { title, cacheKey } of unsure) {
    it(`is undefined when one filter ${title}`, async () => {
      await withTaps([tapping(() => 'k'), tapping(cacheKey)], ({ hooks }) => {
        expect(hooks.filterCacheKey(ada, 'main')).to.equal(undefined);
      });
    });
  }
});

describe('hooks.resolveRoles', () => {
  it('lets a tap add and remove roles', async () => {
    const taps: Apply[] = [
      ({ hooks }) => hooks.resolveRoles.tap('x', () => ['manageSources', 'manageSources']),
    ];
    await withTaps(taps, async ({ hooks }) => {
      expect(await hooks.resolveRoles(['manageEntries'], identity)).to.deep.equal(['manageSources']);
    });
  });

  it('throws when a tap changes the identity in place', async () => {
    const widen = ({ hooks }: PluginContext): void =>
      hooks.resolveRoles.tap(
        'x',
        loosely((roles: unknown, { claims }: { claims: Record<string, unknown> }) => {
          claims['org'] = 'acme';
          return roles;
        }),
      );
    await withTaps([widen], async ({ hooks }) => {
      const given = { subject: 'ada', claims: {} };
      expect((await errorOf(() => hooks.resolveRoles([], given))).code).to.equal('ERR_PLUGIN_HOOK');
      expect(given.claims).to.deep.equal({});
    });
  });

  for (const answer of [undefined, 'superAdmin', ['root'], [undefined], [['superAdmin']]]) {
    it(`throws for the result ${JSON.stringify(answer) ?? 'nothing'}`, async () => {
      await withTaps(
        [
          ({ hooks }) =>
            hooks.resolveRoles.tap(
              'x',
              loosely(() => answer),
            ),
        ],
        async ({ hooks }) => {
          expect((await errorOf(() => hooks.resolveRoles([], identity))).code).to.equal('ERR_PLUGIN_HOOK');
        },
      );
    });
  }
});

describe('hooks.beforePublish', () => {
  it('returns the request with the changes of all taps', async () => {
    const taps: Apply[] = [
      ({ hooks }) =>
        hooks.beforePublish.tapPromise('x', async (given) => ({ ...given, claims: { org: 'acme' } })),
    ];
    await withTaps(taps, async ({ hooks }) => {
      expect(await hooks.beforePublish(request, undefined)).to.deep.equal({
        ...request,
        claims: { org: 'acme' },
      });
    });
  });

  it('passes on the refusal of a tap with its code and message', async () => {
    const taps: Apply[] = [
      ({ hooks }) =>
        hooks.beforePublish.tap('x', () => {
          throw new PortolanError('ERR_ACME_NAMING', 'fault', 'Names begin with com.acme.');
        }),
    ];
    await withTaps(taps, async ({ hooks }) => {
      const error = await errorOf(() => hooks.beforePublish(request, undefined));
      expect(error).to.include({ code: 'ERR_ACME_NAMING', message: 'Names begin with com.acme.' });
    });
  });

  const bad: readonly unknown[] = [
    undefined,
    [],
    { ...request, type: 'recipe' },
    { ...request, document: undefined },
    { ...request, document: [] },
    { ...request, claims: { org: 5 } },
    { ...request, claims: [] },
    { ...request, source: 5 },
  ];
  for (const answer of bad) {
    it(`throws for the result ${JSON.stringify(answer) ?? 'nothing'}`, async () => {
      await withTaps(
        [
          ({ hooks }) =>
            hooks.beforePublish.tap(
              'x',
              loosely(() => answer),
            ),
        ],
        async ({ hooks }) => {
          expect((await errorOf(() => hooks.beforePublish(request, undefined))).code).to.equal(
            'ERR_PLUGIN_HOOK',
          );
        },
      );
    });
  }

  it('replaces an error without a code by ERR_PLUGIN_HOOK', async () => {
    await withTaps(
      [
        ({ hooks }) =>
          hooks.beforePublish.tap('x', () => {
            throw new Error('inside');
          }),
      ],
      async ({ hooks }) => {
        const error = await errorOf(() => hooks.beforePublish(request, undefined));
        expect(error.code).to.equal('ERR_PLUGIN_HOOK');
        expect(error.message).not.to.include('inside');
      },
    );
  });
});

describe('notification hooks', () => {
  const access: AccessRecord = {
    requestId: 'r1',
    at: new Date(0),
    method: 'GET',
    route: '/',
    path: '/',
    status: 200,
    allowed: true,
    because: 'anonymous',
    event: undefined,
    target: {},
    subject: undefined,
    user: undefined,
    provider: undefined,
    roles: [],
    registry: undefined,
    remoteAddress: '127.0.0.1',
    forwardedFor: undefined,
    userAgent: undefined,
    durationMs: 1,
    responseBytes: 0,
    requestBody: undefined,
  };
  const sync: SyncRecord = {
    source: 'notes',
    outcome: 'changed',
    servers: 1,
    skills: 0,
    plugins: 0,
    skipped: 0,
    added: 0,
    changed: 0,
    removed: 0,
    durationMs: 1,
    error: undefined,
  };

  it('log an error of a tap, and run the other taps', async () => {
    const told: string[] = [];
    const taps: Apply[] = [
      ({ hooks }) => {
        hooks.accessDecided.tap('x', () => {
          throw new Error('broken access');
        });
        hooks.syncCompleted.tap('x', () => {
          throw new Error('broken sync');
        });
        hooks.syncCompleted.tapPromise('x', async () => {
          throw new Error('broken promise');
        });
        hooks.accessDecided.tap(
          'x',
          loosely(async () => {
            throw new Error('broken later');
          }),
        );
      },
      ({ hooks }) => {
        hooks.accessDecided.tap('x', ({ requestId }) => void told.push(requestId));
        hooks.syncCompleted.tapPromise('x', async ({ source }) => void told.push(source));
        hooks.syncCompleted.tap(
          'x',
          loosely(async () => {
            await Promise.resolve();
            told.push('later');
          }),
        );
      },
    ];
    await withTaps(taps, async ({ hooks }, log) => {
      hooks.accessDecided(access);
      await hooks.syncCompleted(sync);
      await new Promise((resolve) => setImmediate(resolve));
      expect(told).to.have.members(['r1', 'notes', 'later']);
      const lines = log.records.map(({ level, plugin, hook, err }) => [
        level,
        plugin,
        hook,
        (err as Error).message,
      ]);
      expect(lines).to.have.deep.members([
        ['error', 'tapper-0', 'accessDecided', 'broken access'],
        ['error', 'tapper-0', 'accessDecided', 'broken later'],
        ['error', 'tapper-0', 'syncCompleted', 'broken sync'],
        ['error', 'tapper-0', 'syncCompleted', 'broken promise'],
      ]);
    });
  });

  it('do not wait for a tap that never ends', async () => {
    const tap: Apply = ({ hooks }) => hooks.syncCompleted.tapPromise('x', () => new Promise(() => {}));
    await withTaps(
      [tap],
      async ({ hooks }, log) => {
        await hooks.syncCompleted(sync);
        expect(log.records[0]).to.include({ plugin: 'tapper-0', hook: 'syncCompleted' });
        expect(log.text).to.include('it did not finish within 0.02 s');
      },
      { pluginTimeoutMs: 20 },
    );
  });

  it('protect their argument from changes by a tap', async () => {
    const told: number[] = [];
    const taps: Apply[] = [
      ({ hooks }) =>
        hooks.accessDecided.tap(
          'x',
          loosely((record: { status: number }) => {
            record.status = 500;
          }),
        ),
      ({ hooks }) => hooks.accessDecided.tap('x', ({ status }) => void told.push(status)),
    ];
    await withTaps(taps, ({ hooks }, log) => {
      hooks.accessDecided({ ...access });
      expect(told).to.deep.equal([200]);
      expect(log.records).to.have.length(1);
    });
  });
});
