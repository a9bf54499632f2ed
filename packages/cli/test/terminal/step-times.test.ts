import { expect } from 'chai';
import { StepTimes } from '../../src/command-line/starting-command.ts';

describe('StepTimes', () => {
  it('prints the duration of each step, and the total', () => {
    let now = 1000;
    const lines: string[] = [];
    const times = new StepTimes(
      (line) => lines.push(line),
      () => now,
    );
    times.step('Looking');
    now += 250;
    times.step('Looking');
    times.step('Starting');
    now += 1500;
    times.finish();
    times.finish();
    expect(lines).to.deep.equal([
      'debug: Looking: 0.25 s',
      'debug: Starting: 1.50 s',
      'debug: total: 1.75 s',
    ]);
  });
});
