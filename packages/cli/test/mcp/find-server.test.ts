import { isPortolanError } from '@portolan/plugin-api';
import { createRunConfig } from '@portolan/run-spec';
import { type WorkloadStore, workloadUnknown } from '@portolan/workload';
import { expect } from 'chai';
import { findServer, type ServerWish } from '../../src/mcp/find-server.ts';

const NOBODY = { find: async () => undefined, unknown: async (name: string) => workloadUnknown(name) };
const OIDC = {
  Issuer: 'https://id.acme.example',
  Audience: '',
  JWKSURL: '',
  ClientID: '',
  ClientSecret: '',
  CACertPath: '',
  AuthTokenFile: '',
  IntrospectionURL: '',
  ResourceURL: '',
  AllowPrivateIP: false,
  InsecureAllowHTTP: false,
  Scopes: [],
  AllowedClients: [],
};

function wish(named: string, more: Partial<ServerWish> = {}): ServerWish {
  const nothing = { transport: 'auto', token: undefined, ambientToken: undefined, headers: [] } as const;
  return { named, ...nothing, allowInsecure: false, ...more };
}

/** Returns a store with one workload, with the methods that `findServer` calls. */
function storeWith(status: string, asksCallers: boolean, proxyMode = 'streamable-http') {
  const config = createRunConfig({
    name: 'sums',
    proxy_mode: proxyMode,
    ...(asksCallers ? { oidc_config: OIDC } : {}),
  });
  return {
    find: async (name: string) =>
      name === 'sums' ? { name, state: { status, url: 'http://127.0.0.1:4/mcp' }, config } : undefined,
  };
}

// SAFETY: `findServer` uses no other members of the store.
const at = (store: unknown) => ({ store: store as WorkloadStore });

describe('findServer', () => {
  it('returns a workload with its transport', async () => {
    const found = await findServer(wish('sums'), at(storeWith('running', false, 'sse')));
    expect(found).to.deep.equal({
      label: 'sums',
      url: new URL('http://127.0.0.1:4/mcp'),
      transport: 'sse',
      headers: {},
    });
  });

  it('sends the token of the environment only to a workload that authenticates callers', async () => {
    const ambient = { ambientToken: 'secret' };
    const asking = await findServer(wish('sums', ambient), at(storeWith('running', true)));
    expect(asking.headers).to.deep.equal({ Authorization: 'Bearer secret' });
    const open = await findServer(wish('sums', ambient), at(storeWith('running', false)));
    const elsewhere = await findServer(wish('https://mcp.acme.example/mcp', ambient), at(NOBODY));
    expect([open.headers, elsewhere.headers]).to.deep.equal([{}, {}]);
  });

  it('sends the token of --token-file, and headers, to any server', async () => {
    const given = { token: 'mine', headers: ['X-Key=a=b'] };
    const { headers } = await findServer(wish('https://mcp.acme.example/mcp', given), at(NOBODY));
    expect(headers).to.deep.equal({ 'X-Key': 'a=b', Authorization: 'Bearer mine' });
  });

  for (const [url, transport, expected] of [
    ['http://127.0.0.1:4/sse', 'auto', 'sse'],
    ['http://127.0.0.1:4/mcp', 'auto', 'streamable-http'],
    ['http://127.0.0.1:4/mcp', 'sse', 'sse'],
    ['http://127.0.0.1:4/sse', 'streamable-http', 'streamable-http'],
  ] as const) {
    it(`uses ${expected} for ${url} with --transport ${transport}`, async () => {
      expect((await findServer(wish(url, { transport }), at(NOBODY))).transport).to.equal(expected);
    });
  }

  const refused: readonly (readonly [title: string, wish: ServerWish, store: unknown, code: string])[] = [
    ['an unknown workload', wish('nobody'), NOBODY, 'ERR_WORKLOAD_UNKNOWN'],
    ['a stopped workload', wish('sums'), storeWith('stopped', false), 'ERR_WORKLOAD_NOT_RUNNING'],
    ['another protocol', wish('ftp://acme.example/'), NOBODY, 'ERR_SERVER_ADDRESS'],
    ['a URL with a password', wish('https://a:b@acme.example/'), NOBODY, 'ERR_SERVER_ADDRESS'],
    ['a header without a name', wish('sums', { headers: ['secret'] }), NOBODY, 'ERR_SERVER_ADDRESS'],
    [
      'a header that breaks the line',
      wish('sums', { headers: ['a=b\r\nc: d'] }),
      NOBODY,
      'ERR_SERVER_ADDRESS',
    ],
    ['a token without TLS', wish('http://mcp.acme.example/', { token: 't' }), NOBODY, 'ERR_SERVER_ADDRESS'],
  ];
  for (const [title, asked, store, code] of refused) {
    it(`rejects ${title}`, async () => {
      const found = await findServer(asked, at(store)).catch((error: unknown) => error);
      expect(isPortolanError(found) ? found.code : found).to.equal(code);
    });
  }

  it('sends a token without TLS with --allow-insecure, and to this machine', async () => {
    for (const [named, allowInsecure] of [
      ['http://mcp.acme.example/', true],
      ['http://localhost:4/mcp', false],
    ] as const) {
      const { headers } = await findServer(wish(named, { token: 't', allowInsecure }), at(NOBODY));
      expect(headers).to.deep.equal({ Authorization: 'Bearer t' });
    }
  });
});
