import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { type ProxyAuditConfig, proxyAudit } from '@portolan/middleware-audit';
import type { ProxyMiddleware } from '@portolan/plugin-api';
import { createTestProxyContext, eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { McpClient } from '../../../packages/proxy/test/support/mcp-client.ts';
import { Proxies } from '../../../packages/proxy/test/support/proxy-under-test.ts';
import { ScriptedServers } from '../../../packages/proxy/test/support/scripted-server.ts';
import { speak } from '../../../packages/proxy/test/support/spoken-to.ts';
import { skipSuite } from '../../support/skip-suite.ts';

const run = promisify(execFile);

describe('audit log on a small disk', function () {
  this.timeout(180_000);
  const proxies = new Proxies();
  let folder: string;
  let middleware: ProxyMiddleware | undefined;
  let remarks: string[];

  before(async function () {
    if (process.getuid?.() !== 0) skipSuite(this, 'only root can mount a small disk');
  });
  beforeEach(async () => {
    remarks = [];
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-small-disk-'));
    await run('mount', ['-t', 'tmpfs', '-o', 'size=128k,mode=700', 'portolan-small-disk', folder]);
  });
  afterEach(async () => {
    await proxies.close();
    await middleware?.close?.();
    middleware = undefined;
    await run('umount', [folder]);
    await rm(folder, { recursive: true });
  });

  const ballast = (): string => path.join(folder, 'ballast');
  const logFile = (): string => path.join(folder, 'calls.jsonl');

  /** Fills the disk except for this number of blocks. */
  async function fill(blocks: number): Promise<void> {
    const { bavail, bsize } = await statfs(folder);
    await writeFile(ballast(), Buffer.alloc((bavail - blocks) * bsize, 1));
  }

  async function open(failClosed: boolean) {
    const config: ProxyAuditConfig = {
      enabled: true,
      includeRequestData: true,
      includeResponseData: false,
      detectApplicationErrors: true,
      maxDataSize: 1024,
      maxDelegationDepth: 10,
      maxFileSize: 0,
      logFile: logFile(),
      failClosed,
    };
    const context = createTestProxyContext({ remark: (text) => void remarks.push(text) });
    const instance = await proxyAudit.create(config, context);
    middleware = instance;
    const servers = new ScriptedServers({ received: speak });
    const { url } = await proxies.open(servers.backend(), {
      middleware: [{ name: 'audit', placed: proxyAudit.placed, instance }],
    });
    const client = await McpClient.connect(url);
    let last = 0;
    const call = async (): Promise<{ readonly id: number; readonly status: number }> => {
      last += 1;
      const params = { name: 'plain', arguments: { call: last, text: 'x'.repeat(500) } };
      const { status } = await client.post({ id: last, method: 'tools/call', params });
      return { id: last, status };
    };
    const served = (): readonly number[] =>
      servers.all
        .flatMap(({ sent }) => sent)
        .filter(({ method }) => method === 'tools/call')
        .map(({ params }) => params.arguments.call);
    return { call, served };
  }

  /** Returns the calls with a complete line. */
  async function recorded(outcome: string): Promise<readonly number[]> {
    const text = await readFile(logFile(), 'utf8');
    // The text after the last line break is still being written.
    const lines = text
      .slice(0, text.lastIndexOf('\n') + 1)
      .split('\n')
      .filter(Boolean);
    return lines
      .map((line) => JSON.parse(line))
      .filter((line) => line.type === 'mcp_tool_call' && line.outcome === outcome)
      .map((line) => line.data.request.params.arguments.call);
  }

  it('failClosed › serves no call that it cannot record, reports it, and recovers when there is space', async () => {
    const { call, served } = await open(true);
    await fill(2);
    const refused: number[] = [];
    while (refused.length < 3) {
      const { id, status } = await call();
      if (status !== 200) expect([id, status]).to.deep.equal([id, 503]);
      if (status === 503) refused.push(id);
    }
    expect(served()).to.have.length.above(0);
    expect(await recorded('begun')).to.include.members([...served()]);
    expect(served()).not.to.include.members(refused);
    expect(remarks.at(-1)).to.include('cannot be written; no call is served until it can be');
    await rm(ballast());
    await eventually(async () => expect((await call()).status).to.equal(200));
    expect(await recorded('begun')).to.include.members([...served()]);
    await eventually(() => expect(remarks.at(-1)).to.equal(''));
  });

  it('default › serves calls, reports the problem, and writes all of them when there is space', async () => {
    const { call, served } = await open(false);
    await fill(2);
    while (!remarks.some((text) => text.includes('lines wait in memory'))) {
      expect((await call()).status).to.equal(200);
    }
    for (let more = 0; more < 20; more += 1) expect((await call()).status).to.equal(200);
    expect((await recorded('success')).length).to.be.below(served().length);
    await rm(ballast());
    await eventually(async () => expect(await recorded('success')).to.have.members([...served()]));
    await eventually(() => expect(remarks.at(-1)).to.equal(''));
  });
});
