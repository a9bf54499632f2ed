import { expect } from 'chai';
import { findForeignRegistry } from '../../support/require-own-registries.ts';

describe('tests that start the program', () => {
  const start = (envPairs: readonly string[], ...args: readonly string[]): string | undefined =>
    findForeignRegistry({ file: 'node', args, envPairs });
  const launcher = '/w/packages/cli/bin/portolan.js';

  for (const value of ['off', 'http://127.0.0.1:8080', 'http://[::1]:1/registry', 'https://localhost:1']) {
    it(`may have ${value} asked`, () => {
      expect(start([`PORTOLAN_DEFAULT_REGISTRY=${value}`], launcher, 'search', 'x')).to.equal(undefined);
    });
  }

  for (const value of ['', 'https://registry.acme.example', 'http://127.0.0.1.acme.example/', 'off,']) {
    it(`may not have ${value === '' ? 'the official one' : value} asked`, () => {
      const env = value === '' ? [] : [`PORTOLAN_DEFAULT_REGISTRY=${value}`];
      expect(start(env, launcher, 'search', 'x')).to.include('PORTOLAN_DEFAULT_REGISTRY=off');
      expect(findForeignRegistry({ file: '/usr/bin/portolan', envPairs: env })).not.to.equal(undefined);
    });
  }

  it('do as they like with other programs', () => {
    expect(start([], 'server.js')).to.equal(undefined);
    expect(findForeignRegistry({ file: 'git' })).to.equal(undefined);
    expect(findForeignRegistry({ file: '/bin/sh', args: ['-c', 'true', 'portolan'] })).to.equal(undefined);
  });
});
