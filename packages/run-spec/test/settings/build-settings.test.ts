import { expect } from 'chai';
import { readUserSettings } from '../../src/settings/user-settings.ts';

const MEBIBYTE = 1024 ** 2;

describe('build limits in config.yaml', () => {
  it('default to 4 GiB, 2048 processes, 30 minutes and 5 GiB', () => {
    expect(readUserSettings({ build: {} }, 'config.yaml').build.limits).to.deep.equal({
      memoryBytes: 4096 * MEBIBYTE,
      processes: 2048,
      timeoutMs: 1_800_000,
      imageBytes: 5120 * MEBIBYTE,
    });
  });

  it('accept strings and numbers', () => {
    const build = { memory: '512MiB', processes: 64, timeout: '1h30m', image_size: '1GiB' };
    expect(readUserSettings({ build }, 'config.yaml').build.limits).to.deep.equal({
      memoryBytes: 512 * MEBIBYTE,
      processes: 64,
      timeoutMs: 5_400_000,
      imageBytes: 1024 * MEBIBYTE,
    });
  });

  for (const [key, value] of [
    ['memory', '5MiB'],
    ['memory', '4GB'],
    ['memory', 4],
    ['memory', '1025GiB'],
    ['processes', '0'],
    ['processes', '-1'],
    ['processes', 4_194_305],
    ['processes', true],
    ['timeout', '30'],
    ['timeout', '0'],
    ['timeout', '-1m'],
    ['timeout', '25h'],
    ['image_size', ''],
    ['image_size', ['5GiB']],
  ] as const) {
    it(`are rejected when ${key} is ${JSON.stringify(value)}`, () => {
      const problems: string[] = [];
      readUserSettings({ build: { [key]: value } }, 'config.yaml', (all) => problems.push(...all));
      expect(problems).to.have.length(1);
      expect(problems[0]).to.match(new RegExp(`^build\\.${key}: `));
    });
  }
});
