import { isJsonObject, type JsonObject } from '@portolan/plugin-api';
import { expect } from 'chai';
import { registerClient } from '../../src/registration/register-client.ts';
import { OauthWeb } from '../../src/web/oauth-web.ts';

const ISSUER = 'https://login.acme.example';
const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code';
const REQUEST = { redirectUri: 'http://localhost:8666/callback', scopes: ['notes.read'], usesDevice: false };

describe('registerClient', () => {
  /** Registers at a server that refuses some metadata; gives what it was asked for, in order. */
  async function register(
    refuses: (metadata: JsonObject) => boolean,
    { offersDevice, usesDevice = false }: { readonly offersDevice: boolean; readonly usesDevice?: boolean },
  ): Promise<readonly { readonly scope: unknown; readonly byDevice: boolean }[]> {
    const asked: { scope: unknown; byDevice: boolean }[] = [];
    const fetch: typeof globalThis.fetch = async (_input, init) => {
      const metadata: unknown = await new Response(init?.body).json();
      if (!isJsonObject(metadata)) throw new TypeError('the metadata of a client are a JSON object');
      const { scope, grant_types: grants } = metadata;
      asked.push({ scope, byDevice: Array.isArray(grants) && grants.includes(DEVICE) });
      return await Promise.resolve(
        refuses(metadata)
          ? Response.json({ error: 'invalid_client_metadata' }, { status: 400 })
          : Response.json({ client_id: 'portolan' }, { status: 201 }),
      );
    };
    const opened = { fetch, close: () => Promise.resolve() };
    const web = await OauthWeb.open({ named: [], environment: {}, openFetch: () => Promise.resolve(opened) });
    const metadata = {
      issuer: ISSUER,
      registration_endpoint: `${ISSUER}/register`,
      ...(offersDevice ? { device_authorization_endpoint: `${ISSUER}/device` } : {}),
    };
    const { signal } = new AbortController();
    const server = { issuer: ISSUER, metadata, scopes: [] };
    await registerClient(server, { ...REQUEST, usesDevice }, web, signal).catch(() => undefined);
    return asked;
  }

  const knowsNoScope = ({ scope }: JsonObject): boolean => scope !== undefined;
  const knowsNoDevice = ({ grant_types: grants }: JsonObject): boolean =>
    JSON.stringify(grants).includes(DEVICE);
  const both = { scope: 'notes.read', byDevice: true };
  const noScope = { scope: undefined, byDevice: true };
  const neither = { scope: undefined, byDevice: false };
  const cases = [
    { title: 'a server that accepts everything', refuses: () => false, offersDevice: true, asked: [both] },
    {
      title: 'a server without device logins',
      refuses: () => false,
      offersDevice: false,
      asked: [{ ...both, byDevice: false }],
    },
    {
      title: 'a server that rejects the scopes',
      refuses: knowsNoScope,
      offersDevice: true,
      asked: [both, noScope],
    },
    {
      title: 'a server that rejects device logins',
      refuses: knowsNoDevice,
      offersDevice: true,
      asked: [both, noScope, neither],
    },
    {
      title: 'the same server, for a device login',
      refuses: knowsNoDevice,
      offersDevice: true,
      usesDevice: true,
      asked: [both, noScope],
    },
    {
      title: 'a server that refuses everything',
      refuses: () => true,
      offersDevice: true,
      asked: [both, noScope, neither],
    },
  ];
  for (const { title, refuses, asked, ...settings } of cases) {
    it(`requests from ${title} everything that this login and the next one need, and less after a refusal`, async () => {
      expect(await register(refuses, settings)).to.deep.equal(asked);
    });
  }

  const refusals: readonly { readonly status: number; readonly body: object; readonly says: string }[] = [
    {
      status: 403,
      body: {
        errorCode: 'E0000006',
        errorSummary: 'You do not have permission to do this.',
        errorCauses: [],
      },
      says: 'the server answers with 403, "E0000006": You do not have permission to do this.',
    },
    {
      status: 400,
      body: { error: 'invalid_redirect_uri', error_description: 'Only https is allowed' },
      says: 'the server answers with 400, "invalid_redirect_uri": Only https is allowed.',
    },
    {
      status: 200,
      body: { error: 'access_denied' },
      says: 'the server answers with 200, "access_denied".',
    },
    { status: 404, body: {}, says: 'the server answers with 404.' },
  ];
  for (const { status, body, says } of refusals) {
    it(`shows the message of the server when it refuses a registration with ${JSON.stringify(body)} (toolhive 2602)`, async () => {
      const fetch = async (): Promise<Response> => await Promise.resolve(Response.json(body, { status }));
      const opened = { fetch, close: () => Promise.resolve() };
      const web = await OauthWeb.open({
        named: [],
        environment: {},
        openFetch: () => Promise.resolve(opened),
      });
      const metadata = { issuer: ISSUER, registration_endpoint: `${ISSUER}/register` };
      const { signal } = new AbortController();
      const refused: unknown = await registerClient(
        { issuer: ISSUER, metadata, scopes: [] },
        REQUEST,
        web,
        signal,
      ).catch((error: unknown) => error);
      expect(Object(refused).message).to.equal(`The OAuth client could not be registered: ${says}`);
    });
  }
});
