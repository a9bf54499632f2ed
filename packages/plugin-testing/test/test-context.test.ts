import type { Kind } from '@portolan/plugin-api';
import { expect } from 'chai';
import { createRecordingLogger, createTestContext } from '../src/index.ts';

const nothing = { type: 'object' } as const;

describe('createTestContext', () => {
  it('throws when an instance taps hooks', () => {
    const { hooks } = createTestContext();
    const tap = (): void => hooks.filterEntries.tap('mine', (entries) => entries);
    expect(tap).to.throw("do it in the plugin's apply");
  });

  it('returns a context that the function `check` of a kind accepts', () => {
    const check: Kind<typeof nothing, unknown>['check'] = (_config, { directory }) => [
      { place: '', found: directory, expected: 'another folder' },
    ];
    const [problem] = check({}, createTestContext({ directory: '/srv' }));
    expect(problem?.found).to.equal('/srv');
  });

  it('uses the folder and the clock that the test passes', () => {
    const context = createTestContext({ directory: '/srv', clock: () => new Date(0) });
    expect(context.directory).to.equal('/srv');
    expect(context.clock().getTime()).to.equal(0);
  });
});

describe('createRecordingLogger', () => {
  it('records all lines in order', () => {
    const logger = createRecordingLogger();
    logger.info({ a: 1 }, 'first');
    logger.debug({}, 'second');
    logger.warn({}, 'third');
    logger.error({ b: 2 }, 'fourth');
    expect(logger.lines).to.deep.equal([
      { level: 'info', fields: { a: 1 }, message: 'first' },
      { level: 'debug', fields: {}, message: 'second' },
      { level: 'warn', fields: {}, message: 'third' },
      { level: 'error', fields: { b: 2 }, message: 'fourth' },
    ]);
  });
});
