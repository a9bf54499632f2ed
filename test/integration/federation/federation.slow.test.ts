import { LATEST_SERVER_SCHEMA } from '@portolan/entry-format';
import { startTestIssuer, type TestIssuer } from '@portolan/plugin-testing';
import { expect } from 'chai';
import fc from 'fast-check';
import type { ShownVersion } from '../../support/counting-registry.ts';
import { RegistryInProcess } from '../../support/registry-in-process.ts';
import { limitMs, trials } from '../../support/soak.ts';

const NAMES = ['dev.acme/files', 'dev.acme/notes', 'dev.acme/time'] as const;
const VERSIONS = ['1.0.0', '1.1.0', '2.0.0', '2.0.0-rc.1', 'nightly'] as const;
const TYPES = ['server', 'skill', 'plugin'] as const;
const TEAMS = ['a', 'b'] as const;

type Change =
  | {
      readonly do: 'publish';
      readonly type: (typeof TYPES)[number];
      readonly name: string;
      readonly version: string;
      readonly team: string;
    }
  | {
      readonly do: 'status';
      readonly type: (typeof TYPES)[number];
      readonly name: string;
      readonly version: string;
      readonly status: string;
    }
  | {
      readonly do: 'delete';
      readonly type: (typeof TYPES)[number];
      readonly name: string;
      readonly version: string;
    }
  | {
      readonly do: 'relabel';
      readonly type: (typeof TYPES)[number];
      readonly name: string;
      readonly team: string;
    }
  | { readonly do: 'look'; readonly full: boolean };

const at = {
  type: fc.constantFrom(...TYPES),
  name: fc.constantFrom(...NAMES),
  version: fc.constantFrom(...VERSIONS),
};
const changes: fc.Arbitrary<readonly Change[]> = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({ do: fc.constant('publish' as const), ...at, team: fc.constantFrom(...TEAMS) }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant('status' as const),
        ...at,
        status: fc.constantFrom('active', 'deprecated', 'deleted'),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('delete' as const), ...at }) },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('relabel' as const),
        type: at.type,
        name: at.name,
        team: fc.constantFrom(...TEAMS),
      }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('look' as const), full: fc.boolean() }) },
  ),
  { minLength: 10, maxLength: 30 },
);

/** Returns a source that reads the registry `main` of another server. */
const mirrorOf = (url: string, token?: string) => ({
  name: 'mirror',
  api: { endpoint: `${url}/registry/main`, pageSize: 2, ...(token === undefined ? {} : { auth: { token } }) },
  syncPolicy: { interval: '1h', allowShrink: true },
});

const readerOf = (url: string, token?: string): Promise<RegistryInProcess> =>
  RegistryInProcess.start({
    sources: [mirrorOf(url, token)],
    registries: [{ name: 'main', sources: ['mirror'] }],
  });

const facts = (versions: readonly ShownVersion[]) =>
  versions.map(({ document, official }) => ({ document, official }));

