import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'chai';

describe('findParamFault in a process with much compiled regular expression code', () => {
  it('accepts names and numbers of any length', () => {
    // From a megabyte of such code on V8 leaves out what this option leaves out.
    const script = join(import.meta.dirname, 'mirror-long-texts.ts');
    const options = ['--no-regexp-optimization', '--conditions=@portolan/source'];
    expect(execFileSync(process.execPath, [...options, script], { encoding: 'utf8' })).to.equal('');
  });
});
