import { expect } from 'chai';
import { PassThrough } from 'node:stream';
import { ProgressLine } from '../../src/terminal/progress-line.ts';

function output(isTTY: boolean, columns = 20) {
  return Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY, columns });
}

describe('ProgressLine', () => {
  it('overwrites one line on a terminal, with permanent lines above it', () => {
    const terminal = output(true);
    const line = new ProgressLine(terminal);
    line.show('[1/2] server com.acme/notes');
    line.print(['refused']);
    line.show('[2/2]');
    line.clear();
    line.clear();
    expect(terminal.read()).to.equal(
      '\r\u001B[K[1/2] server com.ac\r\u001B[Krefused\n\r\u001B[K[2/2]\r\u001B[K',
    );
  });

  it('prints only the permanent lines without a terminal', () => {
    const file = output(false);
    const line = new ProgressLine(file);
    line.show('[1/2]');
    line.print(['refused']);
    line.clear();
    expect(line.isLive).to.equal(false);
    expect(file.read()).to.equal('refused\n');
  });
});
