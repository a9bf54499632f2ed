import { expect } from 'chai';
import { readableLines, readableReason } from '../src/image/build-image.ts';

const ESCAPE = '\u001b';

describe('readableLines', () => {
  it('removes complete colour sequences around each line', () => {
    const text = `${ESCAPE}[91mnpm error code E404\n${ESCAPE}[0m${ESCAPE}[91mnpm error 404 Not Found\r\n${ESCAPE}[0m`;
    expect(readableLines(text)).to.deep.equal(['npm error code E404', 'npm error 404 Not Found']);
  });
});

describe('readableReason', () => {
  it('removes colour sequences, and a script after its first line', () => {
    const reason = `The command '${ESCAPE}[1msh -c one\ntwo' returned a non-zero code: 1.`;
    expect(readableReason(reason)).to.equal("The command 'sh -c one…' returned a non-zero code: 1");
  });
});
