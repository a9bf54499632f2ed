import { expect } from 'chai';
import { fakeMember, toolsOf, type Members } from './support/fake-member.ts';
import { LegacyClient } from './support/legacy-client.ts';
import { VirtualServers } from './support/virtual-servers.ts';

const TASK = { taskId: 't-1', status: 'working', createdAt: '2026-01-01T00:00:00Z', ttl: 1000 };

describe('tasks of a virtual server', () => {
  const servers = new VirtualServers();
  afterEach(() => servers.close());

  function taskMember(name: string) {
    const capabilities = { tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } };
    return fakeMember(name, {
      capabilities,
      results: { 'tools/list': toolsOf('run'), 'tasks/list': { tasks: [TASK] } },
      respond: ({ method, params }, connection): Members | undefined => {
        if (method === 'tools/call') {
          connection.say({ method: 'notifications/tasks/status', params: TASK });
          return { task: TASK };
        }
        if (method === 'tasks/result')
          return { content: [{ type: 'text', text: `${name} ${String(params?.['taskId'])}` }] };
        return method === 'tasks/get' ? TASK : undefined;
      },
    });
  }

  it('tasks › have an id of their member, and requests about them reach it with its own id', async () => {
    const { url } = await servers.open([taskMember('a'), taskMember('b')]);
    const client = await LegacyClient.connect(url);
    const created = await client.request('tools/call', { name: 'b_run', task: { ttl: 1000 } });
    // SAFETY: the next lines fail for another result.
    const { taskId } = (created.result as { task: { taskId: string } }).task;
    expect(taskId).to.not.equal('t-1');
    expect((await client.request('tasks/get', { taskId })).result).to.include({ taskId, status: 'working' });
    const { result } = await client.request('tasks/result', { taskId });
    expect(JSON.stringify(result)).to.include('b t-1');
    await client.close();
  });

  it('tasks/list › has the tasks of all members under different ids', async () => {
    const { url } = await servers.open([taskMember('a'), taskMember('b')]);
    const client = await LegacyClient.connect(url);
    await client.request('tools/list');
    const { result } = await client.request('tasks/list');
    // SAFETY: the next lines fail for another result.
    const { tasks } = result as { tasks: readonly { taskId: string }[] };
    expect(new Set(tasks.map(({ taskId }) => taskId)).size).to.equal(2);
    await client.close();
  });

  it('tasks › are unknown under the own id of the member, and under an altered id', async () => {
    const { url } = await servers.open([taskMember('a')]);
    const client = await LegacyClient.connect(url);
    for (const taskId of ['t-1', 'AAAA'])
      expect((await client.request('tasks/get', { taskId })).error).to.include({ code: -32602 });
    await client.close();
  });
});
