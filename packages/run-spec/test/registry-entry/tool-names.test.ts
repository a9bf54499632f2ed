import { expect } from 'chai';
import { toolNamesOf } from '../../src/index.ts';

const PUBLISHER = 'io.modelcontextprotocol.registry/publisher-provided';
const withTools = (tools: unknown) => ({
  _meta: { [PUBLISHER]: { 'dev.portolan': { definitions: { tools } } } },
});

describe('toolNamesOf', () => {
  const cases: readonly (readonly [string, object, unknown, readonly string[] | undefined])[] = [
    [
      'the published definitions',
      withTools([{ name: 'find' }, { name: 7 }, null]),
      { tools: ['old'] },
      ['find'],
    ],
    ['the names of the publisher', {}, { tools: ['find', 7] }, ['find']],
    ['an empty list of definitions', withTools([]), { tools: ['old'] }, []],
    ['definitions that are no list', withTools('find'), { tools: ['find'] }, ['find']],
    ['an entry without tools', {}, undefined, undefined],
  ];
  for (const [title, document, extension, names] of cases)
    it(`toolNamesOf › reads ${title}`, () => {
      expect(toolNamesOf({ ...document }, extension)).to.deep.equal(names);
    });
});
