import { expect } from 'chai';
import { RUN_CONFIG_FIELDS } from '../../src/run-config/run-config.ts';
import { flagRow, RUN_FLAG_NAMES } from '../../src/settings/run-flags.ts';

describe('table of run flags', () => {
  const rows = RUN_FLAG_NAMES.map(flagRow);

  it('has each flag and each short form once', () => {
    const names = [...rows.map(({ flag }) => flag), ...rows.flatMap(({ char }) => char ?? [])];
    expect(names.filter((name, index) => names.indexOf(name) !== index)).to.deep.equal([]);
  });

  for (const { flag, field } of rows) {
    it(`has a field of the run config for --${flag}`, () => {
      expect(Object.keys(RUN_CONFIG_FIELDS)).to.include(field.split('.')[0]);
    });
  }
});
