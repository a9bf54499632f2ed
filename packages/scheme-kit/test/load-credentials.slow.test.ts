import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { CREDENTIALS_HOST, LOAD_CREDENTIALS } from '../src/index.ts';

/** What may ask, in the order in which it is looked for; Node.js is that of the tests. */
const TOOLS = ['wget', 'curl', 'node', 'python3', 'bash'];
/** Tools elsewhere may be scripts that need others. */
const SYSTEM = '/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin';
const SCRIPT = 'export GIVEN=\'a "b" ü\'\nportolan_whole=yes\n';

describe('LOAD_CREDENTIALS', () => {
  let folder: string;
  let server: Server;
  let answer: { readonly status: number; readonly text: string };
  const asked: string[] = [];
  before(async () => {
    server = createServer(({ url = '' }, response) => {
      asked.push(url);
      response.writeHead(answer.status).end(answer.text);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  after(() => server.close());
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-load-'));
    answer = { status: 200, text: SCRIPT };
    asked.splice(0);
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
  });

  function find(tool: string): string | undefined {
    if (tool === 'node') return process.execPath;
    try {
      return execFileSync('/bin/sh', ['-c', `command -v ${tool}`], { env: { PATH: SYSTEM } })
        .toString()
        .trim();
    } catch {
      return undefined; // this machine has none
    }
  }

  /** Runs it where this tool is the first one. */
  async function load(tool: string, ...more: readonly string[]): Promise<string> {
    for (const [name, file] of [...new Set([tool, ...more])].map((one) => [one, find(one)] as const)) {
      if (file !== undefined) await symlink(file, path.join(folder, name));
    }
    const script = [...LOAD_CREDENTIALS, 'printf "%s" "$GIVEN $* ${portolan_given-}"'].join('\n');
    // It listens over TCP, so it has a port.
    const { port } = server.address() as AddressInfo;
    const env = { PATH: folder, http_proxy: `http://127.0.0.1:${port}`, LANG: 'C.UTF-8' };
    const { stdout } = await promisify(execFile)('/bin/sh', ['-c', script, 'portolan', 'x y'], { env });
    return stdout;
  }

  for (const tool of TOOLS.filter((one) => find(one) !== undefined)) {
    it(`requests credentials with ${tool} through the proxy`, async () => {
      expect(await load(tool, 'cat')).to.equal('a "b" ü x y ');
      expect(asked).to.deep.equal([`http://${CREDENTIALS_HOST}/`]);
    });

    it(`fails the build step when the request of ${tool} is refused`, async () => {
      answer = { status: 403, text: SCRIPT };
      const error: unknown = await load(tool, 'cat').catch((fault: unknown) => fault);
      expect(error).to.have.property('stderr').that.includes('does not get its variables and files');
    });
  }

  it('fails the build step for a partial response, and when no tool can send requests', async () => {
    answer = { status: 200, text: 'export GIVEN=1\n' };
    const part: unknown = await load('node').catch((fault: unknown) => fault);
    expect(part).to.have.property('stderr').that.includes('in part');
    await rm(path.join(folder, 'node'));
    const none: unknown = await load('none').catch((fault: unknown) => fault);
    expect(none).to.have.property('stderr').that.includes('has no wget, curl, node, python3 or bash');
  });
});
