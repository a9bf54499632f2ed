import { expect } from 'chai';
import { AdminWorld, CATALOGUE, type CallerName, CALLERS, NAMES } from '../../support/pages/admin-world.ts';

// SAFETY: these are the names of the table above.
const CALLER_NAMES = Object.keys(CALLERS) as readonly CallerName[];

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

const get = (path: string): Asked => ({ method: 'GET', path });
const DRY: Asked = { method: 'POST', path: '/v1/entries?dryRun=true', body: {} };
const ENTRY = 'server/com.acme%2Fmine';

/** Pages, with the API resources that their visitors need to read. */
const PAGES: readonly (readonly [page: string, asked: Asked])[] = [
  ['/manage/sources', get('/v1/sources')],
  ['/manage/new-source', get('/v1/source-kinds')],
  ['/manage/new-source?kind=git', get('/v1/source-kinds')],
  ...['s-mine', 's-foreign', 's-bare', 's-made', 's-absent'].flatMap((name): (readonly [string, Asked])[] => [
    [`/manage/sources/${name}`, get(`/v1/sources/${name}`)],
    [`/manage/sources/${name}/edit`, get(`/v1/sources/${name}`)],
    [`/manage/sources/${name}/remove`, get(`/v1/sources/${name}`)],
    [`/manage/sources/${name}/entries`, get(`/v1/sources/${name}/entries`)],
  ]),
  ['/manage/registries', get('/v1/registries')],
  ['/manage/new-registry', get('/v1/registries')],
  ...['r-main', 'r-foreign', 'r-made', 'r-absent'].flatMap((name): (readonly [string, Asked])[] => [
    [`/manage/registries/${name}`, get(`/v1/registries/${name}`)],
    [`/manage/registries/${name}/edit`, get(`/v1/registries/${name}`)],
    [`/manage/registries/${name}/remove`, get(`/v1/registries/${name}`)],
    [`/manage/registries/${name}/entries`, get(`/v1/registries/${name}/entries`)],
  ]),
  ['/manage/publish', DRY],
  ['/manage/entries', DRY],
  [`/manage/entries/${ENTRY}`, get(`/v1/entries/${ENTRY}`)],
  ['/manage/entries/server/com.acme%2Ftheirs', get('/v1/entries/server/com.acme%2Ftheirs')],
  ['/manage/entries/server/com.acme%2Fabsent', get('/v1/entries/server/com.acme%2Fabsent')],
  ['/manage/entries/wrong/com.acme%2Fmine', get('/v1/entries/wrong/com.acme%2Fmine')],
  ['/manage/explain', { method: 'POST', path: '/v1/authz/explain', body: {} }],
  ['/manage/audit', get('/v1/audit/events')],
];

/** Forms, with their API requests. A permitted request changes the resources of later cases. */
const FORMS: readonly (readonly [form: string, fields: Readonly<Record<string, string>>, asked: Asked])[] = [
  ['/manage/sources/s-made/sync', {}, { method: 'POST', path: '/v1/sources/s-made/sync' }],
  ['/manage/sources/s-foreign/remove', {}, { method: 'DELETE', path: '/v1/sources/s-foreign' }],
  ['/manage/sources/s-made/remove', {}, { method: 'DELETE', path: '/v1/sources/s-made' }],
  [
    '/manage/sources/s-made/edit',
    { kind: 'file', 'block.data': CATALOGUE },
    { method: 'PUT', path: '/v1/sources/s-made', body: { file: { data: CATALOGUE } } },
  ],
  [
    '/manage/new-source',
    { kind: 'managed', name: 's-new' },
    { method: 'PUT', path: '/v1/sources/s-new', body: { managed: {}, claims: { org: 'x' } } },
  ],
  ['/manage/registries/r-made/remove', {}, { method: 'DELETE', path: '/v1/registries/r-made' }],
  [
    '/manage/registries/r-made/edit',
    { sources: 's-mine' },
    { method: 'PUT', path: '/v1/registries/r-made', body: { sources: ['s-mine'] } },
  ],
  [
    '/manage/new-registry',
    { name: 'r-new', sources: 's-mine' },
    { method: 'PUT', path: '/v1/registries/r-new', body: { sources: ['s-mine'] } },
  ],
  [
    `/manage/entries/${ENTRY}`,
    { action: 'status', version: '*', status: 'deprecated' },
    { method: 'PATCH', path: `/v1/entries/${ENTRY}/status`, body: { status: 'deprecated' } },
  ],
  [
    '/manage/publish',
    { action: 'publish', type: 'server', document: '{}' },
    { method: 'POST', path: '/v1/entries', body: { server: {} } },
  ],
];

