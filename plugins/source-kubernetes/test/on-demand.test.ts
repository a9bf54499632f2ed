import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';

const SRC = path.join(import.meta.dirname, '../src');

/** Whatever is loaded with the file that says so. */
const LOADED = /^(?:import|export) (?!type )[^;]*?from '([^']+)'/gm;

describe('Kubernetes client', () => {
  it('loads when a cluster is contacted, not with the plugin', async () => {
    const files = (await readdir(SRC, { recursive: true })).filter((file) => file.endsWith('.ts'));
    const loading: string[] = [];
    for (const file of files) {
      const text = await readFile(path.join(SRC, file), 'utf8');
      for (const [, from = ''] of text.matchAll(LOADED))
        if (/client-node|client-library/.test(from)) loading.push(`${file} loads ${from}`);
    }
    expect(files).to.include('index.ts');
    expect(loading).to.deep.equal(['cluster/client-library.ts loads @kubernetes/client-node']);
  });
});
