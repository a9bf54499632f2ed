import type { ServerResponse } from 'node:http';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { type Json, RegistryUnderTest } from '../../support/registry-under-test.ts';
import {
  type ScriptedRegistry,
  sendJson,
  serverDocument,
  startScriptedRegistry,
} from '../../support/scripted-registry.ts';

/*
 * Registries that fail after they were read once: the status has the reason, and the last good entries
 * remain.
 */

const PRIVATE = 'a private address'; // stands in a redirect, see `answer`

interface Fault {
  /** Name of the source, of its registry and of its path on the other server. */
  readonly name: string;
  readonly what: string;
  /** The page after the cursor. The first page is valid and has other rows. */
  readonly page: (
    turn: number,
  ) => { readonly rows?: readonly Row[]; readonly next?: string; readonly count?: number } | string;
  readonly says: RegExp;
  readonly block?: Json;
}

type Row = { readonly name: string };

const other = serverDocument('com.example/other');
const FAULTS: readonly Fault[] = [
  {
    name: 'repeats',
    what: 'has a cursor that repeats',
    page: (turn) => ({ rows: [more(turn)], next: '1' }),
    says: /its cursor has led here before/,
  },
  {
    name: 'endless',
    what: 'never ends',
    page: (turn) => ({ rows: [more(turn)], next: `t${turn}` }),
    says: /more than 20 pages/,
    block: { maxPages: 20 },
  },
  {
    name: 'circle',
    what: 'never ends, with the same rows',
    page: (turn) => ({ rows: [serverDocument('com.example/new')], next: `t${turn}` }),
    says: /only rows of earlier pages/,
  },
  {
    name: 'html',
    what: 'has a page that is no JSON',
    page: () => '<html>Please log in</html>',
    says: /page 2 of the servers cannot be used: it is not JSON/,
  },
  {
    name: 'lies',
    what: 'has a count that lies',
    page: () => ({ rows: [other], count: 7 }),
    says: /its `count` is 7, but it has 1 rows/,
  },
  {
    name: 'cases',
    what: 'has a name that changes case',
    page: () => ({ rows: [serverDocument('com.example/NEW')] }),
    says: /is already in the list in another case/,
  },
  {
    name: 'twice',
    what: 'has a version that appears twice',
    page: () => ({ rows: [serverDocument('com.example/new'), other] }),
    says: /is already in the list/,
  },
  {
    name: 'redirects',
    what: 'redirects to a private address',
    page: () => PRIVATE,
    says: /redirects the request for .* to an address that may not be reached/,
  },
  {
    name: 'closes',
    what: 'closes the connection in the middle of a page',
    page: () => 'cut',
    says: /failed \(/,
  },
];

function more(turn: number): Row {
  return serverDocument(`com.example/more-${turn}`);
}

describe('api sources of failing registries', function () {
  this.timeout(180_000);
  let upstream: ScriptedRegistry;
  let inside: ScriptedRegistry;
  let registry: RegistryUnderTest;
  /** State of the other server of each source, initially good. */
  const states = new Map<string, 'faulty' | 'well again'>();
  let turn = 0;

  before(async () => {
    upstream = await startScriptedRegistry(({ pathname, searchParams }, response) => {
      const fault = FAULTS.find(({ name }) => pathname === `/${name}/v0.1/servers`);
      if (fault === undefined) sendJson(response, { error: 'no' }, 404);
      else answer(fault, searchParams.get('cursor'), response);
    });
    inside = await startScriptedRegistry((_url, response) => sendJson(response, { servers: [] }));
    const sources = FAULTS.map(({ name, block }) => ({
      name,
      api: {
        endpoint: `${upstream.url}/${name}`,
        types: ['server'],
        retries: 0,
        ...block,
      },
      syncPolicy: { interval: '1h' },
    }));
    const registries = FAULTS.map(({ name }) => ({ name, sources: [name] }));
    registry = await RegistryUnderTest.start({
      engine: 'SQLite',
      mode: 'anonymous',
      config: { sources, registries },
    });
  });
  after(async () => {
    await registry?.close();
    await upstream?.close();
    await inside?.close();
  });

  function answer({ name, page }: Fault, cursor: string | null, response: ServerResponse): void {
    turn += 1;
    const state = states.get(name);
    if (state !== 'faulty') {
      const rows = state === undefined ? ['kept', 'as-well'] : ['new'];
      sendPage(response, { rows: rows.map((row) => serverDocument(`com.example/${row}`)) });
    } else if (cursor === null) sendPage(response, { rows: [serverDocument('com.example/new')], next: '1' });
    else {
      const given = page(turn);
      if (given === PRIVATE) response.writeHead(302, { location: `${inside.url}/v0.1/servers` }).end();
      else if (given === 'cut') response.write('{"servers":[', () => response.destroy());
      else if (typeof given === 'string') response.end(given);
      else sendPage(response, given);
    }
  }

  const syncOf = async (name: string): Promise<Json> =>
    (await registry.send('GET', `/v1/sources/${name}`)).json<{ syncStatus: Json }>().syncStatus;
  const shownBy = async (name: string): Promise<unknown> => {
    const { servers } = (await registry.send('GET', `/registry/${name}/v0.1/servers`)).json<{
      servers: unknown;
    }>();
    return servers;
  };
  const namesOf = (shown: unknown): readonly string[] =>
    // SAFETY: rows of a list of the API.
    (shown as readonly { readonly server: Row }[]).map(({ server }) => server.name);
  const trigger = async (name: string): Promise<void> => {
    expect(await registry.status('POST', `/v1/sources/${name}/sync?full=true`)).to.equal(202);
  };

  for (const fault of FAULTS) {
    const { name, what, says } = fault;
    it(`keep the last valid entries of a registry that ${what}, report why, and recover`, async () => {
      await eventually(async () =>
        expect(await syncOf(name)).to.include({ phase: 'complete', serverCount: 2 }),
      );
      const good = await shownBy(name);
      expect(namesOf(good)).to.deep.equal(['com.example/as-well', 'com.example/kept']);
      const { lastSyncTime: before } = await syncOf(name);

      states.set(name, 'faulty');
      await trigger(name);
      const status = await eventually(async () => {
        const found = await syncOf(name);
        expect(found['lastSyncTime']).to.not.equal(before);
        expect(found).to.include({ phase: 'failed' });
        return found;
      });
      expect(status['message']).to.match(says);
      expect(status['message']).to.not.include('127.0.0.1');
      expect(status).to.include({ serverCount: 2 });
      expect(await shownBy(name), 'what is served').to.deep.equal(good);

      states.set(name, 'well again');
      await trigger(name);
      await eventually(async () =>
        expect(await syncOf(name)).to.include({ phase: 'complete', attemptCount: 0 }),
      );
      expect(namesOf(await shownBy(name))).to.deep.equal(['com.example/new']);
    });
  }

  it('send no request to the private address', () => {
    expect(inside.requests).to.deep.equal([]);
  });
});

function sendPage(
  response: ServerResponse,
  {
    rows = [],
    next,
    count = rows.length,
  }: { readonly rows?: readonly Row[]; readonly next?: string; readonly count?: number },
): void {
  const servers = rows.map((server) => ({
    server,
    _meta: { 'io.modelcontextprotocol.registry/official': { status: 'active' } },
  }));
  sendJson(response, { servers, metadata: { count, ...(next === undefined ? {} : { nextCursor: next }) } });
}
