import { expect } from 'chai';
import { Writable } from 'node:stream';
import { ProgressLine } from '../../src/terminal/progress-line.ts';
import { RunProgress } from '../../src/terminal/run-progress.ts';

class Output extends Writable {
  readonly isTTY: boolean;
  readonly columns = 80;
  text = '';

  constructor(isTTY: boolean) {
    super();
    this.isTTY = isTTY;
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

const LAYER = {
  step: 'layer',
  layer: 'a',
  status: 'Downloading',
  doneBytes: 1_500_000,
  totalBytes: 4_000_000,
} as const;

describe('RunProgress', () => {
  it('prints each step once without a terminal', () => {
    const output = new Output(false);
    const progress = new RunProgress(new ProgressLine(output), () => 0);
    progress.step('image', 'looking for the image');
    progress.step('image', 'looking for the image');
    progress.step('start', 'starting');
    expect(output.text).to.equal('looking for the image\nstarting\n');
  });

  it('prints the progress of a pull every few seconds', () => {
    const output = new Output(false);
    let now = 0;
    const progress = new RunProgress(new ProgressLine(output), () => now);
    progress.image(LAYER);
    progress.image({ ...LAYER, doneBytes: 2_000_000 });
    now = 6000;
    progress.image({ ...LAYER, layer: 'b', doneBytes: 500_000, totalBytes: undefined });
    expect(output.text).to.equal('pulling: 1.5 of 4.0 MB (1 layers)\npulling: 2.5 of 4.5 MB (2 layers)\n');
  });

  it('prints the output of a build without control characters', () => {
    const output = new Output(false);
    const progress = new RunProgress(new ProgressLine(output), () => 0, 'weather');
    progress.image({ step: 'output', text: 'Step 1/2\n\u001B[31mred\u001B[0m\r\n\n' });
    progress.finish();
    expect(output.text).to.equal('weather: Step 1/2\nweather: red\n');
  });

  it('does not print the last lines of a failed build step, which the error shows', () => {
    const output = new Output(false);
    const progress = new RunProgress(new ProgressLine(output), () => 0);
    progress.image({ step: 'output', text: 'Step 1/2\nfetched' });
    progress.image({ step: 'output', text: 'Step 2/2' });
    const lines = Array.from({ length: 22 }, (_, index) => `line ${index}`);
    for (const text of lines) progress.image({ step: 'output', text });
    progress.clear();
    expect(output.text).to.equal('Step 1/2\nfetched\nStep 2/2\nline 0\nline 1\n');
  });

  it('prints all output of a build before the next step', () => {
    const output = new Output(false);
    const progress = new RunProgress(new ProgressLine(output), () => 0);
    progress.image({ step: 'output', text: 'Step 1/1\ndone' });
    progress.step('start', 'starting');
    expect(output.text).to.equal('Step 1/1\ndone\nstarting\n');
  });

  it('shows one changing line on a terminal, and removes it', () => {
    const output = new Output(true);
    const progress = new RunProgress(new ProgressLine(output), () => 0);
    progress.step('image', 'pulling the image');
    progress.image(LAYER);
    progress.image({ step: 'output', text: 'one\ntwo\n' });
    progress.clear();
    expect(output.text).to.equal(
      '\r\u001B[Kpulling the image\r\u001B[Kpulling: 1.5 of 4.0 MB (1 layers)\r\u001B[Kbuilding: two\r\u001B[K',
    );
  });

  it('prints warnings permanently', () => {
    const output = new Output(true);
    new RunProgress(new ProgressLine(output), () => 0, 'weather').warn('a label is left out');
    expect(output.text).to.equal('warning: weather: a label is left out\n');
  });
});
