import type { MiddlewareKind, Plugin } from '@portolan/plugin-api';
import { expect } from 'chai';
import { problemsOf } from '../../src/index.ts';
import { bootKernel } from '../../src/server/boot.ts';
import { checkConfig, readConfigSchema } from '../../src/validation/check-config.ts';
import { bootOptions, errorOf, LogLines, smallConfig, withKernel } from '../support/test-context.ts';

/** Middleware kinds `audit` and `idle`; each tells of what happens to it. */
function auditor(calls: string[] = []): Plugin {
  const kinds = ['audit', 'idle'].map((kind) => ({
    kind,
    hosts: ['registry-server'],
    placed: { before: 'authenticate' },
    config: {
      type: 'object',
      description: 'Writes things down.',
      properties: {
        logFile: { type: 'string', default: 'a.log', description: 'Where to.' },
        size: { type: 'integer', minimum: 1, description: 'How much.' },
        fails: { type: 'boolean', description: 'Whether it does.' },
      },
    },
    create: (settings: { readonly logFile: string; readonly fails?: boolean }) =>
      Object.assign(async () => undefined, {
        settings,
        reopen: async () => {
          calls.push(`reopen ${kind}`);
          if (settings.fails === true) throw new Error('no more paper');
        },
        close: async () => void calls.push(`close ${kind}`),
      }),
  })) as MiddlewareKind[]; // of these literals
  return { name: 'auditor', apiVersion: 2, contributes: { middleware: kinds } };
}

const pluginObjects = [{ plugin: auditor() }];

describe('configuration key audit', () => {
  const settingsOf = async (value: unknown, environment: Record<string, string> = {}, flags = {}) =>
    await withKernel(bootOptions({ value, pluginObjects, environment, flags }), ({ middleware }) =>
      middleware.map(({ kind, handler }) => [kind.kind, Reflect.get(handler, 'settings')]),
    );

  it('configures the middleware audit, which comes first', async () => {
    const value = smallConfig({ middleware: { idle: {} }, audit: { logFile: 'b.log' } });
    expect(await settingsOf(value)).to.deep.equal([
      ['audit', { logFile: 'b.log' }],
      ['idle', { logFile: 'a.log' }],
    ]);
  });

  it('can be set by environment and flags, with or without the file', async () => {
    const environment = { PORTOLAN_AUDIT_LOGFILE: 'c.log' };
    expect(await settingsOf(smallConfig(), environment)).to.deep.equal([['audit', { logFile: 'c.log' }]]);
    const value = smallConfig({ audit: { size: 5 } });
    expect(await settingsOf(value, environment)).to.deep.equal([['audit', { logFile: 'c.log', size: 5 }]]);
    expect(await settingsOf(smallConfig(), {}, { 'audit.size': 7 })).to.deep.equal([
      ['audit', { logFile: 'a.log', size: 7 }],
    ]);
  });

  it('is absent by default', async () => {
    expect(await settingsOf(smallConfig(), { PORTOLAN_AUDIT_LOGFILE: '' })).to.deep.equal([]);
  });

  it('loads the shipped package', async () => {
    const shipped = { sources: {}, authProviders: {}, middleware: { audit: '@acme/not-installed' } };
    for (const more of [
      { value: smallConfig({ audit: {} }) },
      { environment: { PORTOLAN_AUDIT_LOGFILE: 'x' } },
    ]) {
      const error = await errorOf(() => bootKernel(bootOptions({ ...more, shipped })));
      expect(error.code).to.equal('ERR_PLUGIN_NOT_FOUND');
    }
    await withKernel(bootOptions({ shipped }), () => undefined);
  });

  it('warns of an unknown variable, also when the file uses middleware.audit', async () => {
    const environment = { PORTOLAN_AUDIT_LOGFIEL: 'x', PORTOLAN_AUDIT_SIZE: '5' };
    const { warnings } = await checkConfig(bootOptions({ pluginObjects, environment }));
    expect(warnings).to.deep.equal([
      'the environment variable PORTOLAN_AUDIT_LOGFIEL is no setting; did you mean PORTOLAN_AUDIT_LOGFILE?',
    ]);
    const value = smallConfig({ middleware: { audit: {} } });
    const other = await checkConfig(bootOptions({ value, pluginObjects, environment }));
    expect(other.warnings).to.have.length(2);
  });

  for (const { title, audit, middleware = {}, place, says } of [
    {
      title: 'an unknown key',
      audit: { logfile: 'x' },
      place: 'audit.logfile',
      says: 'an unknown key',
    },
    { title: 'a number out of range', audit: { size: 0 }, place: 'audit.size', says: '0' },
    { title: 'an empty block', audit: null, place: 'audit', says: 'nothing (null)' },
    {
      title: 'both spellings',
      audit: {},
      middleware: { audit: {} },
      place: 'audit',
      says: 'audit and middleware.audit',
    },
  ]) {
    it(`is rejected with ${title}`, async () => {
      const value = smallConfig({ audit, middleware });
      const problems = problemsOf(await errorOf(() => checkConfig(bootOptions({ value, pluginObjects }))));
      expect(problems.map((problem) => [problem.place, problem.found])).to.deep.equal([[place, says]]);
    });
  }

  it('is part of the JSON schema when such a kind exists', async () => {
    const schema = await readConfigSchema(bootOptions({ pluginObjects }));
    expect(schema).to.have.nested.property('properties.audit.properties.logFile.default', 'a.log');
    expect(await readConfigSchema(bootOptions())).not.to.have.nested.property('properties.audit');
  });
});

describe('Kernel.reopen', () => {
  it('reopens all middleware and logs errors; close runs in reverse order', async () => {
    const calls: string[] = [];
    const log = new LogLines();
    const value = smallConfig({ audit: { fails: true }, middleware: { idle: {} } });
    const options = bootOptions({
      value,
      pluginObjects: [{ plugin: auditor(calls) }],
      logDestination: log,
    });
    await withKernel(options, async (kernel) => {
      await kernel.reopen();
      expect(calls).to.deep.equal(['reopen audit', 'reopen idle']);
      expect(log.records).to.have.length(1);
      expect(log.records[0]).to.include({ level: 'error', part: 'the middleware "audit"' });
    });
    expect(calls.slice(2)).to.deep.equal(['close idle', 'close audit']);
  });
});
