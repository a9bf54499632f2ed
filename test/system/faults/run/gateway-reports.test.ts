import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { useFaultStage } from './support/fault-stage.ts';
import { program } from './support/faulty-servers.ts';

const SECRET = 'zebra-of-the-key-4711';
const ENVIRONMENT = { PORTOLAN_SECRETS_PROVIDER: 'environment', PORTOLAN_SECRET_KEY: SECRET };
const SOON = { withinMs: 60_000 };

/** Server that writes each byte separately. Its tool returns the arguments and the length of its secret. */
const SERVER = String.raw`
const fs = require('node:fs');
const say = (message) => {
  for (const byte of Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\n')) fs.writeSync(1, Buffer.from([byte]));
};
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const key = process.env.API_KEY ?? '';
  const text = '读取文件 — 🎉 ' + JSON.stringify(params?.arguments) + ' ' + key.length;
  if (method === 'initialize') say({ id, result: {
    protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } } });
  else if (method === 'tools/list') say({ id, result: { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] } });
  else if (id !== undefined) say({ id, result: { content: [{ type: 'text', text }] } });
});`;

describe('publicly reported faults of other runners', function () {
  this.timeout(180_000);
  const stage = useFaultStage();

  async function run(name: string, ...more: readonly string[]): Promise<void> {
    const { status, stderr } = await stage.begin(stage.words(name, ...more), ENVIRONMENT).finished;
    expect(status, stderr).to.equal(0);
  }

  const call = async (name: string): Promise<string> =>
    await stage.user.done('mcp', 'call', name, 'echo', '--args', '{"repo_path":"/repo"}');

  it('mcp-proxy 89, hub-feedback 2518, desktop-feedback 285, mcp-gateway 338: passes characters, arguments and secrets', async () => {
    const name = stage.name();
    await run(name, '--secret', 'KEY,target=API_KEY', ...program(SERVER));
    expect(await call(name)).to.equal(`读取文件 — 🎉 {"repo_path":"/repo"} ${SECRET.length}\n`);
    await stage.user.removeAll(name);
  });

  it('docker-agent 3596: has no secret in any file after its supervisor was killed', async () => {
    const name = stage.name();
    await run(name, '--secret', 'KEY,target=API_KEY', ...program(SERVER));
    await call(name);
    process.kill(await stage.supervisorOf(name), 'SIGKILL');
    await eventually(async () => expect(await stage.listed(name)).to.include({ status: 'unhealthy' }), SOON);
    const { root } = stage.user;
    const files = (await readdir(root, { recursive: true, withFileTypes: true })).filter((one) =>
      one.isFile(),
    );
    expect(files.length, 'files of the workload').to.be.greaterThan(0);
    for (const file of files)
      expect(await readFile(path.join(file.parentPath, file.name), 'utf8'), file.name).to.not.include(SECRET);
    await stage.user.removeAll(name);
  });
});
