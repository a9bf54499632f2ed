import { expect } from 'chai';
import { EnvironmentStore } from '../src/index.ts';

describe('EnvironmentStore', () => {
  const cases = [
    {
      title: 'finds the variable of a name',
      environment: { PORTOLAN_SECRET_key: 'v' },
      name: 'key',
      expected: 'v',
    },
    {
      title: 'keeps the case of a name',
      environment: { PORTOLAN_SECRET_KEY: 'v' },
      name: 'key',
      expected: undefined,
    },
    {
      title: 'takes an empty variable for absent',
      environment: { PORTOLAN_SECRET_key: '' },
      name: 'key',
      expected: undefined,
    },
    {
      title: 'knows the prefix of the reference implementation',
      environment: { TOOLHIVE_SECRET_key: 'v' },
      name: 'key',
      expected: 'v',
    },
    {
      title: 'prefers its own prefix',
      environment: { TOOLHIVE_SECRET_key: 'old', PORTOLAN_SECRET_key: 'new' },
      name: 'key',
      expected: 'new',
    },
    { title: 'finds no other variables', environment: { key: 'v' }, name: 'key', expected: undefined },
    {
      title: 'keeps white space of a value',
      environment: { 'PORTOLAN_SECRET_a-b': ' v\n' },
      name: 'a-b',
      expected: ' v\n',
    },
  ];
  for (const { title, environment, name, expected } of cases) {
    it(title, async () => {
      expect(await new EnvironmentStore(environment).find(name)).to.equal(expected);
    });
  }

  it('refuses names that a variable cannot have', async () => {
    for (const name of ['', 'a=b', 'a\0']) {
      const error: unknown = await new EnvironmentStore({}).find(name).catch((reason: unknown) => reason);
      expect(error).to.have.property('code', 'ERR_SECRET_NAME');
    }
  });
});
