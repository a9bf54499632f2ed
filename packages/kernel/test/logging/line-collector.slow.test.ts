import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { LineCollector } from '../../src/logging/logger.ts';

describe('LineCollector', () => {
  const collect = () => {
    const written: string[] = [];
    return { written, lines: new LineCollector({ write: (text) => written.push(text) }) };
  };
  const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('writes the lines of one event-loop turn together, in order', async () => {
    const { written, lines } = collect();
    lines.write('a\n');
    lines.write('b\n');
    expect(written).to.deep.equal([]);
    await nextTurn();
    lines.write('c\n');
    await nextTurn();
    expect(written).to.deep.equal(['a\nb\n', 'c\n']);
  });

  it('writes at once when more than 64 kB are pending', () => {
    const { written, lines } = collect();
    lines.write('x'.repeat(40_000));
    lines.write('y'.repeat(40_000));
    expect(written.join('')).to.have.lengthOf(80_000);
  });

  it('removes its exit listener after a write', async () => {
    const before = process.listenerCount('exit');
    const { lines } = collect();
    for (let turn = 0; turn < 20; turn += 1) {
      lines.write('a');
      await nextTurn();
    }
    expect(process.listenerCount('exit')).to.equal(before);
  });

  it('writes pending lines when the process exits', () => {
    const module = new URL('../../src/logging/logger.ts', import.meta.url).href;
    const code = `const { LineCollector } = await import(${JSON.stringify(module)});
      new LineCollector(process.stderr).write('last words\\n'); process.exit(3);`;
    const { stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
      encoding: 'utf8',
    });
    expect({ stderr, status }).to.deep.equal({ stderr: 'last words\n', status: 3 });
  });
});
