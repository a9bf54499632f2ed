import type { ContainerMount } from '@portolan/plugin-api';
import { expect } from 'chai';
import { codeOf } from './support/code-of.ts';
import { useEngine } from './support/test-engine.ts';

describe('named volumes (toolhive 3121)', function () {
  this.timeout(180_000);
  const engine = useEngine();
  const name = (): string => `portolan-test-${engine.run}-volume`;
  const mount = (more: Partial<Extract<ContainerMount, { type: 'volume' }>> = {}): ContainerMount => ({
    type: 'volume',
    name: name(),
    target: '/data',
    readOnly: false,
    labels: engine.labels,
    ...more,
  });
  afterEach(async () => {
    for (const volume of (await engine.runtime.listVolumes?.(engine.labels)) ?? [])
      await engine.runtime.removeVolume?.(volume.name);
  });

  const attempt = (text: string): string => `try { ${text} } catch (error) { console.log(error.code); }`;
  const WRITE = attempt(`require('node:fs').writeFileSync('/data/x', 'kept'); console.log('written')`);
  const READ = attempt(`console.log(require('node:fs').readFileSync('/data/x', 'utf8'))`);

  it('have labels, belong to the user of the first container, and keep their data', async () => {
    const user = '65532:65532';
    const spec = engine.spec(WRITE, { user, mounts: [mount()] });
    expect(await engine.runToEnd(spec)).to.include({ output: 'written' });
    expect(await engine.runtime.listVolumes?.(engine.labels)).to.deep.equal([
      { name: name(), labels: engine.labels },
    ]);
    const other = engine.spec(READ, { user, mounts: [mount({ labels: {} })] });
    expect(await engine.runToEnd(other)).to.include({ output: 'kept' });
    const readOnly = engine.spec(WRITE, { user, mounts: [mount({ readOnly: true })] });
    expect(await engine.runToEnd(readOnly)).to.include({ output: 'EROFS' });
  });

  it('are created for a container that only reads them', async () => {
    const spec = engine.spec(READ, { user: '65532:65532', mounts: [mount({ readOnly: true })] });
    expect(await engine.runToEnd(spec)).to.include({ output: 'ENOENT' });
  });

  it('are not removed while a container uses them', async () => {
    const id = await engine.runtime.createContainer(engine.spec(READ, { mounts: [mount()] }));
    expect(await codeOf(engine.runtime.removeVolume?.(name()) ?? Promise.resolve())).to.equal('ERR_IN_USE');
    await engine.runtime.removeContainer(id);
    await engine.runtime.removeVolume?.(name());
    await engine.runtime.removeVolume?.(name());
    expect(await engine.runtime.listVolumes?.(engine.labels)).to.deep.equal([]);
  });
});
