import { expect } from 'chai';
import { type Answer, RegistryUnderTest, type RequestOptions } from '../../support/registry-under-test.ts';
import { skipSuite } from '../../support/skip-suite.ts';
import { ENGINES, POSTGRES } from '../../support/test-database.ts';
import { MATRIX, type Row } from './matrix.ts';
import { CONFIG, LABELS, type MatrixRequest, prepare } from './requests.ts';

const ROLES = ['sources', 'registries', 'entries'];

/** Rows with a resource that is hidden from a caller whose claims do not satisfy it. */
const HIDING = MATRIX.filter(({ own }) => own[1] === 404);

for (const engine of ENGINES) {
  describe(`responses to requests for hidden and absent resources, on ${engine}`, function () {
    this.timeout(180_000);
    let server: RegistryUnderTest;
    let admin: RequestOptions;
    let caller: RequestOptions;
    before(async function () {
      if (engine === 'PostgreSQL' && POSTGRES === undefined)
        skipSuite(this, 'PORTOLAN_TEST_POSTGRES_URL names no server');
      server = await RegistryUnderTest.start({ engine, mode: 'full', config: CONFIG });
      admin = { token: server.token({ role: 'admin' }) };
      caller = { token: server.token({ org: 'acme', role: ROLES }) };
    });
    after(() => server?.close());

    for (const row of HIDING) {
      for (const label of [LABELS[1], LABELS[2]]) {
        it(`are equal: ${row.route}, ${row.resource} with ${JSON.stringify(label)}`, async () => {
          const request = await prepare(server, row, label, admin);
          const hidden = await ask(server, request, caller);
          expect(hidden.status).to.equal(404);
          await remove(server, row, request, admin);
          // Without an existing resource, the request makes one, so there is nothing to compare.
          if (row.route.startsWith('PUT /v1/sources') || row.route.startsWith('PUT /v1/registries')) return;
          expect(told(hidden)).to.deep.equal(told(await ask(server, request, caller)));
        });
      }
    }
  });
}

function ask(
  server: RegistryUnderTest,
  { method, path, body }: MatrixRequest,
  options: RequestOptions,
): Promise<Answer> {
  return server.send(method, path, { ...options, body, headers: { 'x-request-id': 'the-same' } });
}

/** Returns everything of a response except its date. The request id is the same. */
function told({ status, headers, text }: Answer): object {
  const more = [...headers].filter(([name]) => name !== 'date');
  return { status, headers: Object.fromEntries(more), text };
}

async function remove(
  server: RegistryUnderTest,
  row: Row,
  { path }: MatrixRequest,
  admin: RequestOptions,
): Promise<void> {
  const resource = pathOfResource(row, path);
  const status = await server.status('DELETE', resource, admin);
  if (status !== 204) throw new Error(`DELETE ${resource} answered ${status}`);
}

function pathOfResource({ resource }: Row, path: string): string {
  const parts = path.split('/');
  if (resource.endsWith('source') || resource === 'registry') return parts.slice(0, 4).join('/');
  if (path.startsWith('/v1/entries/')) return `${parts.slice(0, 5).join('/')}/versions/1.0.0`;
  const ofServer = parts[5] === 'dev.portolan' ? parts[7] : parts[5];
  const name = resource === 'server' ? ofServer : `${parts[7]}%2F${parts[8]}`;
  return `/v1/entries/${resource}/${name}/versions/1.0.0`;
}
