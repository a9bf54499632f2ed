import { expect } from 'chai';
import path from 'node:path';
import { resolveSpec } from '../../src/plugins/resolve-spec.ts';

describe('resolveSpec', () => {
  const here = path.resolve('/home/ada/work');
  const below = (name: string): string => `file:${path.join(here, name)}`;
  const files = [
    ['file:plugin.tgz', below('plugin.tgz')],
    ['plugin-1.0.0.tgz', below('plugin-1.0.0.tgz')],
    ['packed/plugin.tar.gz', below('packed/plugin.tar.gz')],
    ['./plugin', below('plugin')],
    ['../plugin', `file:${path.resolve(here, '../plugin')}`],
    ['.', `file:${here}`],
    ['/srv/plugin', `file:${path.resolve('/srv/plugin')}`],
  ] as const;
  for (const [word, resolved] of files) {
    it(`returns the absolute path of ${word}`, () => {
      expect(resolveSpec(word, here)).to.equal(resolved);
    });
  }

  const others = [
    'file:///srv/plugin.tgz',
    'acme/plugin',
    '@acme/plugin@1',
    'https://git.acme.example/plugin.git',
    'https://files.acme.example/plugin.tgz',
  ];
  for (const word of others) {
    it(`returns ${word} unchanged`, () => {
      expect(resolveSpec(word, here)).to.equal(word);
    });
  }
});
