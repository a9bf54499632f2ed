import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'chai';

describe('shownValues in a process with many compiled patterns', () => {
  it('accepts any text of 8 MB', () => {
    // From a megabyte of such code on V8 leaves out what this option leaves out.
    const script = join(import.meta.dirname, 'show-long-values.ts');
    expect(
      execFileSync(process.execPath, ['--no-regexp-optimization', script], { encoding: 'utf8' }),
    ).to.equal('');
  });
});
