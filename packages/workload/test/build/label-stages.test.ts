import { expect } from 'chai';
import { labelStages } from '../../src/build/images/image-labels.ts';

const LABEL = 'LABEL portolan.dev/build=b1';

describe('labelStages', () => {
  for (const [title, dockerfile, expected] of [
    ['one stage', 'FROM node\nRUN x\n', `FROM node\n${LABEL}\nRUN x\n`],
    ['an empty base', 'FROM scratch\nCOPY a /\n', `FROM scratch\n${LABEL}\nCOPY a /\n`],
    [
      'stages that start from an earlier one, once',
      'ARG BASE\nFROM ${BASE} AS system\nFROM system AS build\nRUN x\nFROM system\nCOPY --from=build /a /a\n',
      `ARG BASE\nFROM \${BASE} AS system\n${LABEL}\nFROM system AS build\nRUN x\nFROM system\nCOPY --from=build /a /a\n`,
    ],
    [
      'each foreign base',
      'FROM a AS build\nFROM b\nCOPY --from=build /a /a\n',
      `FROM a AS build\n${LABEL}\nFROM b\n${LABEL}\nCOPY --from=build /a /a\n`,
    ],
  ] as const) {
    it(`labels ${title}`, () => {
      expect(labelStages(dockerfile, 'b1')).to.equal(expected);
    });
  }
});
