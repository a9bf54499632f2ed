import type { KernelAuth } from '@portolan/kernel';
import { createRecordingLogger } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { warnOfOpenAccess } from '../../src/host/warn-of-open-access.ts';

const authOf = (identifies: boolean): KernelAuth => ({
  config: {
    mode: identifies ? 'oauth' : 'anonymous',
    authz: undefined,
    publicPaths: [],
    claims: {},
    requireClaims: true,
  },
  provider: {
    kind: {
      kind: 'any',
      hosts: ['registry-server'],
      identifies,
      config: { type: 'object' },
      create: () => expect.fail('created'),
    },
    instance: { verify: async () => undefined, identify: () => undefined },
  },
});

const LOOPBACK = { address: '127.0.0.1:8080', isLoopback: true };
const EVERYWHERE = { address: '0.0.0.0:8080', isLoopback: false };

describe('warnOfOpenAccess', () => {
  const cases = [
    { title: 'warns on loopback', listener: LOOPBACK, level: 'warn', says: 'development and testing only' },
    {
      title: 'logs an error on other addresses',
      listener: EVERYWHERE,
      level: 'error',
      says: 'server.adminApi',
    },
    { title: 'logs nothing with oauth', listener: EVERYWHERE, identifies: true },
    { title: 'logs nothing without the admin API', listener: EVERYWHERE, adminApi: false },
  ];
  for (const { title, listener, level, says, identifies = false, adminApi = true } of cases)
    it(title, () => {
      const logger = createRecordingLogger();
      warnOfOpenAccess(authOf(identifies), { adminApi }, listener, logger);
      expect(logger.lines.map((line) => line.level)).to.deep.equal(level === undefined ? [] : [level]);
      if (says !== undefined) {
        expect(logger.lines[0]?.message).to.include(says);
        expect(logger.lines[0]?.fields).to.deep.equal({ address: listener.address });
      }
    });
});
