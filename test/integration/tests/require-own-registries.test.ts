import { expect } from 'chai';
import { findForeignRegistry } from '../../support/require-own-registries.ts';

describe('registries in tests that start the program (findForeignRegistry)', () => {
  const start = (envPairs: readonly string[], ...args: readonly string[]): string | undefined =>
    findForeignRegistry({ file: 'node', args, envPairs });
  const launcher = '/w/packages/cli/bin/portolan.js';

  for (const value of ['off', 'http://127.0.0.1:8080', 'http://[::1]:1/registry', 'https://localhost:1']) {
    it(`permits ${value}`, () => {
      expect(start([`PORTOLAN_DEFAULT_REGISTRY=${value}`], launcher, 'search', 'x')).to.equal(undefined);
    });
  }

  for (const value of ['', 'https://registry.acme.example', 'http://127.0.0.1.acme.example/', 'off,']) {
    it(`refuses ${value === '' ? 'the official registry' : value}`, () => {
      const env = value === '' ? [] : [`PORTOLAN_DEFAULT_REGISTRY=${value}`];
      expect(start(env, launcher, 'search', 'x')).to.include('PORTOLAN_DEFAULT_REGISTRY=off');
      expect(findForeignRegistry({ file: '/usr/bin/portolan', envPairs: env })).not.to.equal(undefined);
    });
  }

  it('ignores programs other than portolan', () => {
    expect(start([], 'server.js')).to.equal(undefined);
    expect(findForeignRegistry({ file: 'git' })).to.equal(undefined);
    expect(findForeignRegistry({ file: '/bin/sh', args: ['-c', 'true', 'portolan'] })).to.equal(undefined);
  });
});
