import { createRecordingLogger, FakeClock } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { watchNamedTools } from '../../../packages/workload/src/supervisor/policies/named-tools.ts';
import { McpClient } from '../../../packages/proxy/test/support/mcp-client.ts';
import { Proxies } from '../../../packages/proxy/test/support/proxy-under-test.ts';
import { ScriptedServers } from '../../../packages/proxy/test/support/scripted-server.ts';
import { openAuthorizer } from '../../../plugins/proxy-authorization-cedar/src/open-authorizer.ts';
import { toolFilter } from '../../../plugins/proxy-tool-filter/src/tool-filter.ts';

const LIST = { id: 1, method: 'tools/list' };

describe('settings that name unknown tools of the server (N4)', function () {
  this.timeout(20_000);
  const proxies = new Proxies();
  afterEach(() => proxies.close());

  interface Settings {
    readonly tools?: readonly string[];
    readonly override?: Readonly<Record<string, { readonly name?: string; readonly description?: string }>>;
    readonly policies?: readonly string[];
  }

  /** Opens a proxy like a supervisor, in front of a server with `pages` of tools. */
  async function open({ tools = [], override = {}, policies }: Settings, pages: { current: string[][] }) {
    const logger = createRecordingLogger();
    const remarks: string[] = [];
    const clock = new FakeClock();
    const workload = {
      name: 'w',
      server: 'w',
      transport: 'stdio',
      isRemote: false,
      trustsProxyHeaders: false,
      directory: '/nonexistent',
    };
    const context = {
      workload,
      logger,
      remark: () => undefined,
      clock: () => new Date(0),
      nowMs: clock.nowMs,
    };
    // SAFETY: the kind reads nothing else of its context.
    const filter = await toolFilter.create({ tools, override }, context as never);
    const opened = [
      { name: 'tool-filter', placed: 'names', instance: filter },
      ...(policies === undefined
        ? []
        : [
            {
              name: 'cedar',
              placed: 'authorize',
              instance: await openAuthorizer({ cedar: { policies, entities_json: '[]' } } as never, context),
            } as const,
          ]),
    ] as const;
    const kept: (readonly string[])[] = [];
    const watching = watchNamedTools({
      middleware: opened,
      logger,
      remark: (text) => remarks.push(text),
      keepNames: (names) => Promise.resolve(void kept.push(names)),
    });
    const servers = new ScriptedServers({
      received: (message, server) => {
        if (message.method === 'initialize') server.greet(message);
        else if (message.method === 'tools/list') {
          const at = Number(message.params?.cursor ?? 0);
          const listed = (pages.current[at] ?? []).map((name) => ({ name, inputSchema: { type: 'object' } }));
          const next = at + 1 < pages.current.length ? { nextCursor: String(at + 1) } : {};
          server.say({ id: message.id, result: { tools: listed, ...next } });
        }
      },
    });
    const middleware = [...opened, ...(watching === undefined ? [] : [watching])];
    const { url } = await proxies.open(servers.backend(), { middleware });
    const client = await McpClient.connect(url);
    const warnings = () => logger.lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
    return { client, warnings, remarks, kept };
  }

  const PAGES = { current: [['echo', 'get-sum', 'long-task']] };

  it('are reported once, in the log and the status, with a suggestion', async () => {
    const { client, warnings, remarks } = await open({ tools: ['echoo', 'get-sum'] }, PAGES);
    for (let at = 0; at < 2; at += 1) await client.post(LIST);
    const text =
      'The server has no tool of these names: "echoo" (settings of tool-filter; did you mean "echo"?).';
    expect(warnings()).to.deep.equal([text]);
    expect(remarks).to.deep.equal([text]);
  });

  it('are found in overrides, by the original name of the tool', async () => {
    const override = { get_sum: { name: 'add' }, echo: { name: 'say' } };
    const { client, remarks } = await open({ tools: ['add', 'say'], override }, PAGES);
    await client.post(LIST);
    expect(remarks).to.deep.equal([
      'The server has no tool of these names: "get_sum" (settings of tool-filter; did you mean "get-sum"?).',
    ]);
  });

  it('are found in Cedar policies, even when these hide part of the list', async () => {
    const policies = [
      'permit(principal, action == Action::"call_tool", resource == Tool::"get_sum");',
      'forbid(principal, action, resource) when { resource in [Tool::"echo", Tool::"nothing-like-it"] };',
    ];
    const { client, remarks } = await open({ policies }, PAGES);
    await client.post(LIST);
    expect(remarks).to.deep.equal([
      'The server has no tool of these names: "get_sum" (settings of cedar; did you mean "get-sum"?), "nothing-like-it" (settings of cedar).',
    ]);
  });

  it('are compared with all pages of a list', async () => {
    const { client, remarks } = await open({ tools: ['b', 'c'] }, { current: [['a'], ['b']] });
    await client.post(LIST);
    expect(remarks).to.deep.equal([]);
    await client.post({ ...LIST, params: { cursor: '1' } });
    expect(remarks).to.deep.equal(['The server has no tool of these names: "c" (settings of tool-filter).']);
  });

  it('are no longer reported when a later list has the tools', async () => {
    const pages = { current: [['a']] };
    const { client, warnings, remarks } = await open({ tools: ['a', 'b'] }, pages);
    await client.post(LIST);
    pages.current = [['a', 'b']];
    await client.post(LIST);
    expect(remarks.at(-1)).to.equal('');
    expect(warnings()).to.have.length(1);
  });

  it('are compared on demand with every complete list, which the proxy keeps unfiltered', async () => {
    const pages = { current: [['a'], ['b']] };
    const { client, kept } = await open({ tools: ['b'] }, pages);
    await client.post(LIST);
    expect(kept).to.deep.equal([]);
    const last = { ...LIST, params: { cursor: '1' } };
    await client.post(last);
    expect(kept).to.deep.equal([['a', 'b']]);
    for (let at = 0; at < 2; at += 1) {
      await client.post(LIST);
      await client.post(last);
    }
    expect(kept).to.have.length(1);
    pages.current = [['a', 'b', 'c']];
    await client.post(LIST);
    expect(kept.at(-1)).to.deep.equal(['a', 'b', 'c']);
  });

  it('are not reported when the server has all tools', async () => {
    const { client, warnings, remarks } = await open({ tools: ['echo'] }, PAGES);
    await client.post(LIST);
    expect([warnings(), remarks]).to.deep.equal([[], []]);
  });
});
