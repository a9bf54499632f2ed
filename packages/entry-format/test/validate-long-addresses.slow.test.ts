import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'chai';

describe('validateServerDocument without regular expression optimization', () => {
  it('rejects an invalid address of 4 MB', () => {
    // From a megabyte of such code on V8 leaves out what this option leaves out.
    const script = join(import.meta.dirname, 'validate-long-addresses.ts');
    const options = ['--no-regexp-optimization', '--conditions=@portolan/source'];
    expect(execFileSync(process.execPath, [...options, script], { encoding: 'utf8' })).to.equal('');
  });
});
