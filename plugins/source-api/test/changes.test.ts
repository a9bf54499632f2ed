import type { ChangeItem, Source } from '@portolan/plugin-api';
import { readContext } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { faultOf } from './fault-of.ts';
import { openSource } from './open-source.ts';
import { readEntries } from './read-entries.ts';
import { changed, row, startStubRegistry, type StubRegistry } from './stub-registry.ts';

const SKILL = {
  namespace: 'dev.acme',
  name: 'triage',
  description: 'Sorts',
  version: '1.0.0',
  status: 'ACTIVE',
};
const SET_BACK = 'The clock of the registry was set back.';
const wrapped = (skill: object): object => ({ skill, _meta: {} });

async function cursorOf(source: Source): Promise<string> {
  const items = await readEntries(source);
  const cursor = items.find((item) => 'cursor' in item)?.cursor;
  if (cursor === undefined) throw new Error('the read has yielded no cursor');
  return cursor;
}

async function changesOf(source: Source, since: string): Promise<readonly ChangeItem[]> {
  const items: ChangeItem[] = [];
  for await (const item of source.readChanges?.(since, new AbortController().signal, readContext()) ?? [])
    items.push(item);
  return items;
}

const namesOf = (items: readonly ChangeItem[]): readonly unknown[] =>
  items.flatMap((item) => ('document' in item ? [Reflect.get(Object(item.document), 'name')] : []));