/** Callers for whom each form is open, apart from superAdmins. The test sends no forms as them. */
const OPEN_TO: Readonly<Record<string, readonly CallerName[]>> = {
  '/manage/sources/s-made/sync': ['sources'],
  '/manage/sources/s-foreign/remove': ['abroad'],
  '/manage/sources/s-made/remove': ['sources'],
  '/manage/sources/s-made/edit': ['sources'],
  '/manage/new-source': ['sources', 'abroad'],
  '/manage/registries/r-made/remove': ['registries'],
  '/manage/registries/r-made/edit': ['registries'],
  '/manage/new-registry': ['registries'],
  [`/manage/entries/${ENTRY}`]: ['entries'],
  '/manage/publish': ['entries'],
};

describe('management pages compared with the responses of the API to the same caller', function () {
  this.timeout(180_000);
  let world: AdminWorld;
  before(async () => {
    world = await AdminWorld.open();
  });
  after(() => world?.close());

  for (const caller of CALLER_NAMES) {
    it(`respond to ${caller} like the API, and name nothing that the API hides`, async () => {
      const visitor = world.visitor(caller);
      const lists = await Promise.all(
        ['/v1/sources', '/v1/registries', '/registry'].map((path) => world.api(caller, 'GET', path)),
      );
      for (const [page, { method, path, body }] of PAGES) {
        const [shown, answer] = [await visitor.see(page), await world.api(caller, method, path, body)];
        // An empty publication is refused as invalid.
        const expected = path === DRY.path && answer.status === 400 ? 200 : answer.status;
        expect(shown.status, `${page}: ${answer.text}`).to.equal(expected);
        const told = [answer, ...lists].map(({ text }) => text).join('\n');
        const asked = decodeURIComponent(page);
        for (const name of NAMES.filter((one) => shown.text.includes(one) && !asked.includes(one)))
          expect(told, `${name} on ${page}`).to.include(`"${name}"`);
      }
    });

    it(`refuse ${caller} like the API, and change nothing`, async () => {
      const visitor = world.visitor(caller);
      const before = await everything();
      for (const [form, fields, { method, path, body }] of FORMS) {
        if (caller === 'admin' || OPEN_TO[form]?.includes(caller) === true) continue;
        const shown = await visitor.send(form, fields);
        const answer = await world.api(caller, method, path, body);
        expect(answer.status, `${form}: ${answer.text}`).to.be.oneOf([401, 403, 404]);
        expect(shown.status, `${form}: ${shown.text}`).to.be.oneOf([401, 403, 404]);
        // No caller has seen a page with a form. The API refuses the others.
        expect(shown.text.includes('Nothing was done'), form).to.equal(caller === 'nobody');
      }
      expect(await everything()).to.deep.equal(before);
    });
  }

  /** Everything that an administrator sees, without the times of reads. */
  async function everything(): Promise<readonly string[]> {
    const answers = await Promise.all(
      ['/v1/sources', '/v1/registries', `/v1/entries/${ENTRY}`].map((path) =>
        world.api('admin', 'GET', path),
      ),
    );
    return answers.map(({ text }) =>
      text.replaceAll(/"(?:lastSyncTime|lastAttempt|lastGoodTime)":"[^"]*",?/g, ''),
    );
  }

  it('are linked only for callers with a role', async () => {
    const links = async (caller: CallerName) =>
      [...(await world.visitor(caller).see('/')).text.matchAll(/href="(\/manage\/[a-z]+)"/g)].map(
        ([, link]) => link,
      );
    expect(await links('nobody')).to.deep.equal([]);
    expect(await links('reader')).to.deep.equal([]);
    expect(await links('sources')).to.deep.equal(['/manage/sources']);
    expect(await links('registries')).to.deep.equal(['/manage/registries']);
    expect(await links('entries')).to.deep.equal(['/manage/publish']);
    expect(await links('admin')).to.deep.equal(['/manage/sources']);
  });
});
