import type { ClientVerdict, MessageChange } from '@portolan/plugin-api';
import { expect } from 'chai';
import { McpClient } from '../support/mcp-client.ts';
import { CLAIM, ModernClient } from '../support/modern-client.ts';
import { Proxies } from '../support/proxy-under-test.ts';
import { ScriptedServers } from '../support/scripted-server.ts';
import { speak } from '../support/spoken-to.ts';

const CALL = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'plain', arguments: {} } };

describe('change by a policy that makes a message invalid', () => {
  const proxies = new Proxies();
  afterEach(() => proxies.close());

  /** Opens a proxy with a middleware that applies this change to calls. */
  async function open(change: MessageChange, by: readonly string[]) {
    const servers = new ScriptedServers({ received: speak });
    const backend = servers.backend();
    const onMessage = ({ text }: { readonly text: string }): ClientVerdict | undefined =>
      text.includes('tools/call') ? { change: [change], by } : undefined;
    const middleware = [{ name: 'changes', placed: 'mutate', instance: { onMessage } }] as const;
    return await proxies.open(backend, { middleware });
  }

  const told = (logger: { readonly lines: readonly unknown[] }): string =>
    logger.lines
      .map((line) => Object(line).fields?.err)
      .flatMap((error: unknown) => (error instanceof Error ? [error.message] : []))
      .join('\n');

  it('is logged with the services that requested it, and hidden from the client', async () => {
    const { url, logger } = await open({ path: ['params', 'name'], json: '4711' }, ['second', 'third']);
    const answer = await (await McpClient.connect(url)).post(CALL);
    expect([answer.status, answer.json.error]).to.deep.equal([
      200,
      { code: -32603, message: 'Internal error' },
    ]);
    expect(told(logger)).to.equal(
      'The proxy middleware "changes" breaks its contract: its change cannot be applied (requested by "second", "third").',
    );
  });

  it('is logged as well when it changes the protocol era of the message', async () => {
    const { url, logger } = await open({ path: ['params', '_meta', CLAIM], json: undefined }, ['second']);
    const answer = await new ModernClient(url).post({ method: 'tools/call', params: CALL.params });
    expect([answer.status, answer.json.error.code]).to.deep.equal([200, -32603]);
    expect(told(logger)).to.equal(
      'The proxy middleware "changes" breaks its contract: it changes the era of a message (requested by "second").',
    );
  });
});
