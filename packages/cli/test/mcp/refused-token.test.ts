import { Client } from '@modelcontextprotocol/client';
import type { PortolanError } from '@portolan/plugin-api';
import { expect } from 'chai';
import { caught } from '../../../../test/support/caught.ts';
import type { McpServer } from '../../src/mcp/find-server.ts';
import { openServer } from '../../src/mcp/open-server.ts';

const OBSERVER = {
  progress: () => undefined,
  tell: () => undefined,
  tellsLogs: false,
  askForm: undefined,
};

/** Connects to a server that returns this response to every request, and returns the error. */
async function connect(
  respond: () => Response,
  { transport = 'streamable-http', token }: Partial<Pick<McpServer, 'transport'>> & { token?: string } = {},
): Promise<PortolanError> {
  const fetch = () => Promise.resolve(respond());
  const opened = { fetch, close: () => Promise.resolve() };
  const server: McpServer = {
    label: 'weather',
    url: new URL('https://mcp.acme.example/mcp'),
    transport,
    headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
  };
  const options = { version: '1.0.0', timeoutMs: 60_000, ca: undefined, observer: OBSERVER };
  const context = { openFetch: () => Promise.resolve(opened), environment: {} };
  const { signal } = new AbortController();
  return await caught(() => openServer(server, options, context, signal));
}

const challenge = (status: number, text: string) => () =>
  new Response('', { status, headers: { 'WWW-Authenticate': text } });

function tokenWith(claims: object): string {
  return `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`;
}

describe('portolan mcp with a token that the server rejects (N7)', () => {
  // Load the library first: it defines globals, which Mocha counts as leaks of a test.
  before(() => expect(Client).to.be.a('function'));

  const said = 'Bearer error="invalid_token", error_description="The tenant \\"a\\" is locked"';
  for (const transport of ['streamable-http', 'sse'] as const) {
    it(`shows error_description of a 401 (${transport})`, async () => {
      const error = await connect(challenge(401, said), { transport, token: 'opaque' });
      expect(error).to.include({
        code: 'ERR_MCP_UNAUTHORIZED',
        message: 'weather rejects the credentials: The tenant "a" is locked',
      });
    });

    it(`shows error_description of a 403 (${transport})`, async () => {
      const text = 'Bearer error="insufficient_scope", error_description="mcp:tools is missing"';
      const error = await connect(challenge(403, text), { transport, token: 'opaque' });
      expect(error).to.include({ code: 'ERR_MCP_ANSWER' });
      expect(error.message).to.include('status 403: mcp:tools is missing');
    });
  }

  it('prints a description without control characters, and of limited length', async () => {
    const text = `Bearer error="x", error_description="${'a'.repeat(2000)}"`;
    const { message } = await connect(challenge(401, text));
    expect(message.length).to.be.below(500);
    const moved = await connect(challenge(401, 'Bearer error_description="a\u009b2Jb"'));
    expect(moved.message).not.to.match(/[\u0080-\u009f]/);
  });

  it('names the time at which the token expired', async () => {
    const old = await connect(challenge(401, 'Bearer'), { token: tokenWith({ exp: 1_700_000_000 }) });
    expect(old.hint).to.equal('the access token expired at 2023-11-14T22:13:20.000Z: get a new one');
    for (const token of [tokenWith({ exp: 4_000_000_000 }), tokenWith({}), 'opaque']) {
      const { hint } = await connect(challenge(401, 'Bearer'), { token });
      expect(hint).to.include('--token-file FILE');
    }
  });

  it('suggests a token when none was sent', async () => {
    const { message } = await connect(challenge(401, 'Bearer'));
    expect(message).to.equal('weather requires authentication');
  });
});