describe('registries that sync from each other over the API', function () {
  this.timeout(limitMs(120_000));

  describe('a chain of three: the second syncs from the first with a token, the third from the second', () => {
    let issuer: TestIssuer;
    const opened: RegistryInProcess[] = [];

    before(async () => {
      issuer = await startTestIssuer();
    });
    after(() => issuer.close());
    afterEach(async () => {
      for (const one of opened.splice(0).toReversed()) await one.stop();
    });

    const tokenOf = (claims: object): string =>
      issuer.sign({ exp: Math.floor(Date.now() / 1000) + 86_400, ...claims });

    async function startThree() {
      const keep = (one: RegistryInProcess): RegistryInProcess => {
        opened.push(one);
        return one;
      };
      const provider = {
        name: 'test',
        issuerUrl: issuer.issuerUrl,
        audience: 'portolan',
        allowPrivateIP: true,
      };
      const first = keep(
        await RegistryInProcess.start(
          {
            sources: [{ name: 'own', managed: {} }],
            registries: [{ name: 'main', sources: ['own'], claims: { org: 'acme' } }],
            auth: {
              mode: 'oauth',
              oauth: { resourceUrl: 'https://registry.acme.example', providers: [provider] },
              authz: { roles: { superAdmin: [{ role: 'admin' }] } },
            },
          },
          tokenOf({ role: 'admin', org: 'acme' }),
        ),
      );
      const reader = tokenOf({ org: 'acme', team: 'a' });
      const second = keep(await readerOf(first.url, reader));
      await second.firstSync('mirror');
      const third = keep(await readerOf(second.url));
      await third.firstSync('mirror');
      return { first, second, third, reader };
    }

    it('show the documents that the claims of the token allow, field by field, after any order of changes', async () => {
      let rowsSeen = 0;
      await fc.assert(
        fc.asyncProperty(changes, async (list) => {
          const { first, second, third, reader } = await startThree();
          /** Deleted or hidden entries, which an increment does not report. */
          let hasLost = false;
          /**
           * Teams of entries. A version of another team gives its claims to the earlier versions, and so may
           * hide them.
           */
          const teams = new Map<string, string>();
          const look = async (full: boolean): Promise<void> => {
            await second.sync('mirror', full || hasLost);
            await third.sync('mirror', full || hasLost);
            hasLost = false;
            const shown = await first.listAll('main', reader);
            rowsSeen += shown.length;
            const seconds = await second.listAll('main');
            const thirds = await third.listAll('main');
            expect(facts(seconds), 'the second').to.deep.equal(facts(shown));
            expect(facts(thirds), 'the third').to.deep.equal(facts(shown));
            for (const [index, { origin }] of thirds.entries()) {
              expect(origin['origin']).to.equal(shown[index]?.origin['origin']);
              expect(origin['via']).to.have.lengthOf(2);
            }
          };
          for (const change of list) {
            if (change.do === 'look') await look(change.full);
            else {
              const isDone = await apply(first, change);
              hasLost ||= change.do === 'delete' || change.do === 'relabel';
              if (!isDone || !('team' in change)) continue;
              const entry = `${change.type} ${change.name}`;
              hasLost ||= (teams.get(entry) ?? change.team) !== change.team;
              teams.set(entry, change.team);
            }
          }
          await look(false);
          const before = await third.listAll('main');
          await look(true);
          expect(await third.listAll('main'), 'a read of everything finds nothing new').to.deep.equal(before);
          for (const one of opened.splice(0).toReversed()) await one.stop();
        }),
        trials({ short: 3, long: 200 }),
      );
      expect(rowsSeen).to.be.greaterThan(20);
    });
  });

  it('two that sync from each other › delete removed entries, and do not write unchanged ones', async () => {
    const own = { sources: [{ name: 'own', managed: {} }], registries: [{ name: 'seed', sources: ['own'] }] };
    const open = { ...own, apiSources: { allowPrivateAddresses: true } };
    const [one, other] = [await RegistryInProcess.start(open), await RegistryInProcess.start(open)];
    try {
      for (const [reader, read] of [
        [one, other],
        [other, one],
      ] as const) {
        const { name: _, ...mirror } = mirrorOf(read.url);
        expect((await reader.send('PUT', '/v1/sources/mirror', mirror)).status).to.equal(201);
        const registry = { sources: ['own', 'mirror'] };
        expect((await reader.send('PUT', '/v1/registries/main', registry)).status).to.equal(201);
      }
      const both = async (full: boolean): Promise<void> => {
        for (const reader of [one, other, one, other]) await reader.sync('mirror', full);
      };
      await apply(one, { do: 'publish', type: 'server', name: NAMES[0], version: '1.0.0', team: 'a' });
      await apply(other, { do: 'publish', type: 'server', name: NAMES[1], version: '1.0.0', team: 'a' });
      await apply(other, { do: 'publish', type: 'skill', name: NAMES[1], version: '1.0.0', team: 'a' });
      await both(true);
      const settled = [await one.listAll('main'), await other.listAll('main')] as const;
      expect(facts(settled[0])).to.deep.equal(facts(settled[1])).and.to.have.lengthOf(3);
      await both(false);
      await both(true);
      expect([await one.listAll('main'), await other.listAll('main')], 'after more reads').to.deep.equal(
        settled,
      );
      const { body } = await one.send('GET', '/v1/sources/mirror/entries');
      expect(body['entries'], 'what one holds of the other').to.have.lengthOf(2);
      await apply(other, { do: 'delete', type: 'server', name: NAMES[1], version: '1.0.0' });
      await both(true);
      expect(facts(await one.listAll('main'))).to.deep.equal(facts(await other.listAll('main')));
      expect(await one.listAll('main')).to.have.lengthOf(2);
    } finally {
      await one.stop();
      await other.stop();
    }
  });

  /** Graphs of three registries: for each index, which registries it reads, in the order of its sources. */
  const SHAPES: Readonly<Record<string, readonly (readonly number[])[]>> = {
    'one after the other in a ring': [[2], [0], [1]],
    'each the two others': [
      [1, 2],
      [2, 0],
      [0, 1],
    ],
  };
  const steps = fc.array(
    fc.oneof(
      {
        weight: 5,
        arbitrary: fc.record({ do: fc.constant('publish' as const), ...at, team: fc.constant('a') }),
      },
      { weight: 3, arbitrary: fc.record({ do: fc.constant('delete' as const), ...at }) },
      {
        weight: 2,
        arbitrary: fc.record({
          do: fc.constant('status' as const),
          ...at,
          status: fc.constantFrom('active', 'deprecated', 'deleted'),
        }),
      },
      { weight: 6, arbitrary: fc.record({ do: fc.constant('read' as const), full: fc.boolean() }) },
    ),
    { minLength: 15, maxLength: 40 },
  );
  for (const [shape, reads] of Object.entries(SHAPES)) {
    it(`three with the topology ${shape} › have the entries that each created and no others`, async () => {
      await fc.assert(
        fc.asyncProperty(
          steps,
          fc.array(fc.nat({ max: 2 }), { minLength: 40, maxLength: 40 }),
          async (list, whose) => {
            const three: RegistryInProcess[] = [];
            try {
              for (let index = 0; index < 3; index += 1)
                three.push(
                  await RegistryInProcess.start({
                    sources: [{ name: 'own', managed: {} }],
                    registries: [{ name: 'seed', sources: ['own'] }],
                    apiSources: { allowPrivateAddresses: true },
                  }),
                );
              const mirrors = reads.map((others) => others.map((other) => `mirror-${other}`));
              for (const [index, one] of three.entries()) {
                for (const other of reads[index] ?? []) {
                  const { name: _, ...mirror } = mirrorOf(three[other]?.url ?? '');
                  expect((await one.send('PUT', `/v1/sources/mirror-${other}`, mirror)).status).to.equal(201);
                }
                const sources = ['own', ...(mirrors[index] ?? [])];
                expect((await one.send('PUT', '/v1/registries/main', { sources })).status).to.equal(201);
              }
              const read = async (index: number, full: boolean): Promise<void> => {
                for (const mirror of mirrors[index] ?? []) await three[index]?.sync(mirror, full);
              };
              const made = new Set<string>();
              for (const [turn, step] of list.entries()) {
                const index = whose[turn] ?? 0;
                const one = three[index];
                if (one === undefined) continue;
                if (step.do === 'read') await read(index, step.full);
                else {
                  // Each registry has its own names, so that none hides an entry of another.
                  const change = { ...step, name: `${step.name}-${index}` };
                  const isDone = await apply(one, change);
                  const key = `${change.type} ${change.name}@${change.version}`;
                  if (isDone && change.do === 'publish') made.add(key);
                  if (isDone && change.do === 'delete') made.delete(key);
                }
              }
              // Number of rounds: the longest path, plus one for deletions on it.
              for (let round = 0; round < 4; round += 1)
                for (const index of [0, 1, 2]) await read(index, true);
              const shown = await Promise.all(three.map((one) => one.listAll('main')));
              expect(facts(shown[1] ?? [])).to.deep.equal(facts(shown[0] ?? []));
              expect(facts(shown[2] ?? [])).to.deep.equal(facts(shown[0] ?? []));
              expect(shown[0]).to.have.lengthOf(made.size);
              for (const full of [false, true]) for (const index of [0, 1, 2]) await read(index, full);
              const again = await Promise.all(three.map((one) => one.listAll('main')));
              expect(again, 'after more reads').to.deep.equal(shown);
            } finally {
              for (const one of three.toReversed()) await one.stop();
            }
          },
        ),
        trials({ short: 2, long: 100 }),
      );
    });
  }

  it('portolan-view header of a list › changes when the registry lists another source, not when an entry gets another version', async () => {
    const first = await RegistryInProcess.start({
      sources: [
        { name: 'own', managed: {} },
        { name: 'other', managed: {} },
      ],
      registries: [{ name: 'seed', sources: ['own'] }],
      apiSources: { allowPrivateAddresses: true },
    });
    try {
      const viewWith = async (sources: readonly string[]): Promise<string | null> => {
        const { status } = await first.send('PUT', '/v1/registries/main', { sources });
        expect(status).to.be.oneOf([200, 201]);
        const answer = await fetch(`${first.url}/registry/main/v0.1/servers?limit=1`);
        return answer.headers.get('portolan-view');
      };
      const before = await viewWith(['own']);
      expect(before).to.be.a('string');
      const server = {
        $schema: LATEST_SERVER_SCHEMA,
        name: NAMES[0],
        description: 'Notes',
        version: '1.0.0',
      };
      expect((await first.send('POST', '/v1/entries?source=own', { server, claims: {} })).status).to.equal(
        201,
      );
      expect(await viewWith(['own']), 'one more version').to.equal(before);
      const both = await viewWith(['own', 'other']);
      expect(both).not.to.equal(before);
      expect(await viewWith(['other', 'own']), 'another order').not.to.equal(both);
      expect(await viewWith(['own']), 'as before').to.equal(before);
    } finally {
      await first.stop();
    }
  });
});

