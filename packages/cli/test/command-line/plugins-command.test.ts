import { expect } from 'chai';
import path from 'node:path';
import { withWholePaths } from '../../src/command-line/plugins-command.ts';

describe('withWholePaths', () => {
  const here = path.resolve('/home/ada/work');
  const below = (name: string): string => `file:${path.join(here, name)}`;
  const cases: readonly (readonly [given: readonly string[], words: readonly string[]])[] = [
    [
      ['plugins', 'install', 'file:plugin.tgz', '--force'],
      ['plugins', 'install', below('plugin.tgz'), '--force'],
    ],
    [
      ['plugins', 'add', './plugin.tgz', 'acme-plugin'],
      ['plugins', 'add', below('plugin.tgz'), 'acme-plugin'],
    ],
    [
      ['plugins', 'install', '../plugin', '/srv/plugin'],
      ['plugins', 'install', below('../plugin'), `file:${path.resolve('/srv/plugin')}`],
    ],
    ...[
      ['plugins', 'install', 'file:///srv/plugin.tgz'],
      ['plugins', 'install', 'acme/plugin'],
      ['plugins', 'install', '@acme/plugin@1'],
      ['plugins', 'install', 'https://git.acme.example/plugin.git'],
      ['plugins', 'link', './plugin'],
      ['run', 'file:plugin.tgz'],
    ].map((words) => [words, words] as const),
  ];
  for (const [given, words] of cases) {
    it(`makes of ${given.join(' ')} ${given === words ? 'nothing else' : words.join(' ')}`, () => {
      expect(withWholePaths(given, here)).to.deep.equal(words);
    });
  }
});
