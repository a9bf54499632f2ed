import { expect } from 'chai';
import { cutLines, OutputBudget } from '../../src/build/output-budget.ts';

const MEBIBYTE = 1024 ** 2;

describe('OutputBudget', () => {
  it('passes short output unchanged', () => {
    const budget = new OutputBudget();
    expect(budget.take('a\nb')).to.equal('a\nb');
  });

  it('cuts a line to 2,000 characters, and keeps the lines around it', () => {
    expect(cutLines(`before\n${'x'.repeat(2001)}\nafter`)).to.equal(`before\n${'x'.repeat(2000)}…\nafter`);
  });

  it('ends the output with one notice after 1 MiB', () => {
    const budget = new OutputBudget();
    let shown = '';
    for (let piece = 0; piece < 5000; piece += 1) shown += budget.take('x'.repeat(1000));
    expect(shown.length).to.be.within(MEBIBYTE, MEBIBYTE + 200);
    expect(shown.match(/is not shown/g)).to.have.length(1);
  });
});
