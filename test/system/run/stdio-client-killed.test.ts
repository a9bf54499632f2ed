import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { LAUNCHER, context } from '../../support/command-line.ts';
import { WorkloadUser } from '../../support/workload-user.ts';

/** A stdio server whose processes record in a mounted folder that a client used them, and that they end. */
const SERVER = `const note = (what) => require('fs').writeFileSync('/notes/' + id + '.' + what, '');
const id = require('crypto').randomUUID();
let rest = '';
const end = () => { note('ended'); process.exit(0); };
process.on('SIGTERM', end);
process.stdin.setEncoding('utf8').on('end', end).on('data', (text) => {
  const lines = (rest + text).split('\\n');
  rest = lines.pop();
  for (const line of lines) {
    const { id: request, method, params } = JSON.parse(line);
    if (request === undefined) continue;
    if (method === 'initialize' && params.clientInfo.name === 'killed') note('used');
    const result = method === 'initialize'
      ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }
      : { tools: [] };
    process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id: request, result }) + "\\n");
  }
});`;

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'killed', version: '1' } },
};

describe('a container workload whose stdio client gets SIGKILL', function () {
  this.timeout(600_000);
  let user: WorkloadUser;
  const children: ChildProcess[] = [];

  before(async function () {
    user = await WorkloadUser.open(this);
  });
  after(async () => {
    for (const child of children) child.kill('SIGKILL');
    await user?.close();
  });

  async function countContainers(name: string, role: string): Promise<number> {
    const labels = { 'portolan.dev/name': name, 'portolan.dev/role': role };
    return (await user.runtime.listContainers(labels)).length;
  }

  async function connect(name: string): Promise<ChildProcess> {
    const child = spawn(process.execPath, [LAUNCHER, 'proxy', 'stdio', name], {
      cwd: user.root,
      env: { ...context(), ...user.environment },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    children.push(child);
    child.stdin?.on('error', () => undefined).write(`${JSON.stringify(INITIALIZE)}\n`);
    if (child.stdout !== null) await once(child.stdout, 'data');
    return child;
  }

  for (const mode of ['streamable-http', 'sse']) {
    it(`removes the container and the gateway of its session after --session-ttl over ${mode}`, async () => {
      const name = `stdio-killed-${mode}`;
      const notes = path.join(user.root, `notes-${mode}`);
      await mkdir(notes);
      await chmod(notes, 0o777);
      const flags = [`--name=${name}`, '--transport=stdio', `--proxy-mode=${mode}`, '--session-ttl=3s'];
      await user.run(...flags, '-v', `${notes}:/notes`, 'portolan-test/node', '--', 'node', '-e', SERVER);
      const child = await connect(name);
      const [used = 'none'] = (await readdir(notes)).filter((file) => file.endsWith('.used'));
      child.kill('SIGKILL');
      await once(child, 'close');
      const ended = used.replace('.used', '.ended');
      await eventually(async () => expect(await readdir(notes)).to.include(ended), { withinMs: 120_000 });
      // The process for the next session stays, with its own gateway.
      await eventually(
        async () => {
          expect(await countContainers(name, 'session')).to.be.at.most(1);
          expect(await countContainers(name, 'gateway')).to.be.at.most(1);
        },
        { withinMs: 120_000 },
      );
      await user.done('rm', name);
      expect(await countContainers(name, 'session')).to.equal(0);
    });
  }
});