/**
 * Returns true if the change succeeded. Some changes have to fail: an existing version, a missing one, or a
 * status that is already set.
 */
async function apply(
  registry: RegistryInProcess,
  change: Exclude<Change, { readonly do: 'look' }>,
): Promise<boolean> {
  const { type, name } = change;
  const entry = `/v1/entries/${type}/${encodeURIComponent(name)}`;
  const claimsOf = (team: string) => ({ org: 'acme', team });
  const send = async (method: string, target: string, expected: readonly number[], body?: unknown) => {
    const answer = await registry.send(method, target, body);
    expect(expected, `${method} ${target}: ${JSON.stringify(answer.body)}`).to.include(answer.status);
    return answer.status < 300;
  };
  if (change.do === 'publish') {
    const { version, team } = change;
    const [namespace, bare] = name.split('/');
    const named = type === 'server' ? { $schema: LATEST_SERVER_SCHEMA, name } : { namespace, name: bare };
    const document = { ...named, description: `About ${name}`, version };
    return await send('POST', '/v1/entries', [201, 409], { [type]: document, claims: claimsOf(team) });
  }
  if (change.do === 'status') {
    const { version, status } = change;
    const message = status === 'active' ? {} : { statusMessage: `It is ${status}` };
    const target = `${entry}/versions/${version}/status`;
    return await send('PATCH', target, [200, 400, 404], { status, ...message });
  }
  if (change.do === 'delete') return await send('DELETE', `${entry}/versions/${change.version}`, [204, 404]);
  return await send('PUT', `${entry}/claims`, [204, 404], { claims: claimsOf(change.team) });
}
