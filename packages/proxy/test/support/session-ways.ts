import { once } from 'node:events';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { begin, Events, open as openRequest, send } from './http-client.ts';
import { initialize, McpClient } from './mcp-client.ts';

/** Ways to end a session, by name. Each opens a session at the URL and ends it in this way. */
export type SessionWays = Readonly<Record<string, (url: URL) => Promise<void>>>;

const call = (name: string): object => ({
  id: 1,
  method: 'tools/call',
  params: { name, _meta: { progressToken: 't' } },
});

/** Ways in which a session can end over streamable HTTP. */
export const WAYS: SessionWays = {
  'is ended': async (url) => {
    const client = await connect(url);
    await client.post(call('echo'));
    await client.end();
  },
  'is left': async (url) => {
    await (await connect(url)).post(call('echo'));
  },
  'is left with a stream': async (url) => {
    (await (await connect(url)).listen()).leave();
  },
  'is left in a call': async (url) => {
    await leaveIn(await connect(url), call('hold'));
  },
  'is left in a call that has a stream, and resumed once': async (url) => {
    const client = await connect(url);
    const stream = await client.stream(call('progress'));
    // The session may be evicted meanwhile, or its shared process may have ended.
    await eventually(() => expect(stream.all.length > 0 || stream.isOver).to.equal(true));
    stream.leave();
    const again = await client.listen({ 'Last-Event-ID': stream.all.at(-1)?.id ?? '' });
    again.leave();
  },
  'loses its process in a call': async (url) => {
    await (await connect(url)).post(call('exit'));
  },
  'is left while the server asks': async (url) => {
    await leaveIn(await connect(url), call('ask'));
  },
  'is ended while a call waits': async (url) => {
    const client = await connect(url);
    const waiting = client.post(call('hold'));
    await client.end();
    await waiting;
  },
  'is ended with a subscription': async (url) => {
    const client = await connect(url);
    await client.post({ id: 1, method: 'resources/subscribe', params: { uri: 'file:///a' } });
    await client.end();
  },
  'is refused': async (url) => {
    await new McpClient(url).post(greeting('refused'));
  },
  'is left before it begins': async (url) => {
    await leaveIn(new McpClient(url), greeting('unanswered'));
  },
};

/** Ways in which a session can end over HTTP+SSE, where the stream is the session. */
export const SSE_WAYS: SessionWays = {
  'is left before it begins': async (url) => (await listenTo(url)).events.leave(),
  'is left': async (url) => {
    const { events, post } = await listenTo(url);
    await post(initialize());
    await post(call('echo'));
    events.leave();
  },
  'is left in a call': async (url) => {
    const { events, post } = await listenTo(url);
    await post(initialize());
    await post(call('hold'));
    events.leave();
  },
  'loses its process': async (url) => {
    const { events, post } = await listenTo(url);
    await post(initialize());
    await post(call('exit'));
    await events.over();
  },
  'is refused': async (url) => {
    const { events, post } = await listenTo(url);
    await post(greeting('refused'));
    events.leave();
  },
};

function greeting(name: string): object {
  const { params, ...rest } = initialize() as { readonly params: object };
  return { ...rest, params: { ...params, clientInfo: { name, version: '1' } } };
}

/** Opens a session. Retries while pending calls occupy all slots. */
async function connect(url: URL): Promise<McpClient> {
  return await eventually(
    async () => {
      const client = await McpClient.connect(url, { version: '2025-11-25', capabilities: { sampling: {} } });
      expect(client.session).to.not.equal('');
      return client;
    },
    { withinMs: 20_000 },
  );
}

/** Sends a message and disconnects before the response. */
async function leaveIn(client: McpClient, message: object): Promise<void> {
  const leaving = begin(client.url, { headers: client.headers() });
  leaving.end(JSON.stringify({ jsonrpc: '2.0', ...message }));
  await once(leaving, 'finish');
  leaving.destroy();
}

interface Listened {
  readonly events: Events;
  readonly post: (message: object) => Promise<unknown>;
}

async function listenTo(url: URL): Promise<Listened> {
  const events = new Events(await openRequest(url, { headers: { Accept: 'text/event-stream' } }));
  const endpoint = await eventually(() => {
    const [first] = events.all;
    if (first === undefined) throw new Error('no endpoint has come');
    return new URL(first.data, url);
  });
  const headers = { 'Content-Type': 'application/json' };
  return {
    events,
    post: (message) =>
      send(endpoint, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) }),
  };
}
