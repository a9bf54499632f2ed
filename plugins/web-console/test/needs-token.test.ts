import type { ApiRequest } from '@portolan/plugin-api';
import { expect } from 'chai';
import { needsToken } from '../src/entry/usage-section.ts';

const LIST = '/registry/main/v0.1/servers';
const ENTRY = '/registry/main/v0.1/servers/com.acme%2Fnotes/versions';

describe('needsToken (N9)', () => {
  interface Case {
    /** Statuses of requests without a token, by path. */
    readonly statuses: Readonly<Record<string, number>>;
  }

  function open({ statuses }: Case) {
    const paths: string[] = [];
    let now = 0;
    const view = {
      visitor: { authorization: 'Bearer x' },
      parts: { context: { nowMs: () => now } },
      request: {
        api: ({ path }: ApiRequest, sentAs: string | undefined) => {
          expect(sentAs).to.equal(undefined);
          paths.push(path);
          return Promise.resolve({ status: statuses[path] ?? 599, headers: {}, json: {} });
        },
      },
    };
    // SAFETY: nothing else of the view is read.
    const ask = () => needsToken({ view: view as never, registry: 'main', apiPath: ENTRY });
    return { ask, paths, pass: (ms: number) => (now += ms) };
  }

  it('checks a closed registry once a minute', async () => {
    const { ask, paths, pass } = open({ statuses: { [LIST]: 401 } });
    expect([await ask(), await ask()]).to.deep.equal([true, true]);
    expect(paths).to.deep.equal([LIST]);
    pass(61_000);
    await ask();
    expect(paths).to.have.length(2);
  });

  it('returns false for an entry of a public registry, and true for one that needs a token', async () => {
    expect(await open({ statuses: { [LIST]: 200, [ENTRY]: 200 } }).ask()).to.equal(false);
    expect(await open({ statuses: { [LIST]: 200, [ENTRY]: 404 } }).ask()).to.equal(true);
  });

  it('returns false without a request for a visitor who read the entry without a token', async () => {
    const paths: string[] = [];
    const view = {
      visitor: { authorization: undefined },
      request: { api: ({ path }: ApiRequest) => paths.push(path) },
    };
    // SAFETY: nothing else of the view is read.
    const isNeeded = await needsToken({ view: view as never, registry: 'main', apiPath: ENTRY });
    expect([isNeeded, paths]).to.deep.equal([false, []]);
  });
});
