import { expect } from 'chai';
import { createCommandLogger } from '../../src/context/open-workload-context.ts';

describe('createCommandLogger', () => {
  const written = (
    debug: boolean,
  ): { readonly lines: string[]; readonly logger: ReturnType<typeof createCommandLogger> } => {
    const lines: string[] = [];
    const mask = (text: string): string => text.replaceAll('hidden-value', '***');
    return { lines, logger: createCommandLogger({ debug, write: (text) => lines.push(text), mask }) };
  };

  it('writes warnings and errors with their fields, and other levels with debug only', () => {
    for (const debug of [false, true]) {
      const { lines, logger } = written(debug);
      logger.debug({}, 'looked');
      logger.warn({ image: 'acme/notes', err: new Error('no such host'), layers: 3 }, 'pull failed');
      const warning = 'warning: pull failed (image=acme/notes, err="no such host", layers=3)\n';
      expect(lines).to.deep.equal(debug ? ['debug: looked\n', warning] : [warning]);
    }
  });

  it('leaves out fields without a value', () => {
    const { lines, logger } = written(false);
    logger.warn({ err: undefined }, 'server ended');
    expect(lines).to.deep.equal(['warning: server ended\n']);
  });

  it('masks secrets and removes control characters', () => {
    const { lines, logger } = written(false);
    logger.error({ reason: 'key hidden-value\n\u001b[2J\u0007refused' }, 'not pulled');
    expect(lines).to.deep.equal(['error: not pulled (reason=key *** refused)\n']);
  });
});
