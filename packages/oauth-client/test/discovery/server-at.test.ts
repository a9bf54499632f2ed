import { expect } from 'chai';
import { caught } from '../../../../test/support/caught.ts';
import { serverAt } from '../../src/discovery/find-login.ts';
import { OauthWeb } from '../../src/web/oauth-web.ts';

const NONE = { issuer: undefined, authorizeUrl: undefined, tokenUrl: undefined };
const { signal } = new AbortController();

/** Asks for the server of a login, where everything is answered in one way. */
async function find(issuer: string, answer: (url: URL) => Response): ReturnType<typeof serverAt> {
  const fetch: typeof globalThis.fetch = async (input) =>
    await Promise.resolve(answer(new URL(input instanceof Request ? input.url : input)));
  const opened = { fetch, close: () => Promise.resolve() };
  const web = await OauthWeb.open({ named: [], environment: {}, openFetch: () => Promise.resolve(opened) });
  return await serverAt(issuer, NONE, web, signal);
}

describe('serverAt', () => {
  const none = (): Response => new Response('nothing here', { status: 404 });
  const page = (): Response => new Response('<!doctype html>', { headers: { 'content-type': 'text/html' } });
  const away = (): Response => {
    throw new TypeError('fetch failed');
  };
  const busy = (status: number) => (): Response => new Response('', { status });

  for (const [what, answer] of [
    ['answers 404', none],
    ['answers with a page', page],
  ] as const) {
    it(`takes the fixed places of 2025-03-26 at a host that ${what}`, async () => {
      const { metadata } = await find('https://mcp.acme.example', answer);
      expect(metadata.token_endpoint).to.equal('https://mcp.acme.example/token');
    });
  }

  const guesses: readonly (readonly [issuer: string, what: string, answer: () => Response])[] = [
    ['https://mcp.acme.example', 'is away', away],
    ['https://mcp.acme.example', 'has a gateway in front that says 502', busy(502)],
    ['https://mcp.acme.example', 'is asked too often', busy(429)],
    ['https://login.acme.example/tenant', 'answers 404: the root is of others', none],
  ];
  for (const [issuer, what, answer] of guesses) {
    it(`guesses no address for a refresh token where ${issuer} ${what}`, async () => {
      expect(await caught(() => find(issuer, answer))).to.include({ code: 'ERR_LOGIN_TOKEN' });
    });
  }

  it('takes what its metadata says', async () => {
    const issuer = 'https://login.acme.example/tenant';
    const document = { issuer, authorization_endpoint: `${issuer}/a`, token_endpoint: `${issuer}/t` };
    expect((await find(issuer, () => Response.json(document))).metadata).to.deep.equal(document);
  });
});
