import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { openFetch } from '@portolan/outbound';
import { expect } from 'chai';
import { findAuthorizationServer } from '../../src/discovery/find-authorization-server.ts';
import { findProtectedResource } from '../../src/discovery/find-protected-resource.ts';
import { beginCodeFlow, finishCodeFlow } from '../../src/login/code-flow.ts';
import { beginDeviceFlow } from '../../src/login/device-flow.ts';
import { configurationOf } from '../../src/registration/oauth-client.ts';
import {
  type RegisteredClient,
  registerClient,
  renewClient,
  unregisterClient,
} from '../../src/registration/register-client.ts';
import { refreshTokens } from '../../src/tokens/refresh-tokens.ts';
import { revokeToken } from '../../src/tokens/revoke-token.ts';
import { OauthWeb } from '../../src/web/oauth-web.ts';

const [PUBLIC, PRIVATE] = ['127.0.0.1', '127.0.0.2'];
const TLS = new URL('../../../outbound/test/fixtures/tls/', import.meta.url);
const { signal } = new AbortController();
const now = (): Date => new Date();

describe('authorization server whose name resolves to the local network at the second look-up', () => {
  let servers: readonly Server[];
  let issuer: string;
  let web: OauthWeb;
  let leadsTo: string;
  let lookedUp: number;
  /** Requests that have arrived in the local network. */
  let arrived: string[];

  before(async () => {
    const [key, cert] = await Promise.all(
      ['key.pem', 'certificate.pem'].map((file) => readFile(new URL(file, TLS))),
    );
    const [open, hidden] = [createServer({ key, cert }, answer), createServer({ key, cert })];
    hidden.on('request', (request, response) => {
      arrived.push(`${request.method} ${request.url}`);
      answer(request, response);
    });
    servers = [open, hidden];
    open.listen(0, PUBLIC);
    await once(open, 'listening');
    // SAFETY: a server that listens on a port has an address of this form.
    const { port } = open.address() as AddressInfo;
    hidden.listen(port, PRIVATE);
    await once(hidden, 'listening');
    issuer = `https://login.acme.example:${port}`;
    web = await OauthWeb.open({
      named: ['https://mcp.acme.example/mcp'],
      environment: {},
      openFetch: async (options) =>
        await openFetch(
          { ...options, verifiesServer: false },
          {
            resolve: async () => {
              lookedUp += 1;
              return await Promise.resolve([{ address: leadsTo, family: 4 }]);
            },
            isPublic: (address) => address === PUBLIC,
          },
        ),
    });
  });
  beforeEach(() => {
    [leadsTo, lookedUp, arrived] = [PUBLIC, 0, []];
  });
  after(async () => {
    await web.close();
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    }
  });

  /** Of a server that keeps no connection, so that the name is looked up for each request. */
  function answer({ url = '', method }: IncomingMessage, response: ServerResponse): void {
    const client = {
      client_id: 'a-client',
      registration_client_uri: `${issuer}/client`,
      registration_access_token: 't',
    };
    const token = { access_token: 'a-token', refresh_token: 'another', token_type: 'bearer', expires_in: 60 };
    const documents: Readonly<Record<string, object>> = {
      '/metadata': { resource: 'https://mcp.acme.example/mcp', authorization_servers: [issuer] },
      '/.well-known/oauth-authorization-server': {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        registration_endpoint: `${issuer}/register`,
        device_authorization_endpoint: `${issuer}/device`,
        revocation_endpoint: `${issuer}/revoke`,
        code_challenge_methods_supported: ['S256'],
      },
      '/register': client,
      '/client': client,
      '/token': token,
      '/device': { device_code: 'd', user_code: 'ABCD', verification_uri: `${issuer}/go`, expires_in: 60 },
      '/revoke': {},
    };
    const status = method === 'DELETE' ? 204 : 200;
    response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
    response.end(status === 204 ? undefined : JSON.stringify(documents[url] ?? {}));
  }

  /** What a login has by then; each step does one request. */
  const find = async () => {
    const server = await findAuthorizationServer(issuer, web, signal);
    if (server === undefined) throw new Error('the issuer of the test has no metadata');
    return server;
  };
  const redirectUri = 'http://localhost:8666/callback';
  const request = { redirectUri, scopes: undefined, usesDevice: true };
  const register = async (): Promise<RegisteredClient> =>
    await registerClient(await find(), request, web, signal);
  const configure = async () => await configurationOf(await find(), await register(), web);

  /** Makes ready what comes before a step, and gives the step. */
  const steps: Readonly<Record<string, () => Promise<() => Promise<unknown>>>> = {
    'the metadata of the remote, where its challenge says': async () => () =>
      findProtectedResource(new URL('https://mcp.acme.example/mcp'), `${issuer}/metadata`, web, signal),
    'the metadata of the authorization server': async () => find,
    'the registration': async () => {
      const server = await find();
      return () => registerClient(server, request, web, signal);
    },
    'a code for another device': async () => {
      const configuration = await configure();
      return () =>
        beginDeviceFlow(
          configuration,
          {
            scopes: undefined,
            scopeParamName: 'scope',
            resource: 'https://mcp.acme.example/mcp',
            extra: {},
          },
          web,
        );
    },
    'the trade of a code for tokens': async () => {
      const configuration = await configure();
      const asking = {
        redirectUri,
        scopes: undefined,
        scopeParamName: 'scope',
        resource: undefined,
        extra: {},
      };
      const { proof } = await beginCodeFlow(configuration, asking);
      const redirect = new URL(`${redirectUri}?code=a-code&state=${proof.state}`);
      return () => finishCodeFlow(configuration, { proof, resource: undefined }, redirect, now);
    },
    'a renewal': async () => {
      const configuration = await configure();
      return () => refreshTokens(configuration, 'a-refresh-token', undefined, now);
    },
    'a new secret of the client': async () => {
      const [server, client] = [await find(), await register()];
      return () => renewClient(server, client, request, web, signal);
    },
    'the revocation of a token': async () => {
      const configuration = await configure();
      return async () => {
        const revocation = await revokeToken(configuration, 'a-token');
        if ('why' in revocation) throw new Error(revocation.why);
        return revocation;
      };
    },
    'the removal of the client': async () => {
      const client = await register();
      return () => unregisterClient(client, web, signal);
    },
  };

  for (const [title, prepare] of Object.entries(steps)) {
    it(`gets no request: ${title}`, async () => {
      const step = await prepare();
      leadsTo = PRIVATE;
      lookedUp = 0;
      const came = await step().catch((error: unknown) => error);
      expect(lookedUp, 'the name is looked up for this request').to.be.at.least(1);
      expect(arrived).to.deep.equal([]);
      const isRefused = came === false || (came instanceof Error && textsOf(came).includes('is not public'));
      expect(isRefused, String(came)).to.equal(true);
      leadsTo = PUBLIC;
      const went = await step();
      expect(went).to.not.equal(false).and.not.to.be.instanceOf(Error);
    });
  }
});

/** What an error says, with what has led to it. */
function textsOf(error: Error): string {
  const { cause } = error;
  return cause instanceof Error ? `${error.message} ${textsOf(cause)}` : error.message;
}
