import { execFile } from 'node:child_process';
import { glob, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';

const ROOT = path.resolve(import.meta.dirname, '../../..');

interface Sample {
  /** Output of the sample, from the comments next to its lines. */
  readonly prints: RegExp;
  /** Files in its folder, by name. */
  readonly files?: Readonly<Record<string, string>>;
}

const CATALOGUE = {
  data: { servers: [{ name: 'dev.acme/one', version: '1.0.0', description: 'One' }] },
};

/**
 * The first sample of each package's README. Those of `proxy` and `plugin-testing` are parts of a program and
 * of a test that readers write.
 */
const SAMPLES: Readonly<Record<string, Sample>> = {
  authorization: {
    prints:
      /^\[ 'manageEntries' \]\n\{ allowed: true, because: 'claims' \}\n\{ allowed: false, because: 'claims-missing' \}\n\{ allowed: false, because: 'unlabelled' \}\n$/,
  },
  'entry-format': {
    prints: /^dev\.acme\/one 1\.0\.0\n$/,
    files: { 'catalogue.json': JSON.stringify(CATALOGUE) },
  },
  'virtual-server': { prints: /^messages \[\]\n$/ },
  'image-verification': {
    prints: /^false \[\n  'Who has made ghcr\.io\/acme\/notes:1 is not checked:[^\n]*'\n\]\n$/,
  },
  isolation: { prints: /^http:\/\/127\.0\.0\.1:3128\nproxy\.acme\.example:3128\n$/ },
  kernel: {
    prints: /^$/,
    files: {
      'catalogue.json': JSON.stringify(CATALOGUE),
      'portolan.config.yaml':
        'sources: [{ name: one, file: { path: ./catalogue.json }, syncPolicy: { interval: 30m } }]\nregistries: [{ name: main, sources: [one] }]\nauth: { mode: anonymous }\n',
    },
  },
  lock: { prints: /^tool search held \/description\n$/ },
  'mcp-client': { prints: /^nothing\n$/ },
  'mcp-protocol': { prints: /^\{"jsonrpc":"2\.0","id":1,"result":\{\}\}\n$/ },
  outbound: { prints: /^false\nfalse\nERR_ADDRESS_FORBIDDEN\n$/ },
  'plugin-api': { prints: /^$/ },
  'registry-client': { prints: /^ERR_LOOKUP_PRIVATE_ADDRESS\n$/ },
  'registry-server': { prints: /^200 \{ servers: \[\], metadata: \{ count: 0 \} \}\n$/ },
  'run-spec': { prints: /^scheme It starts with npx:\/\/\.\n$/ },
  'scheme-kit': { prints: /^$/ },
  workload: { prints: /^\[\]\n$/ },
};

/** An import of values from a package of Portolan, in a sample. */
const IMPORT = /^import \{([^}]*)\} from '(@portolan\/[^']+)'/gm;

describe('code samples in READMEs of packages', function () {
  this.timeout(180_000); // Each case starts a process.

  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-readme-'));
    await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  for (const [name, { prints, files = {} }] of Object.entries(SAMPLES)) {
    it(`packages/${name}/README.md › shows a sample that runs`, async () => {
      await writeFile(path.join(folder, 'package.json'), '{ "type": "module" }');
      await writeFile(path.join(folder, 'sample.ts'), await sampleOf(name));
      for (const [file, text] of Object.entries(files)) await writeFile(path.join(folder, file), text);
      const { stdout } = await promisify(execFile)(
        process.execPath,
        ['--conditions=@portolan/source', 'sample.ts'],
        { cwd: folder, env: { HOME: folder } },
      );
      expect(stdout).to.match(prints);
    });
  }

  it('import only exported names', async () => {
    const missing: string[] = [];
    for await (const file of glob('{packages,plugins}/*/README.md', { cwd: ROOT })) {
      const text = await readFile(path.join(ROOT, file), 'utf8');
      for (const [, names = '', module = ''] of text.matchAll(IMPORT)) {
        const exported: object = await import(module);
        for (const name of names.split(',').map((one) => one.trim().replace(/ as .*/s, '')))
          if (name !== '' && !name.startsWith('type ') && !(name in exported))
            missing.push(`${file}: ${name} of ${module}`);
      }
    }
    expect(missing).to.deep.equal([]);
  });

  it('name existing packages', async () => {
    expect(await readdir(path.join(ROOT, 'packages'))).to.include.members(Object.keys(SAMPLES));
  });
});

async function sampleOf(name: string): Promise<string> {
  const readme = await readFile(path.join(ROOT, 'packages', name, 'README.md'), 'utf8');
  const [, text] = /^```ts\n(.*?)^```$/ms.exec(readme) ?? [];
  if (text === undefined) throw new Error(`the README of packages/${name} has no sample`);
  return text;
}
