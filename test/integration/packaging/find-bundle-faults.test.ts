import { expect } from 'chai';
import type { Metafile } from 'esbuild';
import { findBundleFaults } from '../../../scripts/find-bundle-faults.ts';

const LIBRARY = '../../node_modules/@acme/lines/index.js';

type Output = Metafile['outputs'][string];
const output = (more: Partial<Output> = {}): Output => ({
  bytes: 1,
  inputs: {},
  imports: [],
  exports: [],
  ...more,
});

const faultsOf = (text: string, lines?: number): readonly string[] =>
  findBundleFaults({
    manifest: {},
    bundled: {
      empty: [],
      rewritten: {},
      written: {},
      reviewed: lines === undefined ? {} : { '@acme/lines/index.js': { lines, because: 'it tries' } },
    },
    metafile: { outputs: {} },
    texts: new Map([[LIBRARY, text]]),
  });

const importing = (outputs: Metafile['outputs'], manifest = {}): readonly string[] =>
  findBundleFaults({
    manifest,
    bundled: { reviewed: {}, empty: [], rewritten: {}, written: {} },
    metafile: { outputs },
    texts: new Map(),
  });

describe('findBundleFaults', () => {
  const DEPENDING = [
    "const text = read(join(__dirname, 'text.txt'));",
    'const here = __filename;',
    "new Worker(new URL('./worker.js', import.meta.url));",
    "const file = require.resolve('./worker.js');",
    'const one = require(name);',
    'const one = await import(name);',
    "const { createRequire } = require('module');",
  ];
  for (const line of DEPENDING) {
    it(`shows a line of a library that nobody has looked at: ${line}`, () => {
      const [first, second] = faultsOf(`'use strict';\n  ${line}\n`);
      expect(first)
        .to.match(/^@acme\/lines\/index\.js: 1 lines/)
        .and.to.include('0 were looked at');
      expect(second).to.equal(`    ${line}`);
    });
  }

  const INDEPENDENT = [
    "const fs = require('node:fs');",
    "const more = await import('./more.js');",
    '// __dirname would be wrong here',
    ' * as require.resolve does',
    'const directory__dirname2 = 1;',
  ];
  for (const line of INDEPENDENT) {
    it(`passes over a line that depends on nothing: ${line}`, () => {
      expect(faultsOf(line)).to.deep.equal([]);
    });
  }

  it('is content with as many lines as were looked at', () => {
    expect(faultsOf('a(__dirname);\nb(__filename);', 2)).to.deep.equal([]);
  });

  it('wants another look when there are fewer lines than before', () => {
    expect(faultsOf('a(__dirname);', 2)).to.have.length(2);
    expect(faultsOf('', 2)).to.have.length(1);
  });

  it('shows a module of ours that asks for its place and does not come to the top of dist', () => {
    const inputs = { 'src/build-info.ts': { bytesInOutput: 1 } };
    const texts = new Map([['src/build-info.ts', "new URL('./info.json', import.meta.url)"]]);
    const faultsIn = (file: string): readonly string[] =>
      findBundleFaults({
        manifest: {},
        bundled: { reviewed: {}, empty: [], rewritten: {}, written: {} },
        metafile: { outputs: { [file]: output({ inputs }) } },
        texts,
      });
    expect(faultsIn('dist/build-info-ABCD.js')).to.deep.equal([]);
    expect(faultsIn('dist/commands/version.js').join()).to.include('src/build-info.ts');
  });

  it('shows an import of what is no dependency', () => {
    const imports: Output['imports'] = [
      { path: 'node:fs', kind: 'import-statement', external: true },
      { path: '@acme/lines/more.js', kind: 'dynamic-import', external: true },
      { path: 'pg', kind: 'import-statement', external: true },
      { path: 'tried', kind: 'require-call', external: true },
    ];
    const outputs = { 'dist/index.js': output({ imports }) };
    const faults = importing(outputs, { dependencies: { '@acme/lines': '1.0.0' } });
    expect(faults).to.deep.equal(['dist/index.js: it imports pg, which is no dependency']);
  });

  it('shows a file to be left empty or rewritten that is not there any more', () => {
    const faultsWith = (empty: readonly string[], ...more: readonly string[]): readonly string[] =>
      findBundleFaults({
        manifest: {},
        bundled: {
          reviewed: {},
          empty,
          rewritten: Object.fromEntries(more.map((name) => [name, { from: 'a', to: 'b' }])),
          written: {},
        },
        metafile: { outputs: {} },
        texts: new Map([[LIBRARY, '']]),
      });
    expect(faultsWith(['@acme/lines/index.js'])).to.deep.equal([]);
    expect(faultsWith(['@acme/lines/old.js']).join()).to.include('@acme/lines/old.js');
    expect(faultsWith([], '@acme/lines/index.js')).to.deep.equal([]);
    expect(faultsWith([], '@acme/lines/old.js').join()).to.include('@acme/lines/old.js');
  });

  it('shows a module to be written that is not there any more', () => {
    const faultsWith = (name: string): readonly string[] =>
      findBundleFaults({
        manifest: {},
        bundled: { reviewed: {}, empty: [], rewritten: {}, written: { [name]: () => '' } },
        metafile: { outputs: {} },
        texts: new Map([['src/schemas/validators.ts', '']]),
      });
    expect(faultsWith('schemas/validators.ts')).to.deep.equal([]);
    expect(faultsWith('schemas/old.ts').join()).to.include('src/schemas/old.ts');
  });
});
