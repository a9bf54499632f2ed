import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually, startTestIssuer, type TestIssuer } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { EVERYTHING } from '../../../packages/proxy/test/support/everything.ts';
import type { Answer } from '../../../packages/proxy/test/support/http-client.ts';
import { initialize, McpClient } from '../../../packages/proxy/test/support/mcp-client.ts';
import { type Finished, runPortolan } from '../../support/command-line.ts';
import { foldersBelow, endWorkloads } from '../../support/user-folders.ts';

const PAGE = path.resolve(import.meta.dirname, '../../../docs/guides/protect/authorize-with-cedar.md');
const IMAGE = 'acme/everything:1';
const ADD = { id: 2, method: 'tools/call', params: { name: 'get-sum', arguments: { a: 2, b: 3 } } };

describe('walkthrough in docs/guides/protect/authorize-with-cedar.md', function () {
  this.timeout(120_000);
  let root: string;
  let environment: Readonly<Record<string, string>>;
  let issuer: TestIssuer;
  let blocks: Readonly<Record<'yml' | 'json' | 'sh', readonly string[]>>;

  before(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'portolan-walk-'));
    await mkdir(path.join(root, 'run'), { mode: 0o700 });
    const host = path.resolve(import.meta.dirname, '../../support/process-host/index.ts');
    const programs = { [IMAGE]: [process.execPath, EVERYTHING] };
    const runtimes = { processes: { folder: path.join(root, 'servers'), programs } };
    const file = path.join(root, 'portolan.json');
    await writeFile(file, JSON.stringify({ plugins: [host], runtimes }));
    environment = { ...foldersBelow(root), PORTOLAN_CONFIG: file, PORTOLAN_RUNTIME: 'processes' };
    issuer = await startTestIssuer({ algorithm: 'ES256', audience: 'sums' });
    const [, section = ''] = /^## A walk through$([^]*?)^## /m.exec(await readFile(PAGE, 'utf8')) ?? [];
    const blocksOf = (language: string): readonly string[] =>
      [...section.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'))].map(
        ([, text = '']) => text,
      );
    blocks = { yml: blocksOf('yml'), json: blocksOf('json'), sh: blocksOf('sh') };
    await writeFile(path.join(root, 'authz.yaml'), blocks.yml[0] ?? '');
    await writeFile(path.join(root, 'audit.json'), blocks.json[0] ?? '');
  });
  after(async () => {
    await endWorkloads(root, environment);
    await issuer.close();
    await rm(root, { recursive: true, force: true });
  });

  const portolan = async (...args: readonly string[]): Promise<Finished> =>
    await runPortolan(args, { cwd: root, env: environment });

  /** Returns the words of a command in the page, without the first. */
  function wordsOf(at: number): readonly string[] {
    const words = (blocks.sh[at] ?? '').trim().match(/'[^']*'|\S+/g) ?? [];
    return words.slice(1).map((word) => word.replace(/^'(.*)'$/, '$1'));
  }

  async function add(url: URL, token: string): Promise<Answer> {
    const headers = { Authorization: `Bearer ${token}` };
    const begun = await new McpClient(url).post(initialize(), { headers });
    return await new McpClient(url, String(begun.headers['mcp-session-id'] ?? '')).post(ADD, { headers });
  }

  it('lets Ann add, denies Bob, and explains the denial to the operator', async () => {
    const words = wordsOf(0).map((word) => word.replace('https://id.acme.example', issuer.issuerUrl));
    // Replacements for the test: an issuer on loopback, a server that is a process, and its argument.
    const here = ['--jwks-allow-private-ip', '--isolate-network=false', '--transport=stdio'];
    const started = await portolan(...words.slice(0, -1), ...here, IMAGE, '--', 'stdio');
    expect(started.status, started.stderr).to.equal(0);
    const url = new URL(started.stdout.trim());
    const { stdout: status } = await portolan('status', 'sums');
    expect(status).to.match(/^Protected: .*who may call it.*what callers may do/m);

    const ann = await add(url, issuer.sign({ sub: 'ann', groups: ['analysts'] }));
    expect(ann.text).to.include('5');
    const bob = await add(url, issuer.sign({ sub: 'bob' }));
    expect(bob.status).to.equal(200);
    const told = JSON.parse(bob.text) as { readonly error: { readonly data: { readonly denialId: string } } };
    const { denialId } = told.error.data;
    const shown = (blocks.json[1] ?? '').trim().replace('…', denialId);
    expect(told).to.deep.equal(JSON.parse(shown));

    // The line is written at the end of the request, possibly after the client has its response.
    const line = await eventually(async () => {
      const log = await readFile(path.join(root, 'audit.jsonl'), 'utf8');
      const found = log.split('\n').find((text) => text.includes(denialId) && text.endsWith('}'));
      if (found === undefined) throw new Error('the call is not written down yet');
      return found;
    });
    expect(JSON.parse(line)).to.include({ type: 'mcp_tool_call', outcome: 'denied' });
    expect(line).to.include('bob');

    const why = await portolan(...wordsOf(1).map((word) => word.replace('ID', denialId)));
    expect(why.status, why.stderr).to.equal(0);
    expect(why.stdout).to.include('bob').and.to.include('analysts');
    const otherwise = await portolan(...wordsOf(2));
    expect(otherwise.status, otherwise.stderr).to.equal(0);
  });
});
