import { Args, Parser } from '@oclif/core';
import { expect } from 'chai';
import { commandLineFault } from '../../src/command-line/command-line-fault.ts';

describe('commandLineFault', () => {
  it('says that a flag with the name of an argument is an argument', async () => {
    const input = { args: { server: Args.string(), tool: Args.string() }, flags: {}, strict: true };
    const error = await Parser.parse(['echo', '--server', 'weather'], input).catch(
      (reason: unknown) => reason,
    );
    expect(await commandLineFault(error)).to.deep.include({
      code: 'ERR_UNKNOWN_FLAG',
      message: 'unknown flag --server',
      hint: 'SERVER is an argument: write it without --server, at its place in the usage that --help shows',
    });
  });
});
