import { PortolanError } from '@portolan/plugin-api';
import { expect } from 'chai';
import { describeError } from '../../src/terminal/report-error.ts';

describe('describeError', () => {
  const cause = new Error('connect ECONNREFUSED');
  const known = new PortolanError(
    'ERR_DATABASE_UNAVAILABLE',
    'unavailable',
    'The database does not answer.',
    {
      hint: 'Check that it runs.',
      cause,
    },
  );

  it('prints the message and the hint', () => {
    expect(describeError(known, { debug: false })).to.equal(
      'error: The database does not answer.\nhint: Check that it runs.\n',
    );
  });

  it('adds the stacks of the error and its causes with debug', () => {
    const text = describeError(known, { debug: true });
    expect(text).to.match(/^error: .*\nhint: .*\nPortolanError: The database does not answer\.\n +at /);
    expect(text).to.include('caused by Error: connect ECONNREFUSED');
  });

  it('adds a hint to an unexpected error', () => {
    expect(describeError(new TypeError('x is not a function'), { debug: false })).to.equal(
      'error: x is not a function\nhint: this is an unexpected error; run the command again with --debug for details\n',
    );
  });

  it('prints the problems of a configuration unchanged', () => {
    const text = 'portolan.config.yaml has 1 problem\n  auth  found nothing; expected a map';
    expect(
      describeError(new PortolanError('ERR_CONFIG_INVALID', 'mistake', text), { debug: false }),
    ).to.equal(`${text}\n`);
  });

  it('stops at a cause that is its own cause', () => {
    const ring = new Error('ring');
    ring.cause = ring;
    expect(describeError(ring, { debug: true }).match(/Error: ring/g)).to.have.length(1);
  });

  it("keeps the lines of a container's output, and removes control characters", () => {
    const wrote = 'It wrote last:\n\t\u001b[31mred\u001b]0;title\u0007\r\u009b2J\u202e end';
    expect(
      describeError(new PortolanError('ERR_SERVER_ENDED', 'unavailable', wrote), { debug: false }),
    ).to.equal('error: It wrote last:\n\tred   end\n');
  });

  it('prints a thrown value that is not an error', () => {
    expect(describeError('gone', { debug: false })).to.match(/^error: gone\n/);
  });
});
