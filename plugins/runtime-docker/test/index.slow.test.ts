import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';

async function modulesAfter(statement: string): Promise<readonly string[]> {
  const source = join(import.meta.dirname, '../src');
  const script = `
    const { createRequire } = await import('node:module');
    ${statement.replaceAll('SRC', source)}
    console.log(JSON.stringify(Object.keys(createRequire('/x').cache)));`;
  const options = ['--conditions=@portolan/source', '--input-type=module', '-e', script];
  const { stdout } = await promisify(execFile)(process.execPath, options);
  const modules: unknown = JSON.parse(stdout);
  return Array.isArray(modules) ? modules.map(String) : [];
}

describe('index.ts', () => {
  it('does not load dockerode before the first use', async function () {
    this.timeout(180_000);
    const modules = await modulesAfter("await import('SRC/index.ts');");
    expect(modules.filter((path) => path.includes('dockerode'))).to.deep.equal([]);
  });
});
