import { expect } from 'chai';
import {
  type Json,
  type Mode,
  MODES,
  RegistryUnderTest,
  type RequestOptions,
} from '../../support/registry-under-test.ts';
import { skipSuite } from '../../support/skip-suite.ts';
import { ENGINES, POSTGRES } from '../../support/test-database.ts';
import { MATRIX, type Row } from './matrix.ts';
import { CONFIG, LABELS, type MatrixRequest, prepare } from './requests.ts';

/** The claim `role` that gives each role. */
const ROLE_CLAIM: Readonly<Partial<Record<Row['role'], string>>> = {
  manageSources: 'sources',
  manageRegistries: 'registries',
  manageEntries: 'entries',
};

/** A sender of requests, and the expected status for each kind of resource. */
interface Sender {
  readonly title: string;
  readonly options: RequestOptions;
  readonly expected: readonly number[];
}

const same = (status: number): readonly number[] => LABELS.map(() => status);

for (const engine of ENGINES) {
  for (const mode of MODES) {
    describe(`responses by route, role and claims, ${mode} mode on ${engine}`, function () {
      this.timeout(180_000);
      let server: RegistryUnderTest;
      let senders: (row: Row) => readonly Sender[];
      let maker: RequestOptions;

      before(async function () {
        if (engine === 'PostgreSQL' && POSTGRES === undefined)
          skipSuite(this, 'PORTOLAN_TEST_POSTGRES_URL names no server');
        server = await RegistryUnderTest.start({ engine, mode, config: CONFIG });
        maker = mode === 'anonymous' ? {} : { token: server.token({ role: 'admin' }) };
        senders = (row) => sendersFor(server, mode, row);
      });
      after(() => server?.close());

      it('have a table row for every route', async () => {
        const { paths } = (await server.send('GET', '/openapi.json')).json<{ paths: Record<string, Json> }>();
        const routes = Object.entries(paths).flatMap(([path, methods]) =>
          Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
        );
        expect([...new Set(MATRIX.map(({ route }) => route))]).to.have.members(routes);
      });

      for (const row of MATRIX) {
        it(`are as the table expects: ${row.route}, ${row.resource}`, async () => {
          for (const [at, claims] of LABELS.entries()) {
            let prepared: MatrixRequest | undefined;
            for (const { title, options, expected } of senders(row)) {
              prepared ??= await prepare(server, row, claims, maker);
              const { method, path, body } = prepared;
              const answer = await server.send(method, path, { ...options, body });
              const about = `${title}, ${JSON.stringify(claims)}: ${answer.text.slice(0, 300)}`;
              expect(answer.status, about).to.equal(expected[at]);
              // A refused sender changes nothing: the next one gets the same resource.
              if (method !== 'GET' && answer.status < 400) prepared = undefined;
            }
          }
        });
      }
    });
  }
}

function sendersFor(server: RegistryUnderTest, mode: Mode, row: Row): readonly Sender[] {
  if (mode === 'anonymous') {
    const expected = same(row.anonymous ?? row.open);
    return [
      { title: 'no token', options: {}, expected },
      { title: 'an ignored token', options: { token: 'nonsense' }, expected },
    ];
  }
  const refused = row.role === 'public' ? row.own : same(401);
  const strangers: readonly Sender[] = [
    { title: 'no token', options: {}, expected: refused },
    { title: 'a bad token', options: { token: 'nonsense' }, expected: refused },
    { title: 'an expired token', options: { token: expiredToken(server) }, expected: refused },
  ];
  if (mode === 'auth-only')
    return [
      ...strangers,
      {
        title: 'any token',
        options: { token: server.token() },
        // A publication needs claims in this mode, too.
        expected: row.resource === 'new server' ? [row.open, row.open, 400] : same(row.open),
      },
    ];
  const withRole = (role: string | undefined): RequestOptions => ({
    token: server.token({ org: 'acme', ...(role === undefined ? {} : { role }) }),
  });
  const needed = ROLE_CLAIM[row.role];
  const others = [undefined, ...Object.values(ROLE_CLAIM)].filter((role) => role !== needed);
  return [
    ...strangers,
    ...others.map((role) => ({
      title: role === undefined ? 'no role' : `the role for ${role}`,
      options: withRole(role),
      expected: needed === undefined ? row.own : same(403),
    })),
    { title: 'the required role', options: withRole(needed), expected: row.own },
    { title: 'superAdmin', options: { token: server.token({ role: 'admin' }) }, expected: same(row.super) },
  ];
}

function expiredToken(server: RegistryUnderTest): string {
  return server.token({ role: 'admin', exp: Math.floor(Date.now() / 1000) - 3600 });
}
