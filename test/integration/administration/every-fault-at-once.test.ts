import { expect } from 'chai';
import { AdminWorld, wrongFields } from '../../support/pages/admin-world.ts';

const ACME = { org: 'acme' };
const OTHER = { org: 'other' };

interface Refusal {
  readonly code: string;
  readonly issues?: readonly { readonly path: string; readonly message: string }[];
}

describe('validation of a source or a registry', function () {
  this.timeout(60_000);
  let world: AdminWorld;
  before(async () => {
    world = await AdminWorld.open();
  });
  after(() => world?.close());

  type Sender = 'registries' | 'sources';

  /** Returns `status code places`, with each place once. */
  const refusalOf = async (sender: Sender, path: string, body: unknown, headers = {}): Promise<string> => {
    const response = await fetch(`${world.registry.url}/v1/${sender}/${path}`, {
      method: 'PUT',
      headers: { ...world.headersOf(sender), 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    const { code, issues = [] } = (await response.json()) as Refusal;
    return [response.status, code, ...new Set(issues.map(({ path: place }) => place))].join(' ');
  };

  const NEW = { 'if-none-match': '*' };
  const registries: readonly {
    readonly title: string;
    readonly path: string;
    readonly body: object;
    readonly headers?: object;
    readonly told: string;
  }[] = [
    {
      title: 'name, body and sources',
      path: '-x-',
      body: { sources: ['s-absent', 's-foreign'], claims: ACME, more: 1 },
      told: '400 ERR_BODY_INVALID name  sources',
    },
    {
      title: 'an impossible name, claims beyond the caller and a duplicate source',
      path: 'No%20such%20name%21',
      body: { sources: ['s-mine', 's-mine', 's-absent'], claims: OTHER },
      told: '400 ERR_BODY_INVALID name sources claims',
    },
    {
      title: 'a name with NUL and an unknown source',
      path: 'a%00b',
      body: { sources: ['s-absent'], claims: ACME },
      told: '400 ERR_BODY_INVALID name sources',
    },
    {
      title: 'a name of the configuration file and an unknown source',
      path: 'r-main',
      body: { sources: ['s-absent'], claims: ACME },
      headers: NEW,
      told: '403 ERR_MADE_BY_FILE name sources',
    },
    {
      title: 'a name of the configuration file and an empty body',
      path: 'r-main',
      body: {},
      told: '403 ERR_MADE_BY_FILE name sources claims',
    },
    {
      title: 'a taken name and an unknown source',
      path: 'r-made',
      body: { sources: ['s-absent'], claims: ACME },
      headers: NEW,
      told: '400 ERR_SOURCE_UNKNOWN sources name',
    },
    {
      title: 'an unknown source before an outdated revision',
      path: 'r-made',
      body: { sources: ['s-absent'], claims: ACME },
      headers: { 'if-match': '"none"' },
      told: '400 ERR_SOURCE_UNKNOWN',
    },
    {
      title: 'nothing about a hidden registry for an invalid body',
      path: 'r-foreign',
      body: { sources: ['s-absent'], claims: 7 },
      told: '400 ERR_BODY_INVALID claims sources',
    },
    // A single fault has the same message as before.
    {
      title: 'only a bad name',
      path: '-x-',
      body: { sources: ['s-mine'], claims: ACME },
      told: '400 ERR_BODY_INVALID name',
    },
    {
      title: 'only a taken name',
      path: 'r-made',
      body: { sources: ['s-mine'], claims: ACME },
      headers: NEW,
      told: '412 ERR_REVISION_CHANGED',
    },
    {
      title: 'only a name of the configuration file',
      path: 'r-main',
      body: { sources: ['s-mine'], claims: ACME },
      told: '403 ERR_MADE_BY_FILE',
    },
    {
      title: 'a hidden registry',
      path: 'r-foreign',
      body: { sources: ['s-mine'], claims: ACME },
      told: '404 ERR_REGISTRY_NOT_FOUND',
    },
  ];
  for (const { title, path, body, headers, told } of registries) {
    it(`PUT /v1/registries › reports all problems at once: ${title}`, async () => {
      expect(await refusalOf('registries', path, body, headers)).to.equal(told);
    });
  }

  const GIT = {
    git: { repository: 'https://127.0.0.1/x.git', branch: 'main', tag: 'v1' },
    syncPolicy: { interval: 'soon' },
  };
  const sources: typeof registries = [
    {
      title: 'name, body and claims beyond the caller',
      path: 'No%20such%20name%21',
      body: { ...GIT, claims: OTHER },
      told: '400 ERR_SOURCE_INVALID name syncPolicy.interval git.repository git.tag claims',
    },
    {
      title: 'a name with NUL',
      path: 'a%00b',
      body: { managed: {}, claims: ACME },
      told: '400 ERR_SOURCE_INVALID name',
    },
    {
      title: 'a name of the configuration file and an invalid body',
      path: 's-mine',
      body: { ...GIT, claims: ACME },
      headers: NEW,
      told: '403 ERR_MADE_BY_FILE name syncPolicy.interval git.repository git.tag',
    },
    {
      title: 'a taken name and an invalid body',
      path: 's-made',
      body: { ...GIT, claims: ACME },
      headers: NEW,
      told: '400 ERR_SOURCE_INVALID syncPolicy.interval git.repository git.tag name',
    },
    {
      title: 'nothing about a hidden source for an invalid body',
      path: 's-foreign',
      body: { ...GIT, claims: ACME },
      told: '400 ERR_SOURCE_INVALID syncPolicy.interval git.repository git.tag',
    },
    {
      title: 'only a bad name',
      path: '-x-',
      body: { managed: {}, claims: ACME },
      told: '400 ERR_SOURCE_INVALID name',
    },
    {
      title: 'only a taken name',
      path: 's-made',
      body: { managed: {}, claims: ACME },
      headers: NEW,
      told: '412 ERR_REVISION_CHANGED',
    },
    {
      title: 'only claims beyond the caller',
      path: 'new',
      body: { managed: {}, claims: OTHER },
      told: '403 ERR_CLAIMS_BEYOND_CALLER',
    },
    {
      title: 'a hidden source',
      path: 's-foreign',
      body: { managed: {}, claims: ACME },
      told: '404 ERR_SOURCE_NOT_FOUND',
    },
  ];
  for (const { title, path, body, headers, told } of sources) {
    it(`PUT /v1/sources › reports all problems at once: ${title}`, async () => {
      expect(await refusalOf('sources', path, body, headers)).to.equal(told);
    });
  }

  describe('forms of the pages › send one request, with the name that the user entered', () => {
    interface Event {
      readonly id: number;
      readonly path: string;
      readonly type: string;
      readonly status: number;
    }
    const events = async (): Promise<readonly Event[]> => {
      const { text } = await world.api('admin', 'GET', '/v1/audit/events?limit=1000');
      return (JSON.parse(text) as { readonly events: readonly Event[] }).events;
    };
    /** Requests of the form, and the resulting events. Requests for its option lists are left out. */
    const sent = async (sender: Sender, page: string, fields: Readonly<Record<string, string>>) => {
      const [last] = await events();
      const { text } = await world.visitor(sender).send(page, fields);
      const news = (await events()).filter(({ id }) => id > (last?.id ?? 0));
      const about = news.filter(({ path }) => /^\/v1\/(?:registries|sources)\/./.test(path));
      return {
        wrong: wrongFields(text),
        events: about.map(({ type, path, status }) => `${type} ${path} ${status}`),
      };
    };
    const label = { 'claims.0.name': 'org', 'claims.0.value': 'acme' };
    const unread = { 'claims.0.name': 'org', 'claims.0.value': '' };

    const ofRegistries = [
      {
        title: 'a bad name',
        name: 'No such name!',
        fields: label,
        event: 'registry.update /v1/registries/No%20such%20name! 400',
      },
      { title: 'no name', name: '', fields: label, event: 'registry.update /v1/registries/%20 400' },
      {
        title: 'a taken name',
        name: 'r-made',
        fields: label,
        event: 'registry.update /v1/registries/r-made 400',
      },
      {
        title: 'a name of the configuration file',
        name: 'r-main',
        fields: label,
        event: 'registry.update /v1/registries/r-main 403',
      },
      {
        title: 'a bad name and claims that cannot be parsed',
        name: '-x-',
        fields: unread,
        event: 'registry.update /v1/registries/-x- 400',
      },
    ];
    for (const { title, name, fields, event } of ofRegistries) {
      it(`for a registry with ${title} and an unknown source`, async () => {
        const { wrong, events: told } = await sent('registries', '/manage/new-registry', {
          name,
          sources: 's-absent',
          ...fields,
        });
        expect(wrong).to.deep.equal(['name', 'sources']);
        expect(told).to.deep.equal([event]);
        expect((await world.api('admin', 'GET', '/v1/registries/-x-')).status).to.equal(404);
      });
    }

    it('for a change with claims that cannot be parsed', async () => {
      const before = (await world.api('admin', 'GET', '/v1/registries/r-made')).text;
      const { wrong, events: told } = await sent('registries', '/manage/registries/r-made/edit', {
        sources: 's-absent',
        ...unread,
      });
      expect(wrong).to.deep.equal(['sources']);
      // An empty value is an empty list, which only a superAdmin may set. This error comes before that of the
      // unknown source.
      expect(told).to.deep.equal(['registry.update /v1/registries/r-made 403']);
      expect(
        (await sent('registries', '/manage/registries/r-made/edit', { sources: 's-mine', ...unread })).wrong,
      ).to.deep.equal([]);
      expect((await world.api('admin', 'GET', '/v1/registries/r-made')).text).to.equal(before);
    });

    for (const [name, event] of [
      ['No such name!', 'source.update /v1/sources/No%20such%20name! 400'],
      ['', 'source.update /v1/sources/%20 400'],
      ['s-made', 'source.update /v1/sources/s-made 400'],
      ['s-mine', 'source.update /v1/sources/s-mine 403'],
    ] as const) {
      it(`for a source with the name "${name}" and a forbidden address`, async () => {
        const fields = {
          kind: 'git',
          name,
          'block.repository': 'https://127.0.0.1/x.git',
          interval: 'soon',
          ...label,
        };
        const { wrong, events: told } = await sent('sources', '/manage/new-source', fields);
        expect(wrong).to.have.members(['name', 'block.repository', 'interval']);
        expect(told).to.deep.equal([event]);
      });
    }
  });
});
