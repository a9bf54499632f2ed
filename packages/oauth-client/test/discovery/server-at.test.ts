import { expect } from 'chai';
import { caught } from '../../../../test/support/caught.ts';
import { describedServer, serverAt } from '../../src/discovery/find-login.ts';
import { findProtectedResource } from '../../src/discovery/find-protected-resource.ts';
import { OauthWeb } from '../../src/web/oauth-web.ts';

const NONE = { issuer: undefined, authorizeUrl: undefined, tokenUrl: undefined };
const { signal } = new AbortController();

/** Asks for the server of a login, where everything is answered in one way. */
async function find(issuer: string, answer: (url: URL) => Response): ReturnType<typeof serverAt> {
  return await serverAt(issuer, NONE, await open(answer), signal);
}

async function open(answer: (url: URL) => Response): Promise<OauthWeb> {
  const fetch: typeof globalThis.fetch = async (input) =>
    await Promise.resolve(answer(new URL(input instanceof Request ? input.url : input)));
  const opened = { fetch, close: () => Promise.resolve() };
  return await OauthWeb.open({ named: [], environment: {}, openFetch: () => Promise.resolve(opened) });
}

describe('serverAt', () => {
  const none = (): Response => new Response('nothing here', { status: 404 });
  const page = (): Response => new Response('<!doctype html>', { headers: { 'content-type': 'text/html' } });
  const away = (): Response => {
    throw new TypeError('fetch failed');
  };
  const busy = (status: number) => (): Response => new Response('', { status });

  for (const [what, answer] of [
    ['responds with 404', none],
    ['responds with a page', page],
  ] as const) {
    it(`uses the default endpoints of 2025-03-26 at a host that ${what}`, async () => {
      const { metadata } = await find('https://mcp.acme.example', answer);
      expect(metadata.token_endpoint).to.equal('https://mcp.acme.example/token');
    });
  }

  const guesses: readonly (readonly [issuer: string, what: string, answer: () => Response])[] = [
    ['https://mcp.acme.example', 'is unreachable', away],
    ['https://mcp.acme.example', 'has a gateway that responds with 502', busy(502)],
    ['https://mcp.acme.example', 'responds with 429', busy(429)],
    ['https://login.acme.example/tenant', 'responds with 404, because its root belongs to others', none],
  ];
  for (const [issuer, what, answer] of guesses) {
    it(`returns no default endpoints for a refresh token when ${issuer} ${what}`, async () => {
      expect(await caught(() => find(issuer, answer))).to.include({ code: 'ERR_LOGIN_TOKEN' });
    });
  }

  it('N7 › reports an unreachable issuer, instead of missing metadata', async () => {
    const { message } = await caught(() => find('https://mcp.acme.example', away));
    expect(message).to.include('https://mcp.acme.example cannot be reached: ').and.not.include('metadata');
    const busyNow = await caught(() => find('https://mcp.acme.example', busy(502)));
    expect(busyNow.message).to.include('has no metadata');
  });

  it('N7 › reports an unreachable issuer or document for a new login', async () => {
    const web = await open(away);
    const issuer = 'https://login.acme.example/tenant';
    const unreachable = await caught(() => describedServer(issuer, web, signal));
    expect(unreachable).to.include({ code: 'ERR_LOGIN_DISCOVERY' });
    expect(unreachable.message).to.include(`the authorization server ${issuer} cannot be reached: `);
    const remote = new URL('https://mcp.acme.example/mcp');
    const metadata = 'https://meta.acme.example/resource';
    const { message } = await caught(() => findProtectedResource(remote, metadata, web, signal));
    expect(message).to.include('names its metadata at https://meta.acme.example, which cannot be reached: ');
    const { message: absent } = await caught(async () =>
      findProtectedResource(remote, metadata, await open(none), signal),
    );
    expect(absent).to.include('there is none at that address');
  });

  it('returns the values of the metadata', async () => {
    const issuer = 'https://login.acme.example/tenant';
    const document = { issuer, authorization_endpoint: `${issuer}/a`, token_endpoint: `${issuer}/t` };
    expect((await find(issuer, () => Response.json(document))).metadata).to.deep.equal(document);
  });
});
