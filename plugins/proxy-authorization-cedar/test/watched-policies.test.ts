import { createTestProxyContext, eventually } from '@portolan/plugin-testing';
import type { ProxyMiddleware } from '@portolan/plugin-api';
import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openAuthorizer } from '../src/open-authorizer.ts';
import type { CedarConfig } from '../src/index.ts';
import { ANN, respond, call, configOf, exchangeWith, request } from './support.ts';

const ONLY = (tool: string) => `permit(principal, action, resource == Tool::"${tool}");`;
const TIMES = { settleMs: 20, lookMs: 100 };

describe('policy file', () => {
  let folder: string;
  let file: string;
  let opened: ProxyMiddleware | undefined;
  let notices: string[];
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-policies-'));
    file = path.join(folder, 'authz.yaml');
    notices = [];
  });
  afterEach(async () => {
    await opened?.close?.();
    opened = undefined;
    await rm(folder, { recursive: true, force: true });
  });

  const yamlOf = (...tools: readonly string[]) =>
    `version: "1.0"\ntype: cedarv1\ncedar:\n  policies:\n${tools.map((tool) => `    - '${ONLY(tool)}'\n`).join('')}`;

  async function open(inlined: string, at = file, times = TIMES): Promise<void> {
    const context = createTestProxyContext({ remark: (text) => notices.push(text) });
    const directory = path.join(folder, 'kept');
    const config: CedarConfig = { ...configOf([ONLY(inlined)]), path: at };
    opened = await openAuthorizer(
      config,
      { ...context, workload: { ...context.workload, directory } },
      times,
    );
  }
  const allows = async (tool: string): Promise<boolean> => {
    const message = call(tool);
    return (await opened?.onMessage?.(message, exchangeWith(ANN, message))) === undefined;
  };
  const allowed = async (...tools: readonly string[]): Promise<void> => {
    const all = ['a', 'b', 'c'];
    await eventually(async () => {
      const now = [];
      for (const tool of all) if (await allows(tool)) now.push(tool);
      expect(now).to.deep.equal(tools);
    });
  };

  it('decides again about a cached list when the policies change', async () => {
    await writeFile(file, yamlOf('b'));
    await open('a');
    // As the proxy shows one that it knows.
    const result = Object.freeze({ tools: Object.freeze([{ name: 'b' }, { name: 'c' }]) });
    const asked = request('tools/list');
    const hidden = async (): Promise<unknown> =>
      opened?.onResponse?.(respond(result), exchangeWith(ANN, asked));
    const without = (at: number) => ({ change: [{ path: ['result', 'tools', at], json: undefined }] });
    for (const time of ['once', 'twice']) expect(await hidden(), time).to.deep.equal(without(1));
    await writeFile(file, yamlOf('c'));
    await eventually(async () => expect(await hidden()).to.deep.equal(without(0)));
  });

  it('uses the policies of the file, and follows its changes', async () => {
    await writeFile(file, yamlOf('b'));
    await open('a');
    await allowed('b');
    writeFileSync(file, yamlOf('b', 'c')); // in one turn: an empty file is told
    await allowed('b', 'c');
    expect(notices.filter((text) => text !== '')).to.deep.equal([]);
  });

  it('reads a file that another file or a link replaces', async () => {
    await writeFile(file, yamlOf('a'));
    await open('a');
    await writeFile(`${file}.new`, yamlOf('b'));
    await rename(`${file}.new`, file);
    await allowed('b');
    await writeFile(path.join(folder, 'other.yaml'), yamlOf('c'));
    await rm(file);
    await symlink('other.yaml', file);
    await allowed('c');
  });

  it('uses the run config while the file is missing, reports that, and switches once it exists', async () => {
    await open('a');
    await allowed('a');
    expect(notices.at(-1)).to.match(/authz\.yaml cannot be used: it is gone\. Those in the run config/);
    await writeFile(file, yamlOf('b'));
    await allowed('b');
    expect(notices.at(-1)).to.equal('');
  });

  it('keeps the policies when the file is removed, and reports that', async () => {
    await writeFile(file, yamlOf('b'));
    await open('a');
    await rm(file);
    await eventually(() =>
      expect(notices.at(-1)).to.match(/it is gone\. The policies of before stay in force\./),
    );
    await allowed('b');
  });

  const broken: readonly (readonly [title: string, text: string, says: RegExp])[] = [
    ['cut off in a policy', yamlOf('c').slice(0, -10), /no YAML/],
    ['cut off after the type', 'version: "1.0"\ntype: cedarv1\n', /cedar is missing/],
    [
      'with a policy that is none',
      yamlOf('c').replace('permit', 'allow'),
      /cedar\.policies\[0\]: .* line 1, column 1/,
    ],
    ['of another type', yamlOf('c').replace('cedarv1', 'httpv1'), /type is "httpv1"/],
    ['with an unknown key', `${yamlOf('c')}more: 1\n`, /more is no key/],
    ['with a key twice', `${yamlOf('c')}version: "2"\n`, /no YAML/],
    ['that is empty', '', /is not a map/],
  ];
  for (const [title, text, says] of broken) {
    it(`keeps the policies for a file ${title}, reports that, and switches once it is fixed`, async () => {
      await writeFile(file, yamlOf('b'));
      await open('a');
      await writeFile(file, text);
      await eventually(() => expect(notices.at(-1)).to.match(says));
      await allowed('b');
      await writeFile(file, yamlOf('c'));
      await allowed('c');
      expect(notices.at(-1)).to.equal('');
    });
  }

  it('never reads a file that is written in pieces before it is complete', async () => {
    const forbid = '    - \'forbid(principal, action, resource == Tool::"b");\'\n';
    await writeFile(file, yamlOf('a'));
    // Longer than all the pieces take.
    await open('a', file, { settleMs: 1500, lookMs: 100 });
    // Each beginning that ends with a line is a document of its own, and allows what the whole forbids.
    const whole = `${yamlOf('a', 'b')}${forbid}`;
    const seen: boolean[] = [];
    for (let end = 0; end <= whole.length; end += 7) {
      await writeFile(file, whole.slice(0, end));
      seen.push(await allows('b'));
    }
    await writeFile(file, whole);
    await allowed('a');
    expect(seen).not.to.include(true);
  });

  it('uses the run config when the path is not a file or not absolute', async () => {
    await mkdir(file);
    await open('a');
    await allowed('a');
    expect(notices.at(-1)).to.include('it is not a file');
    await opened?.close?.();
    await open('b', 'authz.yaml');
    await allowed('b');
  });

  it('reads JSON by the file extension, and finds a folder that is created later', async () => {
    const later = path.join(folder, 'later', 'authz');
    await open('a', later);
    await allowed('a');
    await mkdir(path.dirname(later));
    await writeFile(
      later,
      JSON.stringify({ version: '1.0', type: 'cedarv1', cedar: { policies: [ONLY('c')] } }),
    );
    await allowed('c');
  });
});