describe('incremental sync', () => {
  let stub: StubRegistry;
  let source: Source;
  const asked = (): readonly string[] =>
    stub.requests.map(({ url }) => url?.replace('/base/v0.1/', '') ?? '');

  beforeEach(async () => {
    stub = await startStubRegistry();
    stub.rows = ['a', 'b', 'c'].map((name) => row(`dev.acme/${name}`, '1.0.0'));
    ({ source } = openSource({ endpoint: stub.url }));
  });
  afterEach(() => stub.close());

  it("requests changes since 15 minutes before the last read, by the registry's clock", async () => {
    stub.instead = (_request, response) => {
      response.setHeader('date', 'Sun, 22 Nov 2026 12:00:00 GMT');
      return false;
    };
    const since = await cursorOf(source);
    stub.rows = [...stub.rows, changed(row('dev.acme/d', '1.0.0'))];
    const before = stub.requests.length;
    expect(namesOf(await changesOf(source, since))).to.deep.equal(['dev.acme/d']);
    expect(asked().slice(before)).to.deep.equal([
      'servers?limit=1&include_deleted=true',
      'servers?limit=2&updated_since=2026-11-22T11%3A45%3A00.000Z&include_deleted=true',
      'x/dev.portolan/skills?limit=1&include_deleted=true',
      'x/dev.toolhive/skills?limit=1',
      'x/dev.portolan/plugins?limit=1&include_deleted=true',
      'x/dev.toolhive/plugins?limit=1',
    ]);
  });

  it('requests nothing more when the unchanged tag covers the whole list', async () => {
    stub.tag = '"all of it"';
    stub.lists = { 'x/dev.portolan/skills': [wrapped(SKILL)], 'x/dev.portolan/plugins': [] };
    const since = await cursorOf(source);
    const before = stub.requests.length;
    expect(await changesOf(source, since)).to.deep.equal([]);
    expect(stub.requests.length - before).to.equal(3);
    stub.tag = '"another one"';
    const items = await changesOf(source, since);
    expect(items.filter((item) => 'cursor' in item)).to.have.lengthOf(1);
  });

  it('reads everything when the registry now shows rows of other sources, which are not new', async () => {
    stub.view = 'of one source';
    const since = await cursorOf(source);
    stub.rows = [...stub.rows, changed(row('dev.acme/d', '1.0.0'))];
    expect(namesOf(await changesOf(source, since))).to.deep.equal(['dev.acme/d']);
    stub.view = 'of two';
    stub.rows = [...stub.rows, row('dev.acme/old', '1.0.0')];
    expect(await changesOf(source, since)).to.deep.equal([
      { startOver: 'The registry shows rows of other sources by now, or others of them.' },
    ]);
  });

  it('does not use the tag of a page as that of the list', async () => {
    const since = await cursorOf(source);
    stub.rows = [...stub.rows, changed(row('dev.acme/d', '1.0.0'))];
    expect(namesOf(await changesOf(source, since))).to.deep.equal(['dev.acme/d']);
    expect(stub.requests.filter(({ headers }) => 'if-none-match' in headers)).to.deep.equal([]);
  });

  it('reads everything each time when the registry sends no date', async () => {
    stub.hasDate = false;
    expect((await readEntries(source)).filter((item) => 'cursor' in item)).to.deep.equal([]);
  });

  for (const status of [400, 422, 501]) {
    it(`reads everything when the registry responds with ${status} to a request for changes`, async () => {
      const since = await cursorOf(source);
      stub.instead = (request, response) => {
        if (!request.url?.includes('updated_since')) return false;
        response.writeHead(status).end('{}');
        return true;
      };
      expect(await changesOf(source, since)).to.deep.equal([
        { startOver: 'The registry does not tell what has changed.' },
      ]);
    });
  }

  it("starts over when the registry's API version has changed, and fails when it has none", async () => {
    stub.versions = ['v0'];
    const since = await cursorOf(source);
    stub.versions = ['v0.1'];
    expect(await changesOf(source, since)).to.deep.equal([
      { startOver: 'The registry no longer has a list of servers with API v0.' },
    ]);
    expect((await readEntries(source)).filter((item) => 'document' in item)).to.have.lengthOf(3);
    stub.versions = [];
    const fault = await faultOf(() => readEntries(source));
    expect([fault.code, fault.message.includes('status 404')]).to.deep.equal(['ERR_SOURCE_STATUS', true]);
  });

  it('starts over for a cursor of another endpoint, other types, or another program', async () => {
    const since = await cursorOf(source);
    const others = [
      openSource({ endpoint: `${stub.url}/other` }).source,
      openSource({ endpoint: stub.url, types: ['server'] }).source,
    ];
    for (const [other, cursor] of [
      ...others.map((one) => [one, since] as const),
      [source, 'garbage'] as const,
    ]) {
      const [item] = await changesOf(other, cursor);
      expect(item).to.have.property('startOver');
    }
  });

  it('reads skills of Portolan with their metadata and changes', async () => {
    const official = { status: 'deprecated', isLatest: true };
    const meta = {
      'io.modelcontextprotocol.registry/official': official,
      'portolan.dev': { origin: 'first' },
    };
    stub.lists = { 'x/dev.portolan/skills': [{ skill: SKILL, _meta: meta }] };
    const items = await readEntries(source);
    expect(items.find((item) => 'document' in item && item.type === 'skill')).to.deep.equal({
      type: 'skill',
      document: SKILL,
      place: 'skills[0] of page 1',
      scope: 'skills',
      official,
      path: ['first'],
    });
    const since = await cursorOf(source);
    const newer = changed(wrapped({ ...SKILL, version: '2.0.0' }));
    stub.lists = { 'x/dev.portolan/skills': [wrapped(SKILL), newer] };
    const versions = (await changesOf(source, since)).flatMap((item) =>
      'document' in item ? [Reflect.get(Object(item.document), 'version')] : [],
    );
    expect(versions).to.deep.equal(['2.0.0']);
  });

  it('reads skills and plugins of other registries in full each time, to notice removals', async () => {
    const skills = ['triage', 'review', 'report'].map((name) => ({ ...SKILL, name }));
    stub.lists = { 'x/dev.toolhive/skills': skills, 'x/dev.toolhive/plugins': [SKILL] };
    const items = await readEntries(source);
    expect(items.filter((item) => 'document' in item && item.type === 'skill')).to.have.lengthOf(3);
    expect(items.filter((item) => 'document' in item && item.type === 'plugin')).to.have.lengthOf(1);
    const since = await cursorOf(source);
    stub.lists = { 'x/dev.toolhive/skills': skills.slice(1) };
    const changes = await changesOf(source, since);
    expect(namesOf(changes)).to.deep.equal(['review', 'report']);
    expect(changes.filter((item) => 'completeScopes' in item)).to.deep.equal([
      { completeScopes: ['skills'] },
      { completeScopes: ['plugins'] },
    ]);
  });

  it('fails when the registry has none of the lists, instead of removing all entries', async () => {
    stub.lists = { 'x/dev.portolan/skills': [wrapped(SKILL)] };
    const { source: skills } = openSource({ endpoint: stub.url, types: ['skill', 'plugin'] });
    const since = await cursorOf(skills);
    stub.lists = {};
    const fault = await faultOf(() => readEntries(skills));
    expect([fault.code, fault.message]).to.deep.equal([
      'ERR_SOURCE_STATUS',
      'The registry responded to the request for the list of skills with status 404; expected 200.',
    ]);
    expect(await changesOf(skills, since)).to.deep.equal([
      { startOver: 'The registry no longer has any of the lists.' },
    ]);
  });

  it("starts over when the registry's clock was set back, to miss no later change", async () => {
    let date = 'Sun, 22 Nov 2026 12:00:00 GMT';
    stub.instead = (_request, response) => {
      response.setHeader('date', date);
      return false;
    };
    const since = await cursorOf(source);
    date = 'Sun, 22 Nov 2026 11:50:00 GMT';
    expect(await changesOf(source, since), 'within the overlap').to.not.deep.include({ startOver: SET_BACK });
    date = 'Sun, 22 Nov 2026 11:40:00 GMT';
    expect(await changesOf(source, since)).to.deep.equal([{ startOver: SET_BACK }]);
  });

  it('fails when a list cannot be read, instead of treating it as empty', async () => {
    for (const status of [401, 403, 500]) {
      stub.instead = (request, response) => {
        if (!request.url?.includes('/skills')) return false;
        response.writeHead(status).end('{}');
        return true;
      };
      const thrown = await readEntries(source).catch((error: unknown) => error);
      expect(thrown, String(status)).to.have.property('code', 'ERR_SOURCE_STATUS');
    }
  });
});
